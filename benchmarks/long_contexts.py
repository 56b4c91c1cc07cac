"""What a judge loses where the text it needs stands among others of its kind.

    python -m benchmarks.long_contexts [--judge local] [--metric label] [--count 264] [--least 1000] [--seed 0]

Takes the answers of the RAG benchmark that comes with the package and judges each twice: with its own context, and
with five to ten other documents of its domain around it, until there are at least so many words. One of them is a twin:
the same document with other names and numbers. Prints the balanced accuracy of both and the difference, with a 95 %
interval that draws whole documents. `--count` takes so many of the 264 documents (eight answers each).
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Sequence

import numpy as np
from msgspec import structs

from halluscope import Interval
from halluscope._internal.engine import metrics
from halluscope._internal.engine.judge import resolve
from halluscope._internal.proof.bench.judge_run import JudgeRun, run_judge
from halluscope._internal.proof.sets.public_sets import load_set
from halluscope._internal.proof.stress.changes.change_date import MONTHS, WEEKDAYS
from halluscope._internal.proof.stress.changes.change_name import inner_names
from halluscope._internal.runs.labelled_case import LabelledCase
from halluscope._internal.stats.bootstrap import percentiles, replicates
from halluscope._internal.stats.confusion import Counting

FEWEST, MOST = 5, 10
MOST_WORDS = 3000
WANTED = 0.03
NAMES = """
    Abendroth Brightmoor Calderon Dunsinane Ellingham Farnworth Galbraith Hestermann Inchbald Jorvik Kestrel Lanyon
    Mirabeau Nethercott Ombersley Pellegrin Quennell Rothbury Skelmersdale Tregarth Umberleigh Vandermeer Wexcombe
    Yardley Zellweger Aldington Bascombe Crowhurst Delamere Eversholt Fotheringay Gedney Hollesley Ipplepen Jevington
    Kilworth Lostwithiel Masham Nunney Oxhill
""".split()
_NUMBER = re.compile(r"(?<![\d:.,/–-])(?:\d{1,3}(?:,\d{3})+|\d{2,6})(?![\w:/–-]|[.,]\d)|(?<=[A-Z]-)\d{2,6}\b")
_WORD = re.compile(r"\b[^\W\d_]+\b")
_CALENDAR = frozenset(word[:3] for word in (*MONTHS, *WEEKDAYS))
_DAYS = 31
"""A number up to this may be a day of a month, and stays."""

Document = list[LabelledCase]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="local")
    parser.add_argument("--metric", default="label")
    parser.add_argument("--count", type=int, help="so many documents, drawn by seed; all without it")
    parser.add_argument("--least", type=int, default=1000, help="words that the longer contexts should have")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    documents = by_document(load_set("rag").cases)
    names = sorted(documents)
    chosen = sorted(random.Random(options.seed).sample(names, options.count)) if options.count else names
    short = [item for name in chosen for item in documents[name]]
    long = [
        structs.replace(item, case=structs.replace(item.case, context=context))
        for name in chosen
        for context in (surrounded(name, documents, options.least, options.seed),)
        for item in documents[name]
    ]
    judge, metric = resolve(options.judge), metrics.resolve(options.metric)
    for title, items in (("own context", short), ("among others", long)):
        words = [sum(len(text.split()) for text in item.case.context or ()) for item in items]
        print(f"{title}: {min(words):,} to {max(words):,} words, {np.mean(words):,.0f} on average", flush=True)
    run_judge(short[:1], judge, metric)  # what is loaded once is not counted as time
    runs = [run_judge(items, judge, metric) for items in (short, long)]
    return report(runs[0], runs[1])


def by_document(cases: Sequence[LabelledCase]) -> dict[str, Document]:
    """The answers by the text they are about."""
    found: dict[str, Document] = {}
    for item in cases:
        found.setdefault(str(item.case.metadata["document"]), []).append(item)
    return found


def surrounded(name: str, documents: dict[str, Document], least: int, seed: int) -> tuple[str, ...]:
    """A document's passages somewhere among those of others of its domain, and of a twin of its own."""
    rng = random.Random(f"{seed} {name}")
    own = _context(documents[name])
    domain = documents[name][0].case.metadata["domain"]
    kin = [d for d in documents.values() if d[0].case.metadata["domain"] == domain and _context(d) != own]
    rng.shuffle(kin)
    around = [twin(own, rng)]
    words = _words(own) + _words(around[0])
    for other in kin:
        enough = len(around) >= FEWEST and words >= least
        if enough or len(around) >= MOST or words + _words(_context(other)) > MOST_WORDS:
            break
        around.append(_context(other))
        words += _words(_context(other))
    around.insert(rng.randrange(len(around) + 1), own)
    return tuple(passage for document in around for passage in document)


def twin(context: tuple[str, ...], rng: random.Random) -> tuple[str, ...]:
    """The same text about others: names, identifiers, and numbers above 31 are other ones."""
    text = "\n".join(context)
    names = sorted(word for word in inner_names(text) if len(word) > 2 and word[:3] not in _CALENDAR)
    put = dict(zip(names, rng.sample(NAMES, min(len(NAMES), len(names))), strict=False))
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        written = match.group()
        value = int(written.replace(",", ""))
        if value <= _DAYS:
            return written
        if 1800 <= value < 2100 and "," not in written:
            other = str(value - rng.randint(2, 9))
        else:
            other = format(round(value * rng.uniform(1.15, 1.6)) + 3, "," if "," in written else "")
        return numbers.setdefault(written, other)

    renamed = (_WORD.sub(lambda m: put.get(m.group(), m.group()), passage) for passage in context)
    return tuple(_NUMBER.sub(number, passage) for passage in renamed)


def report(short: JudgeRun, long: JudgeRun) -> int:
    """Both figures, and what lies between them."""
    pairs = [(a, b) for a, b in zip(short.judged, long.judged, strict=True) if None not in (a.flagged, b.flagged)]
    truth = np.array([a.item.hallucinated for a, _ in pairs], dtype=np.bool_)
    known: dict[str, int] = {}
    clusters = np.array([known.setdefault(str(a.item.case.metadata["document"]), len(known)) for a, _ in pairs])
    counting = [
        Counting(truth, np.array([bool(pair[side].flagged) for pair in pairs], dtype=np.bool_)) for side in (0, 1)
    ]

    def figure(side: int, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return counting[side](weights).balanced_accuracy

    def interval(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
        found: Interval | None = percentiles(values)
        return "" if found is None else f" ({found.low:.3f} to {found.high:.3f})"

    ones, n = np.ones(len(pairs)), len(pairs)
    for side, title in ((0, "own context"), (1, "among others")):
        counts = counting[side](ones)
        drawn = replicates(lambda w, side=side: figure(side, w), n, clusters=clusters)  # type: ignore[misc]
        print(
            f"{title}: balanced accuracy {counts.balanced_accuracy:.3f}{interval(drawn)}, wrong answers found "
            f"{counts.tp / max(1, counts.tp + counts.fn):.3f}, right answers left alone "
            f"{counts.tn / max(1, counts.tn + counts.fp):.3f}"
        )
    lost = figure(0, ones) - figure(1, ones)
    drawn = replicates(lambda w: figure(0, w) - figure(1, w), n, clusters=clusters)
    changed = sum(a.flagged != b.flagged for a, b in pairs)
    print(f"lost: {lost:.3f}{interval(drawn)}; at most {WANTED} is wanted. {changed} of {n} verdicts changed.")
    print(f"without a verdict in one of the two: {len(short.judged) - n} of {len(short.judged)}")
    print(f"time a case, among others to own context: {long.seconds / short.seconds:.1f} times")
    return 0


def _context(document: Document) -> tuple[str, ...]:
    return tuple(document[0].case.context or ())


def _words(context: tuple[str, ...]) -> int:
    return sum(len(text.split()) for text in context)


if __name__ == "__main__":
    sys.exit(main())
