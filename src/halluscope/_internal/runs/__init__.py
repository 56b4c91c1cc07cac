"""Runs that were made: their figures, their results, what changed between two, and files made of them."""

from ..figures.summary import MetricSummary
from .run import Run, all_runs
from .run_summary import Summary

__all__ = ["MetricSummary", "Run", "Summary", "all_runs"]
