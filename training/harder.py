"""Rows for what the first student was weak at, and for fitting the layer on top of it.

Right sentences of real outputs whose support has been taken out of the context; answers to questions as whole
sentences; fresh changes of one fact.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex, content_words
from training.corrupt import names
from training.rows import (
    BUDGETS,
    LABELS,
    Row,
    Spans,
    cached_index,
    evidence_for,
    is_kept,
    made_from,
    said_as,
    seed_of,
    statements,
)
from training.sets import Case, Source, read


def without_support(claim: str, passages: Sequence[str]) -> list[str] | None:
    """A context from which the support of a right statement has been taken: same topic, no longer saying it."""
    index = cached_index(tuple(passages))
    words = set(content_words(claim))
    total = sum(index.idf(word) for word in words)
    if index.total_words < 60 or len(words) < 4 or len(index.windows) < 4:
        return None
    shares = [
        sum(index.idf(w) for w in words & set(content_words(index.text(window)))) / total for window in index.windows
    ]
    cut = min(0.3, 0.95 * max(shares))
    rest = [index.text(window) for window, share in zip(index.windows, shares, strict=True) if share < cut]
    if not rest or max(shares) < 0.35:
        return None
    left = EvidenceIndex(rest)
    return rest if sum(index.idf(word) for word in words if left.has(word)) / total <= 0.65 else None


def _ablated(row: Row, case: Case, rng: random.Random) -> Iterator[Row]:
    rest = without_support(row.claim, case["context"])
    if rest is not None:
        evidence = EvidenceIndex(rest).select(row.claim, rng.choice(BUDGETS)).text
        yield replace(row, evidence=evidence, label=2, spans=None, made=True)


_WHEN = re.compile(
    r"^(?:when|where|in (?:what|which) \w+) (was|were|is|are) (.+?) "
    r"((?:\w+ed|born|held|built|found|made|set|written|won|sold|shot)\b.*?)\??$",
    re.IGNORECASE,
)
_WHAT_OF = re.compile(
    r"^(?:what|who|which \w+) (is|was|are|were) ((?:the|a|an|his|her|its|their) .+?|[A-Z].+?'s .+?)\??$", re.I
)


def _sentence(question: str, answer: str, rng: random.Random) -> str | None:
    """Question and answer as one sentence, the way models answer."""
    asked = question.strip()
    match = _WHEN.match(asked)
    if match:
        where = rng.choice(["in", "in", "on", "at"])
        return f"{match[2][0].upper()}{match[2][1:]} {match[1]} {match[3].strip()} {where} {answer}."
    match = _WHAT_OF.match(asked)
    if match:
        if rng.random() < 0.5:
            return f"{match[2][0].upper()}{match[2][1:].strip()} {match[1]} {answer}."
        return f"{answer[0].upper()}{answer[1:]} {match[1]} {match[2].strip()}."
    said = said_as(asked, answer, rng)
    return said if said != answer else None


def harder_rows(source: Source, data: Path, folds: dict[str, int] | None, limit: int | None = None) -> Iterator[Row]:
    """What the first student was weak at: support taken away, answers as sentences, and fresh changes."""
    rng = random.Random(seed_of("harder" + source.name))
    cases = list(read(data, source))
    rng.shuffle(cases)
    cases = cases[: min(source.limit, limit or source.limit)]
    contexts = [text for case in cases for text in case["context"][:3]]
    entities = [text[a:b] for text in contexts[:3000] for a, b in names(text[:600])][:20000]
    for case in cases:
        fold = -1 if folds is None else folds["\n".join(case["context"])]
        made = list(_harder(case, source, fold, cases, contexts, entities, rng))
        if not is_kept(case):
            yield from made


def _harder(
    case: Case,
    source: Source,
    fold: int,
    cases: Sequence[Case],
    contexts: Sequence[str],
    entities: Sequence[str],
    rng: random.Random,
) -> Iterator[Row]:
    question, answer = (case["input"] or "").strip(), case["output"].strip()
    short = len(answer.split()) <= 12
    if question and case["task"] == "qa" and short and answer:
        start = (case.get("meta") or {}).get("answer_start")
        text = "\n".join(case["context"])
        local = {**case, "context": [text if start is None else text[max(0, start - 1500) : start + 1500]]}
        options = [(answer, LABELS[case["label"]])]
        near = [local["context"][0][a:b] for a, b in names(local["context"][0])]
        pool = [
            *rng.sample(near, min(2, len(near))),
            *rng.sample(entities, min(2, len(entities))),
            rng.choice(cases)["output"].strip(),
        ]
        if case["label"] == "supported":
            options += [
                (item, 3)
                for item in rng.sample(pool, min(2, len(pool)))
                if item and item.lower() not in answer.lower() and answer.lower() not in item.lower()
            ]
        for item, label in options:
            said = _sentence(question, item, rng) if len(item.split()) <= 12 else None
            for claim in dict.fromkeys((said or item, item if rng.random() < 0.3 else said or item)):
                place = claim.find(item)
                spans: Spans | None = () if label == 0 else ((place, place + len(item)),) if place >= 0 else None
                evidence = evidence_for(local, question + " " + claim, contexts[:200], rng)
                shown = question if claim == item or rng.random() < 0.85 else ""
                yield Row(shown, evidence, claim, label, spans, source.name, fold, made=True)
        return
    if fold < 0 and not source.name.startswith(("factcg", "begin", "contractnli", "fever")):
        return
    for text, label, spans in statements(case):
        if label != 0 or len(text.split()) < 6:
            continue
        row = Row(question if rng.random() < 0.7 else "", "", text, 0, spans, source.name, fold, made=True)
        yield from _ablated(row, case, rng)
        if fold >= 0 and rng.random() < 0.5:
            yield from made_from(row, case, [rng.choice(contexts) for _ in range(4)], rng)
