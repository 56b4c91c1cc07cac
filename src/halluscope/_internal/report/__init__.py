"""The report: one HTML file that holds a run, and needs nothing else to be read."""

from .source import Results, Source
from .write import write, write_results

__all__ = ["Results", "Source", "write", "write_results"]
