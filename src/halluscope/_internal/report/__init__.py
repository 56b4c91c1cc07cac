"""The report: one HTML file that holds a run, and needs nothing else to be read."""

from .source import ReportSource, Results
from .write import write_report, write_results

__all__ = ["ReportSource", "Results", "write_report", "write_results"]
