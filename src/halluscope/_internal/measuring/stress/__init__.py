"""A judge under stress, without labels: good answers are made wrong on purpose, and it should notice."""

from .changes.mutant import Mutant
from .mutation import HARMFUL, HARMLESS, KINDS, change, mutants
from .stress_report import StressFigures, StressReport, StressRow, Tried
from .stress_test import astress, stress

__all__ = [
    "HARMFUL",
    "HARMLESS",
    "KINDS",
    "Mutant",
    "StressFigures",
    "StressReport",
    "StressRow",
    "Tried",
    "astress",
    "change",
    "mutants",
    "stress",
]
