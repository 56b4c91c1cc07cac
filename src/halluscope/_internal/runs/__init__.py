"""Runs: datasets, scoring, stored results, statistics, comparisons, reports and gates."""

from .run import Run, all_runs
from .run_summary import Summary
from .statistics.summary import MetricSummary

__all__ = ["MetricSummary", "Run", "Summary", "all_runs"]
