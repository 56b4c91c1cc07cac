"""Pack the rows of the data folder: first stage, second stage, evidence, cases made by rule, and the exam.

`--only evidence` needs nothing but this repository and the views of a teacher, so it also runs on the GPU machine.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from training.exam import context_of, exam_cases, exam_readings
from training.harder import harder_rows
from training.pack import pack, tokenizer_at
from training.readings import (
    UNKNOWN,
    Reading,
    all_answers,
    asked,
    folds_of_answers,
    folds_of_evidence,
    from_changed,
    from_evidence,
    from_row,
    from_rules,
    from_teacher,
    kind_of,
    viewed,
    views_by_key,
)
from training.rows import Row, fold_of_documents, read_rows, rows_of, write_rows
from training.sets import Source, read, sources

BY_RULE = 30_000
ANSWERS = 12_000
"""Claims of our other answers that the teacher learns from again, and says of which evidence decides them."""
KEPT = Path(__file__).parent / "answer_views.npz"
"""Views of the claims of our whole answers, by a teacher that learnt from their contexts; another's go before them."""

Job = tuple[Source, Path, "dict[str, int] | None", "int | None", bool]


def _rows(job: Job) -> list[Row]:
    source, data, folds, limit, harder = job
    return list((harder_rows if harder else rows_of)(source, data, folds, limit))


def all_rows(data: Path, folds: dict[str, int], limit: int | None, workers: int) -> list[Row]:
    """The pairs of both stages; the order does not depend on the number of workers."""
    jobs: list[Job] = []
    for harder in (False, True):
        jobs += [(source, data, None, limit, harder) for source in sources("base")]
        jobs += [(source, data, folds, limit, harder) for source in sources("folds")]
    with multiprocessing.Pool(workers) as pool:
        return [row for rows in pool.map(_rows, jobs, chunksize=1) for row in rows]


def folds_of(data: Path) -> dict[str, int]:
    """The fold of every document of the second stage, by its text or, for our own answers, by its name."""
    claims = [case for source in sources("folds") for case in read(data, source)]
    return {**fold_of_documents(claims), **folds_of_answers(data), **folds_of_evidence()}


def rows_to_ask(readings: Sequence[Reading], count: int | None = None) -> list[Row]:
    """Each labelled claim as a teacher is asked about it; at most so many, drawn from what was not made by rule."""
    chosen = [reading for reading in readings if count is None or not reading.made]
    rows = {asked(reading, claim): None for reading in chosen for claim in reading.claims if claim.label != UNKNOWN}
    return random.Random(4).sample(list(rows), min(count or len(rows), len(rows)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=int, help="cases a set, for a rehearsal")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=["rows", "evidence", "made", "exam"])
    parser.add_argument("--rows", type=Path, nargs="*", help="rows collected before")
    parser.add_argument("--teacher", type=Path, help="the teachers' views; DATA/teacher unless given")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer_at(options.tokenizer)
    teacher = options.teacher or options.data / "teacher"
    if options.only in (None, "evidence"):
        readings = list(from_evidence(options.limit))
        print(json.dumps(pack(readings, tokenizer, options.out / "evidence.npz")), flush=True)
        write_rows(rows_to_ask(readings), options.out / "evidence_rows.jsonl.gz")
    if options.only == "evidence":
        return
    folds = folds_of(options.data)
    if options.only in (None, "made"):
        made = [*from_rules(min(BY_RULE, 50 * (options.limit or BY_RULE)))]
        made += from_changed(options.data, folds, options.limit)
        print(json.dumps(pack(made, tokenizer, options.out / "made.npz")), flush=True)
    if options.only in (None, "rows"):
        kinds = {
            case["output"]: kind_of(case)
            for source in sources("folds")
            if source.folder == "written"
            for case in read(options.data, source)
        }
        given = [KEPT, *sorted(teacher.glob("*views.npz"))]
        views = {key: view for path in given for key, view in views_by_key(path).items()}
        if options.rows:
            rows = [row for path in options.rows for row in read_rows(path)]
        else:
            rows = all_rows(options.data, folds, options.limit, options.workers)
        first: list[Reading] = []
        second: list[Reading] = []
        taught = 0
        for row in rows:
            reading = from_row(row, views, kinds)
            taught += reading.claims[0].view is not None
            (first if row.fold < 0 else second).append(reading)
        print(len(rows), "rows,", taught, "with a teacher's view", flush=True)
        for reading in from_teacher(teacher, folds):
            (first if reading.fold < 0 else second).append(reading)
        if options.limit:
            first, second = first[: 50 * options.limit], [*second[: 20 * options.limit], *second[-20 * options.limit :]]
        answers = [viewed(reading, views) for reading in all_answers(options.data, folds, options.limit)]
        second += answers
        write_rows(rows_to_ask(answers, ANSWERS), options.out / "answer_rows.jsonl.gz")
        print(json.dumps(pack(first, tokenizer, options.out / "first.npz")), flush=True)
        print(json.dumps(pack(second, tokenizer, options.out / "second.npz")), flush=True)
    if options.only in (None, "exam"):

        def exam() -> Iterator[Reading]:
            for case, fold in exam_cases(options.data, folds, options.limit):
                yield from exam_readings(case, fold, context_of(case))

        print(json.dumps(pack(exam(), tokenizer, options.out / "exam.npz")), flush=True)


if __name__ == "__main__":
    main()
