"""Measuring repairs: what counts as gone, kept and newly wrong."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope import Case, InputError, LabelledCase
from halluscope._internal.core.repair import RepairEdit
from halluscope._internal.engine.metrics import resolve
from halluscope._internal.proof.bench.repair_figures import _adds
from halluscope.judges import EmbeddedJudge
from halluscope.proof import RepairFigures, measure_repairs

CONTEXT = ["The mill closed in 1921. Entry is free. The mill has 12 rooms."]


def answer(text: str, marked: str = "") -> LabelledCase:
    start = text.index(marked)
    spans = ((start, start + len(marked)),) if marked else ()
    case = Case.of(text, CONTEXT)
    return LabelledCase(case=case, hallucinated=bool(marked), label="x", spans=spans)


def figures(*cases: LabelledCase, metric: Any = "hallucination") -> RepairFigures:
    return measure_repairs("mine", cases, EmbeddedJudge(), resolve(metric, include_reason=False))


def test_figures_are_those_of_the_marked_words() -> None:
    found = figures(
        answer("The mill closed in 1969. Entry is free.", "1969"),
        answer("Entry is free. The café serves waffles.", "The café serves waffles."),
        answer("Entry is free."),
    )
    assert (found.wrong, found.flagged, found.right, found.touched) == (2, 2, 1, 0)
    assert (found.gone, found.kept, found.new_errors) == (1.0, 1.0, 0.0)
    assert found.beside == pytest.approx(1.0, abs=0.05)
    assert found.edits == {"replace": 1, "remove": 1}


def test_an_error_that_the_judge_overlooks_is_not_repaired_and_not_counted() -> None:
    found = figures(answer("The mill has 12 rooms.", "12"))
    assert (found.wrong, found.flagged, found.gone) == (1, 0, None)


def test_a_metric_without_claims_is_refused() -> None:
    with pytest.raises(InputError, match="does not judge claims"):
        figures(answer("Entry is free."), metric="label")


@pytest.mark.parametrize(
    "before, after, adds",
    [
        ("1969", "1921", True),
        ("A fire broke out, and e", "E", False),
        ("Ann left, and she", "Ann", True),
        ("1969", "", False),
    ],
)
def test_a_capital_for_what_stays_is_no_new_word(before: str, after: str, adds: bool) -> None:
    edit = RepairEdit(kind="replace", start=0, end=len(before), before=before, after=after, why="", claim="c1")
    assert _adds(edit) is adds
