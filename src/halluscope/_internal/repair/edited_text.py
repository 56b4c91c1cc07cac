"""A text with edits, and the way between its places and those of the original."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.repair import RepairEdit


class EditedText:
    """A text with edits that lie in order and do not overlap, in the places of the original."""

    def __init__(self, original: str, edits: Iterable[RepairEdit] = ()) -> None:
        self.original = original
        self.edits: tuple[RepairEdit, ...] = tuple(sorted(edits, key=lambda edit: edit.start))
        parts: list[str] = []
        self._places: list[tuple[int, int]] = []
        """Where each edit stands in the text."""
        done = length = 0
        for edit in self.edits:
            kept = original[done : edit.start]
            length += len(kept)
            self._places.append((length, length + len(edit.after)))
            parts += (kept, edit.after)
            length += len(edit.after)
            done = edit.end
        self.text = "".join((*parts, original[done:]))

    def touching(self, start: int, end: int) -> list[RepairEdit]:
        """The edits that a stretch of the text overlaps, or has inside it where they removed something."""
        return [
            edit
            for edit, (low, high) in zip(self.edits, self._places, strict=True)
            if (start < high and low < end) or (low == high and start < low < end)
        ]

    def in_original(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original that a stretch of the text was made from."""
        inside = self.touching(start, end)
        return self._in_original(start, inside, begins=True), self._in_original(end, inside, begins=False)

    def with_edits(self, edits: Sequence[RepairEdit]) -> EditedText:
        """The text with more edits, which have places in it. One that meets an earlier one takes it in."""
        made = self
        for edit in sorted(edits, key=lambda edit: -edit.start):  # from the end: the places before stay as they are
            made = made._with(edit)
        return made

    def without(self, edits: Iterable[RepairEdit]) -> EditedText:
        """The text with some of its edits undone."""
        gone = list(edits)
        return EditedText(self.original, [edit for edit in self.edits if edit not in gone])

    def _with(self, edit: RepairEdit) -> EditedText:
        met = [
            (old, place)
            for old, place in zip(self.edits, self._places, strict=True)
            if (edit.start < place[1] and place[0] < edit.end)
            or edit.start < place[0] == place[1] < edit.end
            or ((edit.start == edit.end or not old.before) and edit.start <= place[1] and place[0] <= edit.end)
        ]
        start = min([edit.start, *(place[0] for _, place in met)])
        end = max([edit.end, *(place[1] for _, place in met)])
        inside = [old for old, _ in met]
        first, last = self._in_original(start, inside, begins=True), self._in_original(end, inside, begins=False)
        merged = RepairEdit(
            kind=edit.kind,
            start=first,
            end=last,
            before=self.original[first:last],
            after=self.text[start : edit.start] + edit.after + self.text[edit.end : end],
            why="; ".join(dict.fromkeys([*(old.why for old in inside), edit.why])),
            evidence=tuple(dict.fromkeys([*(piece for old in inside for piece in old.evidence), *edit.evidence])),
            claim=edit.claim,
        )
        return EditedText(self.original, [*(old for old in self.edits if old not in inside), merged])

    def _in_original(self, at: int, inside: Sequence[RepairEdit], *, begins: bool) -> int:
        """Where a stretch begins or ends in the original. Edits are part of it only if they are `inside`."""
        moved = 0
        for edit, (low, high) in zip(self.edits, self._places, strict=True):
            if begins and (edit in inside or at < high):
                return edit.start if at == low and edit in inside else at + moved
            if not begins and edit not in inside and at <= low:
                break
            moved = edit.end - high
        return at + moved
