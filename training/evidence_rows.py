"""The rows that quote the sentence that decides, and a check of what they say about themselves.

`python -m training.evidence_rows` prints the figures of every file and the faults of its rows; with `--apart FOLDER`,
also the rows that share eight words in a row with a set that is only measured.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import mean

from training.figures import Scored, area
from training.sets import HERE, Case

FILES = tuple(sorted((HERE / "evidence").glob("*.jsonl.gz")))
LABELS = ("supported", "contradicted", "unsupported")
SHARED = 8
"""So many words in a row are taken for the same text."""


def read_rows(path: Path) -> Iterator[Case]:
    """The rows of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def faults(row: Case) -> list[str]:
    """What is wrong with a row: quotes or marked words in the wrong place, or that its label does not allow."""
    found = []
    if row["label"] not in LABELS:
        found.append(f"unknown label {row['label']!r}")
    if bool(row["evidence"]) == (row["label"] == "unsupported"):
        found.append("evidence does not go with the label")
    if bool(row["spans"]) == (row["label"] == "supported"):
        found.append("marked words do not go with the label")
    for quote in row["evidence"]:
        passage = row["context"][quote["passage"]]
        if not quote["quote"] or passage[quote["start"] : quote["end"]] != quote["quote"]:
            found.append(f"not in its place: {quote['quote']!r}")
    if any(not 0 <= start < end <= len(row["output"]) for start, end in row["spans"]):
        found.append("marked words outside the output")
    return [f"{row['id']}: {fault}" for fault in found]


def doubles(rows: Iterable[Case]) -> list[str]:
    """The rows that say of a context what another row has said of it."""
    seen: dict[tuple[str, ...], str] = {}
    found = []
    for row in rows:
        key = (*row["context"], row["output"].casefold())
        if key in seen:
            found.append(f"{row['id']}: the same as {seen[key]}")
        seen.setdefault(key, row["id"])
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _runs(row: Case) -> set[tuple[str, ...]]:
    context = [row["context"]] if isinstance(row["context"], str) else row["context"]
    texts = [_words(text) for text in (*context, row["output"])]
    return {tuple(text[at : at + SHARED]) for text in texts for at in range(len(text) - SHARED + 1)}


def copied(rows: Iterable[Case], measured: Iterable[Case]) -> list[str]:
    """The rows that share a run of words with a row that is only measured."""
    kept = {run: other["id"] for other in measured for run in _runs(other)}
    shared = ((row["id"], next((kept[run] for run in _runs(row) if run in kept), None)) for row in rows)
    return [f"{name}: shares {SHARED} words with {other}" for name, other in shared if other]


def _overlap(row: Case) -> float:
    context = set(_words(" ".join(row["context"])))
    said = _words(row["output"])
    return sum(word in context for word in said) / len(said)


def figures(rows: list[Case]) -> str:
    """Rows of each label, their mean length, and how well a lack of shared words alone would tell the wrong ones."""
    counts = Counter(row["label"] for row in rows)
    lengths = {label: mean(len(row["output"].split()) for row in rows if row["label"] == label) for label in LABELS}
    parts = (f"{counts[label]} {label} ({lengths[label]:.1f} words)" for label in LABELS)
    told = area([Scored(row["label"] != "supported", -_overlap(row)) for row in rows])
    return f"{', '.join(parts)}; area of shared words {told:.2f}"


def main() -> None:
    """Print the figures of each file, then every fault; exit with 1 if there is one."""
    parser = argparse.ArgumentParser(description="Check the rows that quote the sentence that decides.")
    parser.add_argument("--apart", type=Path, help="a folder of sets that are only measured (*.jsonl.gz)")
    folder = parser.parse_args().apart
    every = []
    for path in FILES:
        rows = list(read_rows(path))
        print(f"{path.name}: {figures(rows)}")
        every += rows
    found = [*(fault for row in every for fault in faults(row)), *doubles(every)]
    if folder is not None:
        found += copied(every, (row for path in sorted(folder.glob("*.jsonl.gz")) for row in read_rows(path)))
    print(*found, sep="\n")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
