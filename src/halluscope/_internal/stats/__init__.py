"""The figures by which a judge is measured, in plain numpy.

Everywhere the positive class is "hallucinated": `truth` says which cases are, `said` which ones a
judge called so, `scores` how strongly it thinks so. A figure that is not defined (precision where
nothing was flagged, AUROC with one class) is NaN, never a made-up 0 or 1. Every figure takes
`weights`: how often each case counts, which is all that a bootstrap needs.
"""

from .agreement import cohen_kappa, krippendorff_alpha
from .binomial import binomial_interval, binomial_lower, binomial_tail, binomial_tails, binomial_upper
from .bootstrap import Interval, PairedDifference, bootstrap, bootstrap_all, paired_bootstrap, replicates
from .calibration import Bin, Calibration, brier, calibration_curve, expected_calibration_error
from .confusion import Confusion, Counting, confusion
from .ranking import Ranking, auroc, average_precision
from .spans import SpanCounts, Spans, covered, span_counts

__all__ = [
    "Bin",
    "Calibration",
    "Confusion",
    "Counting",
    "Interval",
    "PairedDifference",
    "Ranking",
    "SpanCounts",
    "Spans",
    "auroc",
    "average_precision",
    "binomial_interval",
    "binomial_lower",
    "binomial_tail",
    "binomial_tails",
    "binomial_upper",
    "bootstrap",
    "bootstrap_all",
    "brier",
    "calibration_curve",
    "cohen_kappa",
    "confusion",
    "covered",
    "expected_calibration_error",
    "krippendorff_alpha",
    "paired_bootstrap",
    "replicates",
    "span_counts",
]
