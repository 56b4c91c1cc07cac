"""Measuring judges: sets with known answers, the figures a judge reaches on them, and what they are worth."""

from ..labelled_case import LabelledCase, read_label, sample
from ..sets.public_sets import SETS, Loaded, load
from .bench_report import Report, bench
from .figures import Figures, measure
from .judge_run import JudgeRun, run_judge

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
