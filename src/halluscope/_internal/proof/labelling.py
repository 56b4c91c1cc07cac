"""Labelling cases by hand, and measuring how well a judge agrees with the labels.

The annotator sees input, context and output only, and no label, score or verdict from elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ..core.case import Case
from ..core.errors import InputError
from ..core.plumbing.whole_file import replacing
from ..runs.labelled_case import read_label
from ..stats.bootstrap import bootstrap
from ..stats.confusion import Confusion, Counting
from ..stats.interval import Interval
from .sets.formats.labelled_rows import SKIPPED, texts
from .sets.formats.row_readers import by_row

ANSWERS = {"f": "factual", "h": "hallucinated", "c": "contradicted", "u": "unsupported", "s": SKIPPED}
"""The key for each label."""


class PersonLabel(Struct, frozen=True, kw_only=True):
    """A label with its case. Files of labels can be passed to `bench` and `calibrate`."""

    id: str
    label: str
    output: str
    context: tuple[str, ...] | None = None
    input: str | None = None
    annotator: str | None = None
    at: str | None = None


def cases_of(path: Path) -> Iterator[tuple[Case, bool | None]]:
    """Yield the cases of a file, each with the label in its row, if any."""
    seen: dict[str, int] = {}
    for case, label in by_row(_case)([path], ""):
        seen[case.id] = seen.get(case.id, 0) + 1
        if seen[case.id] > 1:  # the same text twice is two cases
            case = msgspec.structs.replace(case, id=f"{case.id}#{seen[case.id]}")
        yield case, label


def _case(row: dict[str, Any], name: str) -> Iterator[tuple[Case, bool | None]]:
    label = None
    with suppress(InputError):
        label = None if row.get("label") is None else read_label(row["label"])
    yield Case.of(**texts(row)), label


class Session:
    """A labelling session over the cases that have no label yet. Its file is written atomically after each label."""

    def __init__(self, cases: Sequence[Case], path: Path, annotator: str | None = None) -> None:
        self.cases = {case.id: case for case in cases}
        self.path = path
        self._annotator = annotator
        self._labels = _labels_in(path)

    @property
    def labels(self) -> list[PersonLabel]:
        """The labels in the order they were given, without skipped cases."""
        return [label for label in self._labels.values() if label.label != SKIPPED]

    @property
    def current(self) -> Case | None:
        """The next case without a label, None at the end."""
        return next((case for id, case in self.cases.items() if id not in self._labels), None)

    @property
    def done(self) -> int:
        return sum(id in self._labels for id in self.cases)

    def answer(self, key: str) -> bool:
        """Label the current case with a key. Returns False for an unknown key."""
        case, label = self.current, ANSWERS.get(key)
        if case is None or label is None:
            return False
        self._labels[case.id] = PersonLabel(
            id=case.id,
            label=label,
            output=case.output,
            context=case.context,
            input=case.input,
            annotator=self._annotator,
            at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        )
        self._write()
        return True

    def undo(self) -> bool:
        """Remove the last label. Returns False if there is none."""
        if not self._labels:
            return False
        self._labels.popitem()
        self._write()
        return True

    def _write(self) -> None:
        with replacing(self.path) as file:
            for label in self._labels.values():
                file.write(msgspec.json.encode(label) + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _labels_in(path: Path) -> dict[str, PersonLabel]:
    """Read the labels of earlier sessions by the ids of their cases."""
    found: dict[str, PersonLabel] = {}
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else (), start=1):
        if not line.strip():
            continue
        try:
            label = msgspec.json.decode(line, type=PersonLabel)
        except msgspec.DecodeError as error:
            raise InputError(
                f"line {number} of {path.name} is not a label ({error}): correct it, or choose another file with --to."
            ) from error
        found[label.id] = label
    return found


class PersonAgreement(Struct, frozen=True, kw_only=True):
    """The agreement of a judge with an annotator."""

    n: int
    kappa: float | None
    interval: Interval | None
    agreed: float
    confusion: Confusion
    """Positive is hallucinated. The annotator's labels count as the truth."""
    apart: tuple[str, ...]
    """Ids of the cases on which they disagree."""


def person_agreement(person: dict[str, bool], judge: dict[str, bool]) -> PersonAgreement:
    """Compute kappa over the cases that both have labelled."""
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
