"""Measuring judges: sets with known answers, the figures a judge reaches on them, and what they are worth."""

from .cases import LabelledCase, read_label, sample
from .measure import Figures, measure
from .report import Report, bench
from .run import JudgeRun, run_judge
from .sets import SETS, Loaded, load

__all__ = [
    "SETS",
    "Figures",
    "JudgeRun",
    "LabelledCase",
    "Loaded",
    "Report",
    "bench",
    "load",
    "measure",
    "read_label",
    "run_judge",
    "sample",
]
