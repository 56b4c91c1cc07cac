"""A judge under stress, without labels: good answers are made wrong on purpose, and it should notice.

report = halluscope.stress.run("answers.jsonl", judge="local")
report.kind("numbers").rate, report.false_alarms
"""

from .changes import HARMFUL, HARMLESS, KINDS, change, mutants
from .mutant import Mutant
from .running import arun, run
from .table import Kind, StressReport, Tried

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
