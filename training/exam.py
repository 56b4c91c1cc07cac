"""The readings that the figures are taken from: outputs cut into claims and read just as the judge reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from halluscope._internal.engine.questions import Passage
from halluscope._internal.judges.embedded.claims.extracting import extract
from halluscope._internal.judges.embedded.deciding.signals import as_written_there, numbers_of
from halluscope._internal.judges.embedded.network.passes import all_looks
from halluscope._internal.judges.embedded.reading.evidence import ReadContext
from training.cases import ablated, copied, longer, reworded, sample
from training.readings import UNKNOWN, Reading, Target
from training.rows import seed_of
from training.sets import Case, document_of, read, sources

COUNTS = {
    "ragtruth": 1378,
    "wice_dev": 349,
    "lfqa": 500,
    "factcheckgpt": 1528,
    "expertqa": 1071,
    "summedits": 1200,
    "frank_all": 300,
    "halueval_qa": 600,
    "medhallu": 60,
    "bench_rag": 10_000,
    "bench_evidence": 480,
}
OTHERS = 450
"""Cases a set; the large ones are sampled by a hash of their ids."""
MEASURED = ("folds", "answers", "absences", "evidence", "measure")
"""What the sets are used for whose figures are printed."""
LONGER, REWORDED = 16, 12
"""Of our own answers, so many of each file also in a long context, and with one thing changed."""
ANSWERS = 0.5
"""The part of our own whole answers that is taken, by document."""


def exam_cases(data: Path, folds: dict[str, int], limit: int | None = None) -> Iterator[tuple[Case, int]]:
    """The cases, each with its fold, -1 for sets that nothing was learnt from."""
    for source in [source for use in MEASURED for source in sources(use)]:
        if source.use in ("answers", "absences", "evidence"):
            for case in list(read(data, source))[:limit]:
                document = str(case["meta"]["document"])
                if seed_of("exam" + document) % 1000 < 1000 * ANSWERS:
                    yield case, folds[document]
            continue
        count = COUNTS.get(source.name, OTHERS)
        for case in sample(data, source.name, min(count, limit or count)):
            yield case, folds["\n".join(case["context"])] if source.use == "folds" else -1
    for case in longer(data, folds, min(LONGER, limit or LONGER)):
        yield case, folds[document_of(case)]
    for case in reworded(data, min(REWORDED, limit or REWORDED)):
        yield case, folds[document_of(case)]
    for case in [*ablated(data, limit or 250), *copied(data, limit or 250)]:
        yield case, folds["\n".join(case.get("document") or case["context"])]


def context_of(case: Case) -> ReadContext:
    """The context as the judge reads it."""
    return ReadContext([Passage(number, text) for number, text in enumerate(case["context"])])


def exam_readings(case: Case, fold: int, context: ReadContext) -> Iterator[Reading]:
    """Every reading that the judge may ask for."""
    claims = extract(case["output"], case["input"])
    looks = list(all_looks(claims, case["output"], context.given, case["input"]))
    for claim, numbers in zip(claims, numbers_of(claims, context, case["input"]), strict=True):
        other = as_written_there(claim, numbers, case["input"])
        looks += all_looks([other], None, context.given, case["input"]) if other is not None else ()
    for item in looks:
        # Nothing is known of the evidence here; the empty one makes room for what a network says of it.
        decides = () if "evidence" in case else None
        targets = tuple(Target(a, b, UNKNOWN, decides=decides) for a, b in item.claims)
        yield Reading(item.lead, item.text, item.evidence, targets, None, case["set"], fold, case=case["id"])
