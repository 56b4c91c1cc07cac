"""A text with edits: places lead back to the original, whatever was changed before them."""

from __future__ import annotations

import random

from halluscope._internal.core.repair import RepairEdit
from halluscope._internal.repair.edited_text import EditedText

TEXT = "abcdefghijklmnopqrstuvwxyz"


def edit(start: int, end: int, after: str, text: str = TEXT) -> RepairEdit:
    return RepairEdit(kind="replace", start=start, end=end, before=text[start:end], after=after, why="")


def test_edits_are_applied_where_they_were_said() -> None:
    made = EditedText(TEXT).with_edits([edit(2, 4, "XYZ"), edit(10, 12, "")])
    assert made.text == "abXYZefghijmnopqrstuvwxyz"
    assert [one.span for one in made.edits] == [(2, 4), (10, 12)]
    assert made.without([made.edits[0]]).text == "abcdefghijmnopqrstuvwxyz"


def test_neighbours_stay_two_edits() -> None:
    made = EditedText(TEXT).with_edits([edit(2, 4, ""), edit(4, 6, "")])
    assert made.text == "abghijklmnopqrstuvwxyz"
    assert [one.span for one in made.edits] == [(2, 4), (4, 6)]


def test_an_edit_takes_in_those_it_meets() -> None:
    made = EditedText(TEXT).with_edits([edit(2, 4, "XYZ")])
    again = made.with_edits([edit(4, 7, "-", made.text)])
    assert again.text == "abXY-ghijklmnopqrstuvwxyz"
    assert [(one.span, one.before, one.after) for one in again.edits] == [((2, 6), "cdef", "XY-")]


def test_whatever_is_edited_the_original_and_the_edits_make_the_text() -> None:
    chance = random.Random(3)
    for _ in range(400):
        made = EditedText(TEXT)
        for _ in range(chance.randrange(1, 6)):
            start = chance.randrange(len(made.text) + 1)
            end = min(len(made.text), start + chance.randrange(4))
            one = edit(start, end, "".join(chance.choices("XYZ", k=chance.randrange(3))), made.text)
            expected = made.text[:start] + one.after + made.text[end:]
            made = made.with_edits([one])
            assert made.text == expected
            done = 0
            for kept in made.edits:
                assert done <= kept.start <= kept.end
                assert kept.before == TEXT[slice(*kept.span)]
                done = kept.end
