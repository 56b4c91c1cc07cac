"""A judge under stress, without labels: good answers are made wrong on purpose, and it should notice.

report = halluscope._internal.measuring.stress.run("answers.jsonl", judge="local")
report.kind("numbers").rate, report.false_alarms
"""

from .changes.mutant import Mutant
from .mutants import HARMFUL, HARMLESS, KINDS, change, mutants
from .stress_report import Kind, StressReport, Tried
from .stress_test import arun, run

__all__ = [
    "HARMFUL",
    "HARMLESS",
    "KINDS",
    "Kind",
    "Mutant",
    "StressReport",
    "Tried",
    "arun",
    "change",
    "mutants",
    "run",
]
