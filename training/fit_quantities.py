"""Fit how likely a number of an answer is wrong, and measure it: `python -m training.fit_quantities DATA_FOLDER`.

The rows are the numbers of written answers: in right answers all are right; in wrong ones those in a marked place
are wrong and the others are left out. To them come right answers with one digit of a stated number changed. Half of the
documents fit the weights that are measured on the other half, and the other way round; the weights
that are written beside the code are fitted on both. `--measure` writes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halluscope._internal.judges.embedded.quantities import number_match as doubts
from halluscope._internal.judges.embedded.quantities.number_match import number_matches
from halluscope._internal.judges.embedded.quantities.quantity import NumberMatch
from halluscope._internal.judges.embedded.reading.readable import structured
from halluscope._internal.text import sentences
from training.sets import Case

SOURCES = (
    "rag_arith2 rag_money3 rag_figures rag_short2 rag_compare3 rag_studies3 rag_records2 rag_toolrun4 numbers tools"
).split()
NUMBER_KINDS = ("wrong_number", "bare", "wrong_date", "wrong_unit", "number", "date", "unit", "precision", "toofar")
_NEW_KINDS = ("invented_detail", "speculative", "detail")
"""Kinds of error that bring numbers with them; in the marked places of all others the numbers may be right."""
Weights = dict[str, dict[str, float]]
_FALSE_ALARMS = {"unstated": 0.025, "stated": 0.005}
"""A strength of 0.5 is where so many of the right answers have a number of that strength."""
_RIDGE = 2.0
_CHANGED = 0.4
"""What a number changed by us counts, beside one that was written wrongly."""


@dataclass(frozen=True, slots=True)
class Row:
    """One number of an answer. `wrong` is None where that is not known."""

    answer: int
    found: NumberMatch
    wrong: bool | None
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the data."""

    source: str
    kind: str
    half: int
    right: bool


def rows(cases: Iterable[tuple[str, Case]]) -> tuple[list[Answer], list[Row]]:
    """All numbers of all answers, and of right answers with a digit changed."""
    answers: list[Answer] = []
    found: list[Row] = []
    draw = random.Random(7)
    for source, case in cases:
        document = str(case["meta"].get("document") or case["context"])
        half = hashlib.sha256(document.encode()).digest()[0] % 2
        right = case["label"] == "supported"
        answers.append(Answer(source, str(case["meta"].get("kind")), half, right))
        number = len(answers) - 1
        context, asked, output = _context(case), case["input"] or "", case["output"]
        marks = [(mark["start"], mark["end"]) for mark in case.get("spans") or ()]
        stood = list(_stood(output, context, asked))
        for start, number_match in stood:
            low, high = start + number_match.claim.start, start + number_match.claim.end
            marked = not marks or any(low < end and high > begin for begin, end in marks)
            told = marked and answers[number].kind in (*NUMBER_KINDS, *_NEW_KINDS)
            found.append(Row(number, number_match, False if right else True if told else None))
        if right:
            found.extend(_changed(number, output, context, asked, stood, draw))
    return answers, found


def _cases(path: Path) -> Iterator[Case]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _context(case: Case) -> str:
    passages = [case["context"]] if isinstance(case["context"], str) else case["context"]
    return "\n".join("\n".join(one.text for one in structured(passage)) or passage for passage in passages)


def _stood(output: str, context: str, asked: str) -> Iterator[tuple[int, NumberMatch]]:
    spans = sentences(output)
    for span, found in zip(spans, number_matches([span.of(output) for span in spans], context, asked), strict=True):
        for number_match in found:
            yield span.start, number_match


def _changed(
    number: int, output: str, context: str, asked: str, stood: Sequence[tuple[int, NumberMatch]], draw: random.Random
) -> Iterator[Row]:
    """One stated number with another digit."""
    stated = [
        start + at
        for start, number_match in stood
        if number_match.status in ("stated", "conflicts") and "stated" in number_match.signs
        for at in range(number_match.claim.start, number_match.claim.end)
        if output[start + at].isdigit()
    ]
    if not stated:
        return
    place = draw.choice(stated)
    digit = draw.choice([digit for digit in "123456789" if digit != output[place]])
    text = output[:place] + digit + output[place + 1 :]
    for start, number_match in _stood(text, context, asked):
        if (
            start + number_match.claim.start <= place < start + number_match.claim.end
            and "stated" not in number_match.signs
        ):
            yield Row(number, number_match, True, changed=True)


def fitted(answers: Sequence[Answer], found: Sequence[Row], half: int | None) -> Weights:
    """The weights, fitted on one half of the documents or on all."""
    weights: Weights = {}
    for sort in ("stated", "unstated"):
        chosen = [
            row for row in found
            if row.wrong is not None and row.found.signs and ("stated" in row.found.signs) == (sort == "stated")
            and half in (None, answers[row.answer].half)
        ]  # fmt: skip
        names = sorted({name for row in chosen for name in row.found.signs})
        signs = np.array([[row.found.signs.get(name, 0.0) for name in names] for row in chosen])
        wrong = np.array([float(bool(row.wrong)) for row in chosen])
        counts = np.array([_CHANGED if row.changed else 1.0 for row in chosen])
        solved = _regression(signs, wrong, counts)
        weights[sort] = {name: round(float(weight), 3) for name, weight in zip(names, solved, strict=True)}
    for sort, share in _FALSE_ALARMS.items():
        weights[sort]["one"] = round(weights[sort]["one"] - _level(answers, found, half, weights[sort], sort, share), 3)
    return weights


def _level(
    answers: Sequence[Answer],
    found: Sequence[Row],
    half: int | None,
    weights: Mapping[str, float],
    sort: str,
    share: float,
) -> float:
    """The score that no more than this share of the right answers reach with one of their numbers."""
    right = {n for n, one in enumerate(answers) if one.right and half in (None, one.half)}
    highest = dict.fromkeys(right, -np.inf)
    for row in found:
        if (
            row.answer in right
            and not row.changed
            and row.found.signs
            and ("stated" in row.found.signs) == (sort == "stated")
        ):
            score = sum(weights.get(name, 0.0) * value for name, value in row.found.signs.items())
            highest[row.answer] = max(highest[row.answer], score)
    return float(sorted(highest.values(), reverse=True)[int(share * len(right))])


def _regression(
    signs: NDArray[np.float64], wrong: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Logistic regression by Newton's method, with a ridge."""
    weights = np.zeros(signs.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-signs @ weights))
        slope = signs.T @ (counts * (wrong - chance)) - _RIDGE * weights
        curve = (signs * (counts * chance * (1 - chance))[:, None]).T @ signs + _RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def measured(answers: Sequence[Answer], found: Sequence[Row], half: int, weights: Weights) -> None:
    """Print how many answers of one half have a doubtful number."""
    doubted: dict[int, float] = defaultdict(float)
    marked: dict[int, float] = defaultdict(float)
    changed: list[float] = []
    for row in found:
        answer = answers[row.answer]
        if answer.half != half or not row.found.signs:
            continue
        chance = _doubt(row.found.signs, weights)
        if row.changed:
            changed.append(chance)
        elif "stated" not in row.found.signs or chance >= 0.5:
            doubted[row.answer] = max(doubted[row.answer], chance)
            if row.wrong:
                marked[row.answer] = max(marked[row.answer], chance)
    print(f"half {half}: answers with a number at odds or missing, strength 0.5 and more (and in the marked place)")
    groups: dict[str, list[int]] = defaultdict(list)
    for number, answer in enumerate(answers):
        if answer.half == half:
            side = "right" if answer.right else "wrong"
            groups[side].append(number)
            groups[f"{side}, {answer.source}"].append(number)
            if not answer.right and answer.kind in NUMBER_KINDS:
                groups[f"wrong, {answer.kind}"].append(number)
    for name, numbers in sorted(groups.items()):
        hits, inside = (sum(chances[number] >= 0.5 for number in numbers) for chances in (doubted, marked))
        print(f"  {name:28} {len(numbers):5}  {hits / len(numbers):.3f}  {inside / len(numbers):.3f}")
    hits = sum(chance >= 0.5 for chance in changed)
    print(f"  {'one digit changed':28} {len(changed):5}  {hits / max(1, len(changed)):.3f}")


def _doubt(signs: Mapping[str, float], weights: Weights) -> float:
    chosen = weights["stated" if "stated" in signs else "unstated"]
    return float(1 / (1 + np.exp(-sum(chosen.get(name, 0.0) * value for name, value in signs.items()))))


def main() -> None:
    """Fit, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--measure", action="store_true", help="print the figures only")
    chosen = parser.parse_args()
    files = {name: chosen.data / "written" / f"written_{name}.jsonl.gz" for name in SOURCES}
    answers, found = rows((name, case) for name, path in files.items() for case in _cases(path))
    for half in (0, 1):
        measured(answers, found, half, fitted(answers, found, 1 - half))
    if not chosen.measure:
        place = Path(doubts.__file__).with_name("quantities.json")
        place.write_text(json.dumps(fitted(answers, found, None), indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
