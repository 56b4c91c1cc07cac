"""Signals of the judge on labelled cases, written once and used for fitting and for the figures.

Sets that the network was trained on are read by the fold network that has not seen the document, and so are the
figures on them; all others by the network that ships.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from halluscope._internal.core.verdict import Claim
from halluscope._internal.judges.embedded.claims.extracting import extract
from halluscope._internal.judges.embedded.deciding.signals import ClaimSignals, measure
from halluscope._internal.judges.embedded.deciding.signals import Measured as Signals
from halluscope._internal.judges.embedded.deciding.verdicts import Marking, Token, tokens
from halluscope._internal.judges.embedded.network.model import Place, Reading
from halluscope._internal.judges.embedded.network.passes import Reads
from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex, ReadContext, content_words
from halluscope._internal.judges.embedded.reading.judged_text import judged
from training.deciding import Unit, is_deciding, overlap_unit, unit_scores
from training.exam import context_of, exam_cases, exam_readings
from training.pack import tokenizer_at
from training.recorded import Recorded
from training.rows import FOLDS
from training.sets import Case

Measured = dict[str, Any]
MARKED = ("ragtruth", "evidence_", "bench_evidence")
"""The sets whose wrong characters are known, by the beginnings of their names."""
SIGNALS = tuple(ClaimSignals.__dataclass_fields__)


def signals_of(claim: dict[str, Any]) -> ClaimSignals:
    """The signals of a claim as they were written down."""
    return ClaimSignals(**{name: claim[name] for name in SIGNALS})


def placed(item: Signals, output: str) -> list[dict[str, Any]]:
    """The tokens of a claim: their places in the output and their signs."""
    if item.place is None:
        return []
    read = judged(output)
    found = []
    for token in tokens(item):
        at = read.in_source(item.place[0] + token.start, item.place[0] + token.end)
        signs = {name: round(value, 4) for name, value in token.signs.items()}
        found.append({"at": [at.start, at.end], "signs": signs})
    return found


def overlap(output: str, index: EvidenceIndex) -> float:
    """The part of the output's words that occur in the context: the trivial judge to beat."""
    words = set(content_words(output))
    return sum(index.has(word) for word in words) / max(1, len(words))


def measured(case: Case, network: Reads) -> Measured:
    """The claims of a case with their signals, and what is needed to score them."""
    context = context_of(case)
    claims = extract(case["output"], case["input"])
    found = measure(claims, context, network, case["input"], case["output"])
    quotes = quotes_of(case, claims, found, context, network) if "evidence" in case else []
    return {
        "id": case["id"],
        "set": case["set"],
        "task": case["task"],
        "label": case["label"],
        "kind": (case.get("meta") or {}).get("kind"),
        "spans": [[mark["start"], mark["end"]] for mark in case.get("spans") or []],
        "length": len(case["output"].split()),
        "overlap": overlap(case["output"], context.index),
        "claims": [
            {
                "start": claim.start,
                "end": claim.end,
                **asdict(item.signals),
                "tokens": placed(item, case["output"]) if case["set"].startswith(MARKED) else [],
                **({"quote": quotes[number]} if "evidence" in case else {}),
            }
            for number, (claim, item) in enumerate(zip(claims, found, strict=True))
        ],
        **({"by overlap": _decides(overlap_unit(case["context"], [case["output"]]), case)} if quotes else {}),
    }


def _decides(unit: Unit | None, case: Case) -> bool:
    return unit is not None and is_deciding(unit, case)


def quotes_of(
    case: Case, claims: Sequence[Claim], found: Sequence[Signals], context: ReadContext, network: Reads
) -> list[bool]:
    """Whether what is quoted for each claim decides it: the likeliest unit by the network, or what the judge quotes."""
    scores: list[dict[Unit, list[float]]] = [{} for _ in claims]
    if isinstance(network, Recorded):
        known = {" ".join(item.stated.split()): number for number, item in enumerate(found)}
        known |= {" ".join(item.said.split()): number for number, item in enumerate(found)}
        for reading in exam_readings(case, 0, context):
            places = tuple((target.start, target.end) for target in reading.claims)
            asked = Reading(reading.lead, reading.text, reading.evidence, places)
            for (start, end), tokens_of in zip(places, network.evidence(asked), strict=True):
                number = known.get(" ".join(reading.text[start:end].split()))
                if number is not None and tokens_of:
                    for unit, score in unit_scores(case["context"], reading.evidence, tokens_of).items():
                        scores[number].setdefault(unit, []).append(score)
    units = [max(item, key=lambda unit: float(np.mean(item[unit])), default=None) for item in scores]
    for number, item in enumerate(found):
        if units[number] is None and item.selection.best is not None:
            quote = context.quoted(item.selection.best)[0]
            units[number] = (quote.passage, quote.start, quote.end)
    return [_decides(unit, case) for unit in units]


Scores = list[list[tuple[Place, float]]]


def token_scores(case: Measured, supports: list[float], marking: Marking) -> Scores:
    """For each claim its tokens: their places in the output, and how doubtful each is."""
    return [
        [
            ((start, end), marking.score(Token(start, end, token["signs"]), supported))
            for token in claim["tokens"]
            for start, end in [token["at"]]
        ]
        for claim, supported in zip(case["claims"], supports, strict=True)
    ]


def called(scores: Scores, marking: Marking, above: float = 0.0) -> list[Place]:
    """The characters of the output that are called unsupported."""
    return [
        stretch for claim in scores for stretch in marking.stretches(place for place, score in claim if score >= above)
    ]


def evidence_found(case: Measured, supports: list[float]) -> dict[str, bool]:
    """Whether the quote for the least supported claim decides it, and whether the nearest sentence by words does."""
    if "by overlap" not in case:
        return {}
    least = int(np.argmin(supports))
    return {"quote": case["claims"][least]["quote"], "by overlap": case["by overlap"]}


_NETWORKS: dict[int, Recorded] = {}


def _job(job: tuple[Case, int]) -> tuple[str, int, int]:
    case, fold = job
    network = _NETWORKS[fold]
    asked, missed = network.asked, network.missed
    line = json.dumps({"fold": fold, **measured(case, network)})
    return line, network.asked - asked, network.missed - missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("packed", type=Path, help="the exam as it was packed")
    parser.add_argument("views", type=Path, help="the folder with the networks' views of it")
    parser.add_argument("out", type=Path, help="one JSON line a case, gzipped")
    parser.add_argument("--limit", type=int, help="cases a set, for a rehearsal")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    from training.prepare import folds_of

    tokenizer = tokenizer_at(options.tokenizer)
    for fold in range(-1, FOLDS):
        name = "full" if fold < 0 else f"fold{fold}"
        _NETWORKS[fold] = Recorded(options.packed, options.views / f"views_{name}.npz", tokenizer)
    jobs = list(exam_cases(options.data, folds_of(options.data), options.limit))
    asked = missed = 0
    with (
        gzip.open(options.out, "wt", encoding="utf-8") as out,
        multiprocessing.get_context("fork").Pool(options.workers) as pool,
    ):
        for number, (line, more, lost) in enumerate(pool.imap(_job, jobs, chunksize=16)):
            out.write(line + "\n")
            asked, missed = asked + more, missed + lost
            if number % 2000 == 0:
                print(number, "of", len(jobs), "cases,", missed, "of", asked, "readings not on record", flush=True)
    print(len(jobs), "cases,", missed, "of", asked, "readings not on record")


if __name__ == "__main__":
    main()
