"""The report: a run as one HTML file."""

from .source import ReportSource, Results
from .write import write_report, write_results

__all__ = ["ReportSource", "Results", "write_report", "write_results"]
