"""From labelled cases to training pairs: a question, evidence, one claim, a label and the wrong characters.

A pair looks as it will at run time: the evidence is what `EvidenceIndex` selects from the context, under a
changing budget of words and among distractors, and the claim is one sentence of the output.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from pathlib import Path

from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex, content_words, sentences
from training.corrupt import corrupt, names
from training.sets import Case, Source, document_of, never_learnt, read

LABELS = {"supported": 0, "contradicted": 1, "unsupported": 2, "hallucinated": 3}
FOLDS = 3
BUDGETS = (60, 80, 100, 100, 100, 130, 170)
LONG = ("contractnli", "covidqa", "factcg", "qasper", "qed", "xquad", "begin_dev")
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One pair. `spans` are the wrong characters of the claim, None where nobody has marked them."""

    question: str
    evidence: str
    claim: str
    label: int
    spans: Spans | None
    name: str
    fold: int
    """The fold of the document, or -1 for the first stage."""
    made: bool = False


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Rows as lines of JSON, for the steps that follow."""
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        for row in rows:
            lines.write(json.dumps(astuple(row)) + "\n")


def read_rows(path: Path) -> Iterator[Row]:
    """Rows as `write_rows` wrote them."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            row[4] = None if row[4] is None else tuple(map(tuple, row[4]))
            yield Row(*row)


def seed_of(text: str) -> int:
    """A number that depends on the text alone."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def is_kept(case: Case) -> bool:
    """Whether the document of a case comes with the package, for its stress test, and is not learnt from."""
    return document_of(case) in never_learnt()


def fold_of_documents(cases: Sequence[Case]) -> dict[str, int]:
    """Folds over whole documents: contexts that share a sentence of eight words or more stay together."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for case in cases:
        text = "\n".join(case["context"])
        for start, end in sentences(text):
            piece = " ".join(content_words(text[start:end]))
            if len(piece.split()) >= 8:
                parent[root("s:" + piece)] = root("d:" + text)
        root("d:" + text)
    return {key[2:]: seed_of(root(key)) % FOLDS for key in list(parent) if key.startswith("d:")}


def statements(case: Case) -> Iterator[tuple[str, int, Spans | None]]:
    """The sentences of an output with their labels, as far as the set tells them apart."""
    output: str = case["output"]
    label = LABELS[case["label"]]
    marks = case.get("spans")
    pieces = sentences(output)
    if len(pieces) <= 1 and not marks:
        yield output, label, () if label == 0 else None
        return
    if marks is None and label != 0:
        yield output, label, None
        return
    for start, end in pieces:
        inside = [m for m in marks or [] if m["start"] < end and m["end"] > start]
        spans = tuple((max(0, m["start"] - start), min(end, m["end"]) - start) for m in inside)
        kind = 0
        if inside:
            kind = 1 if any(m.get("label") == "contradicted" for m in inside) else LABELS.get(inside[0].get("label"), 3)
        # The answers written for this project mark whole sentences: that says which is wrong, not where in it.
        whole = bool(inside) and case["set"].startswith("written")
        yield output[start:end], kind, None if whole else spans


@lru_cache(maxsize=4)
def cached_index(passages: tuple[str, ...]) -> EvidenceIndex:
    """The index of a context; the last few are kept, since a context comes back for each of its claims."""
    return EvidenceIndex(passages)


def evidence_for(case: Case, claim: str, others: Sequence[str], rng: random.Random) -> str:
    """Evidence under a random budget; short contexts are sometimes put among sentences of other documents."""
    passages = list(case["context"])
    budget = rng.choice(BUDGETS)
    index = cached_index(tuple(passages))
    if index.total_words < budget - 15 and rng.random() < 0.35 and others:
        for _ in range(rng.randint(1, 5)):
            text = rng.choice(others)
            cut = sentences(text)
            if cut:
                start, end = rng.choice(cut)
                passages.insert(rng.randint(0, len(passages)), text[start:end])
        index = EvidenceIndex(passages)
    return index.select(claim, budget).text


def made_from(row: Row, case: Case, others: Sequence[str], rng: random.Random) -> Iterator[Row]:
    """A wrong statement made from a right one."""
    change = corrupt(row.claim, case["context"] if rng.random() < 0.7 else [*case["context"], rng.choice(others)], rng)
    if change is None:
        return
    text, span, kind = change
    label = 1 if kind in ("negation", "opposite", "number", "roles") else 3
    evidence = evidence_for(case, text, others, rng)
    yield replace(row, claim=text, evidence=evidence, label=label, spans=(span,), made=True)


def _from_passage(
    case: Case, name: str, fold: int, others: Sequence[str], count: int, rng: random.Random
) -> Iterator[Row]:
    """Statements made from the passage itself: its own sentences, sentences with a change, sentences it lacks."""
    text = "\n".join(case["context"])
    if len(text) > 10_000:
        first = rng.randrange(0, len(text) - 9_000)
        text = text[text.find(" ", first) + 1 : first + 9_000]
        case = {**case, "context": [text]}
    cut = [(a, b) for a, b in sentences(text) if 7 <= len(text[a:b].split()) <= 45]
    for start, end in rng.sample(cut, min(count, len(cut))):
        sentence = text[start:end]
        base = Row("", "", sentence, 0, (), name, fold, made=True)
        kind = rng.random()
        if kind < 0.12 and len(cut) > 1:
            a, b = rng.choice([place for place in cut if place != (start, end)])
            parts = [(sentence, 0), (text[a:b], 0)]
            if rng.random() < 0.6:
                change = corrupt(text[a:b], case["context"], rng)
                parts[1] = (change[0], 3) if change else parts[1]
            yield from _joined(case, name, fold, parts, others, rng)
            continue
        if kind < 0.3:
            yield replace(base, evidence=evidence_for(case, sentence, others, rng))
        elif kind < 0.75:
            yield from made_from(base, case, others, rng)
        else:
            rest = [text[:start], text[end:]]
            known = set(content_words(" ".join(rest)))
            new = [word for word in content_words(sentence) if word not in known]
            if len(new) >= 3 and any(part.strip() for part in rest):
                less = {**case, "context": [part for part in rest if part.strip()]}
                yield replace(base, evidence=evidence_for(less, sentence, others, rng), label=2, spans=None)


def _joined(
    case: Case, name: str, fold: int, parts: Sequence[tuple[str, int]], others: Sequence[str], rng: random.Random
) -> Iterator[Row]:
    """Two statements about one document as one sentence: right only if both are."""
    (left, first), (right, second) = rng.sample(list(parts), 2)
    if rng.random() < 0.3:
        text = f"{left.rstrip()} {right}"
    else:
        head = right if right[:2].isupper() or names("x " + right.split(" ")[0]) else right[0].lower() + right[1:]
        text = left.rstrip(" .") + rng.choice([", and ", "; ", ", while ", ", and "]) + head
    spans: list[tuple[int, int]] = []
    if first:
        spans.append((0, len(left.rstrip(" ."))))
    if second:
        spans.append((len(text) - len(right), len(text)))
    wrong = {first, second} - {0}
    label = 0 if not wrong else 1 if 1 in wrong else 3 if 3 in wrong else 2
    yield Row("", evidence_for(case, text, others, rng), text, label, tuple(spans), name, fold, made=True)


_SUBJECT = re.compile(
    r"^(?:who|what|which(?: \w+)?)\s+((?:is|was|are|were|has|had|did|won|wrote|led|made|can|will|\w+ed|\w+s)\b.*?)\??$",
    re.I,
)
_MIDDLE = re.compile(r"^(.*\b(?:in|on|at|from|by|of|with|to|for|is|was)) (?:which|what)(?: \w+)?\s*\??$", re.I)


def said_as(question: str, answer: str, rng: random.Random) -> str:
    """A short answer, or the same answer as a sentence, so that length tells nothing."""
    if rng.random() < 0.35:
        return answer
    subject = _SUBJECT.match(question.strip())
    if subject and not subject.group(1).lower().startswith(("did ", "are ", "is the", "was the", "were ")):
        return f"{answer[0].upper()}{answer[1:]} {subject.group(1).strip()}."
    middle = _MIDDLE.match(question.strip())
    if middle:
        return f"{middle.group(1)} {answer}."
    return answer


def _answers(case: Case, name: str, fold: int, pool: Sequence[Case], rng: random.Random) -> Iterator[Row]:
    """Right and wrong answers to a question: another name or number of the passage, another question's answer."""
    question, answer = case["input"].strip(), case["output"].strip()
    if not answer or len(answer.split()) > 40:
        return
    text = "\n".join(case["context"])
    others = [item["context"][0] for item in rng.sample(pool, min(20, len(pool)))]
    start = (case.get("meta") or {}).get("answer_start")
    near = text if start is None else text[max(0, start - 1500) : start + 1500]
    local = {**case, "context": [near]}
    base = Row(question, "", answer, 0, (), name, fold)
    for _ in range(2):
        said = said_as(question, answer, rng)
        yield replace(base, claim=said, evidence=evidence_for(local, question + " " + answer, others, rng))
    wrong: list[str] = []
    if re.search(r"\d", answer):
        change = corrupt(answer, [near], rng)
        wrong += [change[0]] if change and change[2] == "number" else []
        wrong += re.findall(r"\b\d[\d,]{2,}\b", near)[:3]
    if names("x " + answer):
        wrong += [near[a:b] for a, b in names(near)]
    wrong += [
        item["output"].strip() for item in pool if item["context"] == case["context"] and item["input"] != case["input"]
    ]
    wrong += [rng.choice(pool)["output"].strip()]
    wrong = [
        item for item in wrong if item and item.lower() not in answer.lower() and answer.lower() not in item.lower()
    ]
    rng.shuffle(wrong)
    for item in wrong[:2]:
        said = said_as(question, item, rng)
        spans: Spans = ((said.find(item), said.find(item) + len(item)),) if item in said else ((0, len(said)),)
        yield replace(
            base,
            claim=said,
            label=3,
            spans=spans,
            made=True,
            evidence=evidence_for(local, question + " " + (answer if rng.random() < 0.7 else item), others, rng),
        )
    sentence = next((near[a:b] for a, b in sentences(near) if answer in near[a:b]), None)
    if sentence and len(sentence.split()) < 45:
        right = Row("", "", sentence, 0, (), name, fold, made=True)
        yield from made_from(right, local, others, rng)


def _summary_sentences(cases: Sequence[Case]) -> dict[str, list[tuple[str, int]]]:
    """Sentences of edited summaries whose label follows from the unedited ones of the same document."""
    right: dict[str, set[str]] = {}
    for case in cases:
        if case["label"] == "supported":
            known = right.setdefault(case["context"][0], set())
            known.update(case["output"][a:b] for a, b in sentences(case["output"]))
    found: dict[str, list[tuple[str, int]]] = {}
    for case in cases:
        pieces = [case["output"][a:b] for a, b in sentences(case["output"])]
        known = right.get(case["context"][0], set())
        new = [piece for piece in pieces if piece not in known]
        if len(pieces) > 1 and len(new) == 1 and case["label"] != "supported":
            found[case["id"]] = [(piece, 3 if piece in new else 0) for piece in pieces]
    return found


def rows_of(source: Source, data: Path, folds: dict[str, int] | None, limit: int | None = None) -> Iterator[Row]:
    """The pairs of one set."""
    rng = random.Random(seed_of(source.name))
    cases = list(read(data, source))
    rng.shuffle(cases)
    cases = cases[: min(source.limit, limit or source.limit)]
    contexts = [text for case in cases for text in case["context"][:3]]
    located = _summary_sentences(cases) if source.name == "summedits" else {}
    seen: set[str] = set()
    told: Told = {}
    for case in cases:
        document = "\n".join(case["context"])
        made = list(_rows_of_case(case, source, folds, cases, contexts, located, told, document in seen, rng))
        seen.add(document)
        # Dropped only now: the chances of the rows that follow, and so the teacher's views of them, stay the same.
        if not is_kept(case):
            yield from made
    for case in cases:
        document = "\n".join(case["context"])
        parts = told.pop(document, [])
        if len({text for text, _ in parts}) >= 2:
            for _ in range(min(6, len(parts))):
                fold = -1 if folds is None else folds[document]
                made = list(_joined(case, source.name, fold, parts, contexts[:50], rng))
                if not is_kept(case):
                    yield from made


QA_ONLY = ("covidqa_all", "qasper_ni_train", "qed_dev", "xquad_en_test")
"""Sets that have right answers only."""
Told = dict[str, list[tuple[str, int]]]


def _rows_of_case(
    case: Case,
    source: Source,
    folds: dict[str, int] | None,
    cases: Sequence[Case],
    contexts: Sequence[str],
    located: dict[str, list[tuple[str, int]]],
    told: Told,
    again: bool,
    rng: random.Random,
) -> Iterator[Row]:
    """The pairs of one case; of a document that came before, only those of the case itself."""
    document = "\n".join(case["context"])
    fold = -1 if folds is None else folds[document]
    others = [rng.choice(contexts) for _ in range(6)]
    if source.name in QA_ONLY:
        yield from _answers(case, source.name, fold, cases, rng)
    else:
        question = (case["input"] or "").strip()
        pieces = list(statements(case))
        pieces += [(text, label, () if label == 0 else None) for text, label in located.get(case["id"], [])]
        for text, label, spans in pieces:
            if not text.strip():
                continue
            short = len(text.split()) < 6
            shown = question if short or rng.random() < 0.7 else ""
            row = Row(
                shown,
                evidence_for(case, shown + " " + text if short else text, others, rng),
                text,
                label,
                spans,
                source.name,
                fold,
            )
            yield row
            if case["task"] == "claim":
                told.setdefault(document, []).append((text, label))
            if label == 0 and not short and rng.random() < 0.08:
                far = {**case, "context": [rng.choice(contexts) for _ in range(12)]}
                yield replace(
                    row, question="", evidence=evidence_for(far, text, [], rng), label=2, spans=None, made=True
                )
            if label == 0 and rng.random() < (0.5 if folds is not None else 0.25):
                yield from made_from(row, case, others, rng)
    if not again:
        if folds is not None:
            yield from _from_passage(case, source.name, fold, others, 4, rng)
        elif source.name.startswith(LONG):
            for _ in range(min(8, 1 + len(document) // 5000)):
                yield from _from_passage(case, source.name, fold, others, 16 if len(document) > 2500 else 8, rng)
