"""The table of the peers' tests is true: it shows what is carried over, and nothing else."""

from __future__ import annotations

from . import DIFFERENT, PASSED
from .table import MODULES, PAGE, page


def test_the_table_is_the_one_that_the_tests_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python -m tests.compat.peers"


def test_every_test_that_the_table_names_is_there_and_no_other() -> None:
    there = {name for module in MODULES for name in vars(module) if name.startswith("test_")}
    assert set(PASSED.values()) == there
    assert not set(PASSED) & set(DIFFERENT)
    assert all(reason.strip() for reason in DIFFERENT.values())
