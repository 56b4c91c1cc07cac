"""Measuring judges: sets with known answers, the figures a judge reaches on them, and what they are worth."""

from ..labelled_case import LabelledCase, read_label, sample_of_cases
from ..sets.public_sets import SETS, Loaded, load_set
from .bench_report import BenchReport, bench
from .by_kind import KindFigures
from .figures import Figures, measure
from .judge_run import JudgeRun, run_judge

__all__ = [
    "SETS",
    "BenchReport",
    "Figures",
    "JudgeRun",
    "KindFigures",
    "LabelledCase",
    "Loaded",
    "bench",
    "load_set",
    "measure",
    "read_label",
    "run_judge",
    "sample_of_cases",
]
