"""Signals of the judge on labelled cases, written once and used for fitting and for the figures.

Sets that the model was trained on are read by the fold model that has not seen the document, and so are the
figures on them; all others by the model that ships.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halluscope._internal.embedded.claims.extracting import extract
from halluscope._internal.embedded.deciding.fusion import ClaimSignals
from halluscope._internal.embedded.deciding.marking import in_output, tokens
from halluscope._internal.embedded.deciding.signals import Measured as Signals
from halluscope._internal.embedded.deciding.signals import measure
from halluscope._internal.embedded.network.model import PairModel, load
from halluscope._internal.embedded.reading.context import ReadContext
from halluscope._internal.embedded.reading.evidence import EvidenceIndex, content_words
from halluscope._internal.errors import InputError
from halluscope._internal.measuring.stress.answers import from_passage
from halluscope._internal.measuring.stress.mutation import mutants
from halluscope._internal.questions import Passage
from halluscope._internal.verdict import Claim
from training.harder import without_support
from training.rows import FOLDS, fold_of_documents, seed_of, statements
from training.sets import Case, read, sources

Measured = dict[str, Any]
MARKED = "ragtruth"
"""The set whose wrong characters are known, and that the marking is fitted on."""
SIGNALS = tuple(ClaimSignals.__dataclass_fields__)
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
}
OTHERS = 900
"""Cases a set; the large ones are sampled by a hash of their ids."""


def signals_of(claim: dict[str, Any]) -> ClaimSignals:
    """The signals of a claim as they were written down."""
    return ClaimSignals(**{name: claim[name] for name in SIGNALS})


def placed(item: Signals, output: str, claim: Claim) -> list[dict[str, Any]]:
    """The tokens of a claim that stand in the output: their places there and their signs."""
    found = tokens(item)
    places = in_output(((t.start, t.end) for t in found), item.stated, output, claim.start or 0, claim.end or 0)
    return [
        {"at": place, "signs": {name: round(value, 4) for name, value in token.signs.items()}}
        for token, place in zip(found, places, strict=True)
        if place is not None
    ]


def overlap(output: str, index: EvidenceIndex) -> float:
    """The part of the output's words that occur in the context: the trivial judge to beat."""
    words = set(content_words(output))
    return sum(index.has(word) for word in words) / max(1, len(words))


def measured(case: Case, model: PairModel) -> dict[str, Any]:
    """The claims of a case with their signals, and what is needed to score them."""
    context = ReadContext([Passage(number, text) for number, text in enumerate(case["context"])])
    claims = extract(case["output"], case["input"])
    found = measure([claim.text for claim in claims], context, model, case["input"])
    return {
        "id": case["id"],
        "set": case["set"],
        "task": case["task"],
        "label": case["label"],
        "spans": [[mark["start"], mark["end"]] for mark in case.get("spans") or []],
        "length": len(case["output"].split()),
        "overlap": overlap(case["output"], context.index),
        "claims": [
            {
                "start": claim.start,
                "end": claim.end,
                **asdict(item.signals),
                "tokens": placed(item, case["output"], claim) if case["set"] == MARKED else [],
            }
            for claim, item in zip(claims, found, strict=True)
        ],
    }


def sample(data: Path, name: str, count: int) -> list[Case]:
    """The same cases each time: ordered by a hash of their id."""
    source = next(item for use in ("folds", "measure") for item in sources(use) if item.name == name)
    cases = list(read(data, source))
    cases.sort(key=lambda case: seed_of("sample" + case["id"]))
    return cases[:count]


def ablated(data: Path, count: int) -> list[Case]:
    """Right sentences of real outputs, each with its context and with a context that no longer says it."""
    found: list[Case] = []
    for case in sample(data, "ragtruth", 10_000):
        right = [text for text, label, _ in statements(case) if label == 0 and len(text.split()) >= 8]
        right.sort(key=seed_of)
        for text in right[:1]:
            rest = without_support(text, case["context"])
            if rest is not None:
                shared = {**case, "output": text, "spans": None, "task": "claim", "set": "ragtruth_ablated"}
                found.append({**shared, "id": case["id"] + "-kept", "label": "supported"})
                found.append(
                    {
                        **shared,
                        "id": case["id"] + "-cut",
                        "label": "unsupported",
                        "context": rest,
                        "document": case["context"],
                    }
                )
    return found[: 2 * count]


def copied(data: Path, count: int) -> list[Case]:
    """Answers made of a passage's own sentences, as they are and with one thing changed.

    The company of claims that hold must not excuse the one that does not.
    """
    written = [case for source in sources("folds") if source.folder == "written" for case in read(data, source)]
    passages = {"\n".join(case["context"]): case for case in written}
    found: list[Case] = []
    for text in sorted(passages, key=seed_of)[:count]:
        try:
            answer = from_passage(passages[text]["context"])
        except InputError:  # a passage without sentences to take
            continue
        made = mutants(answer)
        made.sort(key=lambda mutant: seed_of(mutant.kind + text))
        shared = {**passages[text], "input": None, "spans": None, "task": "claim", "set": "copied"}
        outputs = [("", answer.output, True)]
        outputs += [(m.kind, m.output, True) for m in made if m.harmless][:1]
        outputs += [(m.kind, m.output, False) for m in made if not m.harmless][:2]
        for kind, output, holds in outputs:
            label = "supported" if holds else "hallucinated"
            found.append({**shared, "id": f"copied-{seed_of(text)}-{kind}", "output": output, "label": label})
    return found


_MODELS: list[PairModel] = []


def _open(paths: list[Path | None]) -> None:
    _MODELS[:] = [load(path, threads=1) for path in paths]


def _job(job: tuple[Case, int]) -> str:
    return json.dumps({"fold": job[1] - 1, **measured(job[0], _MODELS[job[1]])})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path, help="one JSON line a case, gzipped")
    parser.add_argument("--model", type=Path, help="the folder of the model that ships; the package's own by default")
    parser.add_argument("--folds", type=Path, nargs=FOLDS, required=True, help="the folders of the fold models")
    parser.add_argument("--count", type=int, help="cases a set; by default as the table of the model card says")
    parser.add_argument("--ablated", type=int, default=350, help="pairs of sentences with and without their support")
    parser.add_argument("--copied", type=int, default=350, help="passages whose own sentences are made an answer")
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    second = sources("folds")
    folds = fold_of_documents([case for source in second for case in read(options.data, source)])
    learned = {source.name for source in second}
    names = options.sets or [source.name for use in ("folds", "measure") for source in sources(use)]
    work = []
    for name in names:
        for case in sample(options.data, name, options.count or COUNTS.get(name, OTHERS)):
            work.append((case, 1 + folds["\n".join(case["context"])] if name in learned else 0))
    for case in ablated(options.data, options.ablated):
        work.append((case, 1 + folds["\n".join(case.get("document") or case["context"])]))
    for case in copied(options.data, options.copied):
        work.append((case, 1 + folds["\n".join(case["context"])]))
    random.Random(0).shuffle(work)
    paths = [options.model, *options.folds]
    with (
        multiprocessing.Pool(options.workers, _open, (paths,)) as pool,
        gzip.open(options.out, "wt", encoding="utf-8") as out,
    ):
        for line in pool.imap(_job, work, chunksize=8):
            out.write(line + "\n")
    print(len(work), "cases", flush=True)


if __name__ == "__main__":
    main()
