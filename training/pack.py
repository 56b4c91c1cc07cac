"""Pairs as numbers: token ids in one flat array, so that a whole training set travels as one small file."""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from halluscope._internal.embedded.network.encoding import MAX_CLAIM
from training.harder import harder_rows
from training.rows import Row, fold_of_documents, rows_of
from training.sets import Source, read, sources

Job = tuple[Source, Path, "dict[str, int] | None", "int | None", bool]


def _rows(job: Job) -> list[Row]:
    source, data, folds, limit, harder = job
    return list((harder_rows if harder else rows_of)(source, data, folds, limit))


def collect(data: Path, limit: int | None, workers: int, harder: bool) -> list[Row]:
    """All pairs of both stages; the order does not depend on the number of workers."""
    second = sources("folds")
    folds = fold_of_documents([case for source in second for case in read(data, source)])
    jobs: list[Job] = [(source, data, None, limit, harder) for source in sources("base")]
    jobs += [(source, data, folds, limit, harder) for source in second]
    with multiprocessing.Pool(workers) as pool:
        return [row for rows in pool.map(_rows, jobs, chunksize=1) for row in rows]


def marks_of(row: Row, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """For each token of the claim: 1 wrong, 0 right, -1 not known."""
    if row.spans is None:
        return [-1] * len(offsets)
    return [int(any(a < end and b > start for a, b in row.spans)) for start, end in offsets]


def pack(rows: Sequence[Row], tokenizer: Tokenizer, path: Path) -> None:
    """Write the pairs; equal texts are stored once."""
    texts: dict[str, int] = {}
    keys = [[texts.setdefault(text, len(texts)) for text in (row.question, row.evidence, row.claim)] for row in rows]
    names = sorted({row.name for row in rows})
    flat: list[np.ndarray] = []
    lengths, marks, offsets = [], [], []
    listed = list(texts)
    for first in range(0, len(listed), 4096):
        for encoding in tokenizer.encode_batch(listed[first : first + 4096], add_special_tokens=False):
            flat.append(np.array(encoding.ids, dtype=np.uint16))
            lengths.append(len(encoding.ids))
            offsets.append(encoding.offsets)
    for row, (_, _, claim) in zip(rows, keys, strict=True):
        marks.append(np.array(marks_of(row, offsets[claim][:MAX_CLAIM]), dtype=np.int8))
    np.savez_compressed(
        path,
        tokens=np.concatenate(flat),
        lengths=np.array(lengths, dtype=np.int32),
        keys=np.array(keys, dtype=np.int32),
        labels=np.array([row.label for row in rows], dtype=np.int8),
        folds=np.array([row.fold for row in rows], dtype=np.int8),
        made=np.array([row.made for row in rows], dtype=bool),
        sets=np.array([names.index(row.name) for row in rows], dtype=np.int16),
        names=np.array(names),
        marks=np.concatenate(marks),
    )


def merge(first: Path, second: Path, out: Path) -> None:
    """Two packed files as one, the rows of the first before those of the second."""
    with np.load(first) as one, np.load(second) as two:
        names = sorted({*map(str, one["names"]), *map(str, two["names"])})
        sets = [np.array([names.index(str(name)) for name in file["names"]])[file["sets"]] for file in (one, two)]
        joined: dict[str, Any] = {
            key: np.concatenate([one[key], two[key]])
            for key in ("tokens", "lengths", "labels", "folds", "made", "marks")
        }
        keys = np.concatenate([one["keys"], two["keys"] + len(one["lengths"])])
        joined |= {"keys": keys, "sets": np.concatenate(sets).astype(np.int16), "names": np.array(names)}
        np.savez_compressed(out, allow_pickle=False, **joined)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=int, help="cases a set, for a rehearsal")
    parser.add_argument("--harder", action="store_true", help="the rows of the last stage instead")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    rows = collect(options.data, options.limit, options.workers, options.harder)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pack(rows, tokenizer, options.out)
    print(json.dumps({"rows": len(rows), "bytes": options.out.stat().st_size}))


if __name__ == "__main__":
    main()
