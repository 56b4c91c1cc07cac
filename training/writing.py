"""What the untouched model is asked to write, and how its replies become sentences to be judged.

`tell` are short accounts of a document, `ask` answers to a question about it, `astray` answers to a question about
another document, `reword` right claims said otherwise, `twist` right claims with one detail changed. No reply is taken
at its word: whether its sentences hold is for a teacher to say.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex
from halluscope._internal.judges.embedded.reading.judged_text import judged
from training.readings import BUDGETS as LED_BUDGETS
from training.readings import UNKNOWN, answer_readings, pieces_of
from training.rows import BUDGETS, Row, is_kept, seed_of
from training.sets import Case, Source, document_of, read, sources

ABOUT = tuple("begin contractnli covidqa factcg fever fm2 qasper qed true_dialfact tweetqa xquad".split())
"""Sets of the first stage that are written about: answers and claims against documents, not pairs of sentences."""
DOCUMENTS = 300
"""Documents a set."""
SHOWN_WORDS = 900
"""Words of a document that the model is shown."""
TOLD_WORDS = 30
"""A shorter document is not worth an account."""
SHARES = {"tell": 1.0, "ask": 0.9, "astray": 0.25, "reword": 0.6, "twist": 0.6}
"""How many documents get each kind of request, where they can."""
ASKED = {
    "tell": (
        "Sum up the text below in three to five full sentences.",
        "Tell a colleague who has no time to read the text below what it says, in one short paragraph.",
        "Write a brief on the text below for a meeting: four sentences, with the figures that matter.",
        "What are the main points of the text below? Answer in plain sentences, without a list.",
    ),
    "ask": (
        "Answer the question from the text below, in one to three sentences.",
        "Use the text below to answer the question. Give the reason as well, in full sentences.",
    ),
    "reword": (
        "Say the following sentence in quite different words that mean the same. Reply with the sentence alone.",
        "Write the following sentence anew as another author would put it. Reply with the new sentence alone.",
    ),
    "twist": (
        "Change one detail of the following sentence (a name, a number, a date, who did it, or how sure it is) so that"
        " it is no longer true. Keep all the rest. Reply with the changed sentence alone.",
        "Write the following sentence in other words, but get one fact in it wrong on purpose. Reply with the sentence"
        " alone.",
    ),
}
ASKED["astray"] = ASKED["ask"]
SENTENCE = ("reword", "twist")
"""Requests for one sentence."""


@dataclass(frozen=True, slots=True)
class Request:
    """Something for the model to write, about a case: its context, its question (or another's) and its fold."""

    kind: str
    text: str
    case: Case
    fold: int
    led: bool
    """Whether its sentences are read with a lead: those about the contexts of our own answers are."""


def _documents(source: Source, data: Path, limit: int | None) -> list[list[Case]]:
    """The cases of a set by document, without what is kept; chosen by a hash, so the same each time."""
    by_document: dict[str, list[Case]] = {}
    for case in read(data, source):
        if not is_kept(case):
            by_document.setdefault("\n".join(case["context"]), []).append(case)
    chosen = sorted(by_document, key=lambda text: seed_of("writing" + text))
    return [by_document[text] for text in chosen[: min(DOCUMENTS, limit or DOCUMENTS)]]


def _shown(passages: Sequence[str]) -> str:
    words = 0
    kept = []
    for passage in passages:
        kept.append(" ".join(passage.split(" ")[: max(0, SHOWN_WORDS - words)]))
        words += len(passage.split(" "))
    return "\n\n".join(part for part in kept if part)


def requests_for(
    cases: Sequence[Case], stranger: Case | None, fold: int, led: bool, rng: random.Random
) -> Iterator[Request]:
    """What is asked about one document; `stranger` is a case of another document, whose question leads astray."""

    def wanted(kind: str) -> bool:
        return rng.random() < SHARES[kind]

    case = rng.choice(list(cases))
    text = _shown(case["context"])
    plain = {**case, "input": None}
    if len(text.split()) >= TOLD_WORDS and wanted("tell"):
        yield Request("tell", f"{rng.choice(ASKED['tell'])}\n\n{text}", plain, fold, led)
    question = (case["input"] or "").strip()
    if question and wanted("ask"):
        said = f"{rng.choice(ASKED['ask'])}\n\n{text}\n\nQuestion: {question}"
        yield Request("ask", said, case, fold, led)
    other = ((stranger or {}).get("input") or "").strip()
    if other and wanted("astray"):
        said = f"{rng.choice(ASKED['astray'])}\n\n{text}\n\nQuestion: {other}"
        yield Request("astray", said, {**case, "input": other}, fold, led)
    right = [item for item in cases if item["label"] == "supported" and 6 <= len(item["output"].split()) <= 45]
    right = [item for item in right if len(pieces_of(item["output"])) == 1]
    for kind in SENTENCE:
        if right and wanted(kind):
            item = rng.choice(right)
            said = f"{rng.choice(ASKED[kind])}\n\n{item['output'].strip()}"
            yield Request(kind, said, item, fold, led)


def all_requests(data: Path, folds: Mapping[str, int], limit: int | None = None) -> list[Request]:
    """Everything that is asked, set by set."""
    found: list[Request] = []
    base = [source for source in sources("base") if source.name.startswith(ABOUT)]
    for source in [*base, *sources("folds"), *sources("answers")]:
        rng = random.Random(seed_of("writing" + source.name))
        documents = _documents(source, data, limit)
        by_fold: dict[int, list[list[Case]]] = {}
        for cases in documents:
            name = document_of(cases[0]) if source.use == "answers" else "\n".join(cases[0]["context"])
            by_fold.setdefault(-1 if source.use == "base" else folds[name], []).append(cases)
        for fold, mine in sorted(by_fold.items()):
            for number, cases in enumerate(mine):
                # The question that leads astray comes from the same fold, so that no fold learns from another.
                stranger = rng.choice(mine[(number + 1) % len(mine)]) if len(mine) > 1 else None
                found += requests_for(cases, stranger, fold, source.use == "answers", rng)
    return found


def sentences_of(request: Request, reply: str, whole: bool) -> Iterator[Row]:
    """The sentences of a reply, each with its evidence, their label unknown; what was cut off is left out."""
    reply = reply.strip()
    if request.kind in SENTENCE:
        reply = reply.split("\n")[0].strip().strip('"“”')
        if not whole or reply == request.case["output"].strip():
            return
    rng = random.Random(seed_of(request.text + reply))
    read_as = judged(reply).text
    places = pieces_of(read_as)
    if not whole:
        reply, places = read_as[: places[-1][0]].rstrip(), places[:-1]
    if not places or not reply:
        return
    index, name = EvidenceIndex(request.case["context"]), request.case["set"]
    made: Iterator[Row]
    if request.led:
        answer = {**request.case, "output": reply, "label": "supported", "spans": None}
        readings = answer_readings(answer, request.fold, index, rng.choice(LED_BUDGETS), None, single=True)
        made = (Row(r.lead, r.evidence, r.text, UNKNOWN, None, name, request.fold, made=True) for r in readings)
    else:
        made = _alone([read_as[a:b] for a, b in places], request, index, rng)
    for row in made:
        if 4 <= len(row.claim.split()) <= 60:
            yield row


def _alone(said: Sequence[str], request: Request, index: EvidenceIndex, rng: random.Random) -> Iterator[Row]:
    """Sentences without a lead, now and then with their question."""
    question = (request.case["input"] or "").strip() if request.kind in ("ask", "astray") else ""
    for claim in said:
        shown = question if rng.random() < 0.3 else ""
        evidence = index.select(f"{shown} {claim}".strip(), rng.choice(BUDGETS)).text
        yield Row(shown, evidence, claim, UNKNOWN, None, request.case["set"], request.fold, made=True)
