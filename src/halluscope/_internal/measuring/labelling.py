"""Labels by a person: which cases are left, what was said of the others, and how far a judge agrees.

The person sees input, context and output only. Whatever a judge said of a case, and whatever label or
score stands in its row, is not shown before the person has spoken.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ..case import Case
from ..errors import InputError
from ..plumbing.whole_file import replacing
from ..stats.bootstrap import bootstrap
from ..stats.confusion import Confusion, Counting
from ..stats.interval import Interval
from .labelled_case import read_label
from .sets.formats.labelled_rows import CONTEXT, INPUT, OUTPUT, SKIPPED
from .sets.formats.row_readers import field, optional
from .sets.set_files import rows

ANSWERS = {"f": "factual", "h": "hallucinated", "c": "contradicted", "u": "unsupported"}
"""The key for each label."""


class PersonLabel(Struct, frozen=True, kw_only=True):
    """One answer of a person, with the case it is about: the file can be given to `bench` and `calibrate`."""

    id: str
    label: str
    output: str
    context: tuple[str, ...] | None = None
    input: str | None = None
    annotator: str | None = None
    at: str | None = None


def cases_of(path: Path) -> Iterator[tuple[Case, bool | None]]:
    """The cases of a file, labelled or not, each with what its row says of it, which is kept from the person."""
    seen: dict[str, int] = {}
    for number, row in rows(path):
        try:
            said = field(row, *OUTPUT)
        except InputError as error:
            raise InputError(f"row {number} of {path.name}: {error}") from None
        asked = optional(row, *INPUT)
        case = Case.of(said, optional(row, *CONTEXT), asked, id=str(row["id"]) if row.get("id") is not None else None)
        seen[case.id] = seen.get(case.id, 0) + 1
        if seen[case.id] > 1:  # the same text twice is two cases, with two labels
            case = msgspec.structs.replace(case, id=f"{case.id}#{seen[case.id]}")
        yield case, _already(row)


def _already(row: dict[str, Any]) -> bool | None:
    try:
        return None if row.get("label") is None else read_label(row["label"])
    except InputError:
        return None


class LabelFile:
    """The labels given so far. Written whole after each answer, so that it is never half a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._labels: dict[str, PersonLabel] = {}
        if path.exists():
            for number, line in enumerate(path.read_bytes().splitlines(), start=1):
                if line.strip():
                    self._read(number, line)

    def _read(self, number: int, line: bytes) -> None:
        try:
            label = msgspec.json.decode(line, type=PersonLabel)
        except msgspec.DecodeError as error:
            raise InputError(
                f"line {number} of {self.path.name} is not a label ({error}): "
                "mend it, or choose another file with --to."
            ) from error
        self._labels[label.id] = label

    def __contains__(self, id: object) -> bool:
        return id in self._labels

    def __len__(self) -> int:
        return len(self._labels)

    def given(self) -> list[PersonLabel]:
        """The labels in the order they were given, without the skipped cases."""
        return [label for label in self._labels.values() if label.label != SKIPPED]

    def give(self, case: Case, label: str, annotator: str | None = None) -> None:
        """Keep an answer; a second one for the same case replaces the first."""
        self._labels.pop(case.id, None)
        self._labels[case.id] = PersonLabel(
            id=case.id,
            label=label,
            output=case.output,
            context=case.context,
            input=case.input,
            annotator=annotator,
            at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        )
        self._write()

    def take_back(self) -> str | None:
        """Remove the last answer; the id of its case, None where there was none."""
        if not self._labels:
            return None
        id, _ = self._labels.popitem()
        self._write()
        return id

    def _write(self) -> None:
        with replacing(self.path) as file:
            for label in self._labels.values():
                file.write(msgspec.json.encode(label) + b"\n")
            file.flush()
            os.fsync(file.fileno())


class Session:
    """A sitting: cases in order, those already labelled left out, undo as far back as the file goes."""

    def __init__(self, cases: Sequence[Case], labels: LabelFile, annotator: str | None = None) -> None:
        self.cases = {case.id: case for case in cases}
        self.labels = labels
        self.annotator = annotator

    @property
    def current(self) -> Case | None:
        """The next case without an answer, None at the end."""
        return next((case for id, case in self.cases.items() if id not in self.labels), None)

    @property
    def done(self) -> int:
        return sum(id in self.labels for id in self.cases)

    def answer(self, key: str) -> bool:
        """Take a key as the answer to the current case; False where it is none."""
        case = self.current
        label = SKIPPED if key == "s" else ANSWERS.get(key)
        if case is None or label is None:
            return False
        self.labels.give(case, label, self.annotator)
        return True

    def undo(self) -> bool:
        """Take the last answer back, so that its case is next again; False where there is none."""
        return self.labels.take_back() is not None


class PersonAgreement(Struct, frozen=True, kw_only=True):
    """How far a judge agrees with a person."""

    n: int
    kappa: float | None
    interval: Interval | None
    agreed: float
    confusion: Confusion
    """Positive is hallucinated; the person knows, the judge says."""
    apart: tuple[str, ...]
    """The ids of the cases they disagree on."""


def person_agreement(person: dict[str, bool], judge: dict[str, bool]) -> PersonAgreement:
    """Kappa over the cases that both have spoken on."""
    shared = [id for id in person if id in judge]
    if not shared:
        raise InputError("the person and the judge have no case in common, so there is no agreement to measure.")
    truth, said = [person[id] for id in shared], [judge[id] for id in shared]
    counting = Counting(truth, said)
    counts = counting()
    kappa = counts.kappa
    return PersonAgreement(
        n=len(shared),
        kappa=None if kappa != kappa else kappa,
        interval=bootstrap(lambda weights: counting(weights).kappa, len(shared)),
        agreed=counts.accuracy,
        confusion=counts,
        apart=tuple(id for id in shared if person[id] != judge[id]),
    )
