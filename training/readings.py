"""What the network learns from: readings.

A reading is one pass of the network: a lead (the question, and what the answer said before), a piece of an answer with
one or more claims in it, and evidence. Each claim is judged over its own tokens, so that the claims of an answer share
their evidence, and one claim with its lead is only the smallest case of the same thing.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from halluscope._internal.judges.embedded.network.model import KINDS
from halluscope._internal.judges.embedded.network.passes import evidence_within, groups_of, lead_of
from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex, content_words, sentences
from halluscope._internal.judges.embedded.reading.judged_text import judged
from training.deciding import located, units
from training.rows import LABELS, Row, seed_of
from training.sets import Case, document_of, never_learnt, own_answers, read, sources
from training.variants import Names, changed, renamed

UNKNOWN = 9
"""A claim that has no label, only a teacher's view (or, in a bag, not even that)."""
_KIND_OF = {
    "number": "number wrong_number arithmetic unit wrong_unit precision approx scale",
    "date": "date wrong_date time",
    "name": "name wrong_entity place object source material method category",
    "role": "role swapped_roles swap relation",
    "binding": "wrong_binding merged_facts attribution",
    "status": "wrong_status modality condition undecided outcome",
    "negation": "negation direction",
    "order": "order wrong_order comparison rank",
    "cause": "causal cause reason effect consequence purpose",
    "generalised": "overgeneral quantifier wrong_quantifier toofar scope degree",
    "invented": "invented_detail detail topic offtext subjective speculative speculation judgement",
    "premise": "question_premise",
}
_KINDS = {word: KINDS.index(kind) for kind, words in _KIND_OF.items() for word in (kind, *words.split())}
NO_FOLD = 9
"""The fold of readings that belong to no document."""
BUDGETS = (90, 150, 220, 330)
"""Words of evidence; at run time the judge begins with few and takes more where it is not sure."""
DRAWS = 4
"""How often each kind of change is drawn for a right answer of ours; what comes out twice is taken once."""
RENAMED = 0.5
"""How many of the changed answers come with other names."""
LATER = ("piece_answers", "page_claims", "reworded_answers")
"""Sets that came after the teacher's views: drawn last and giving no names, so that what was viewed is drawn again."""
WITHHELD = 0.5
"""How many of the answers that quote what decides come once more without it, where little else bears on them."""
FOREIGN = 0.15
"""How many of them come once more with the context of another document."""
KNOWN = 0.6
"""The part of an answer's words that a context may have which does not decide it."""
WHOLE = 0.97
"""The part of a context's words from which on it was read whole: only then can be said what it does not tell."""

_JOINT = re.compile(r"(?:,|;)\s+(?:and|but|while|which|so|with|whereas|although)\s|;\s|,\s+(?=\d|[A-Z])|\sbut\s")
Range = tuple[int, int]
View = tuple[float, float, float]
"""Log-probabilities of supported, contradicted and unsupported."""
Stretch = tuple[int, int, float]
"""A part of the evidence, and how far it decides: 1 for gold evidence, less where a teacher says so."""


@dataclass(frozen=True, slots=True)
class Target:
    """One claim of a reading: where it stands in the text, and what is known of it."""

    start: int
    end: int
    label: int
    view: View | None = None
    kind: int = -1
    decides: tuple[Stretch, ...] | None = None
    """The parts of the evidence that decide, none where nothing does; None where nobody has said."""


@dataclass(frozen=True, slots=True)
class Reading:
    lead: str
    text: str
    evidence: str
    claims: tuple[Target, ...]
    wrong: tuple[Range, ...] | None
    """The wrong characters of the text, None where nobody has marked them."""
    name: str
    fold: int
    bag: bool = False
    """Whether it is known that some claim is wrong, but not which."""
    made: bool = False
    case: str = ""


def kind_of(case: Case) -> int:
    """The kind of error as one of ours, or -1."""
    return _KINDS.get(str((case.get("meta") or {}).get("kind")), -1) if case["label"] != "supported" else -1


def key_of(question: str, evidence: str, claim: str) -> int:
    """What a teacher's view of a row is found by."""
    digest = hashlib.sha256("\x1f".join((question, evidence, claim)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")


def asked(reading: Reading, claim: Target) -> Row:
    """What a teacher is asked about one claim of a reading: what stands before it leads in, as for a claim alone."""
    lead = lead_of(reading.lead, reading.text, claim.start)
    said = reading.text[claim.start : claim.end]
    return Row(lead, reading.evidence, said, claim.label, None, reading.name, reading.fold, reading.made)


def viewed(reading: Reading, views: Mapping[int, View]) -> Reading:
    """The reading with a teacher's view of each claim that there is one of."""
    rows = [asked(reading, claim) for claim in reading.claims]
    found = [views.get(key_of(row.question, row.evidence, row.claim)) for row in rows]
    claims = (replace(claim, view=view) for claim, view in zip(reading.claims, found, strict=True))
    return replace(reading, claims=tuple(claims))


def views_by_key(path: Path) -> dict[int, View]:
    with np.load(path) as file:
        return {
            int(key): (float(a), float(b), float(c))
            for key, (a, b, c) in zip(file["keys"], file["views"].astype(np.float32), strict=True)
        }


def from_row(row: Row, views: Mapping[int, View], kinds: Mapping[str, int]) -> Reading:
    """A row with one claim."""
    view = views.get(key_of(row.question, row.evidence, row.claim))
    target = Target(0, len(row.claim), row.label, view, kinds.get(row.claim, -1))
    return Reading(row.question, row.claim, row.evidence, (target,), row.spans, row.name, row.fold, made=row.made)


def from_rules(count: int) -> Iterator[Reading]:
    """Who did what to whom, which item has which value, and (half as many) what a record says that a thing has.

    Made by rule; of no document, so every fold learns them.
    """
    from training import bindings, features

    for name, items in (("bindings", bindings.made(count)), ("features", features.made(count // 2))):
        for item in items:
            kind = KINDS.index(item.kind) if item.kind else -1
            target = Target(0, len(item.text), item.label, None, kind)
            yield Reading(item.lead, item.text, item.evidence, (target,), item.wrong, name, NO_FOLD)


def from_teacher(folder: Path, folds: Mapping[str, int]) -> Iterator[Reading]:
    """Sentences whose only label is a teacher's view; none made from a set that is left out."""
    unused = {source.name for source in sources("left out")}
    with gzip.open(folder / "generated.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            if item.get("set") in unused:
                continue
            target = Target(0, len(item["claim"]), UNKNOWN, tuple(item["views"]))
            yield Reading(item["question"], item["claim"], item["evidence"], (target,), None, "generated", item["fold"])
    left = never_learnt()
    with lzma.open(folder / "lead.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            if item.get("document") in left:
                continue
            fold = folds[item["document"]] if item.get("document") else item["fold"]
            target = Target(0, len(item["claim"]), UNKNOWN, tuple(item["views"]))
            yield Reading(item["lead"], item["claim"], item["evidence"], (target,), None, "lead_" + item["kind"], fold)


def pieces_of(text: str, rng: random.Random | None = None) -> list[Range]:
    """The claims of an answer: its sentences, now and then cut at a joint; a lone "Yes." goes with what follows."""
    found: list[Range] = []
    for start, end in sentences(text) or [(0, len(text))]:
        if found and len(text[found[-1][0] : found[-1][1]].split()) <= 2:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    if rng is None:
        return found
    cut: list[Range] = []
    for start, end in found:
        joints = list(_JOINT.finditer(text, start, end))
        joint = rng.choice(joints) if joints and rng.random() < 0.5 else None
        if joint and min(len(text[start : joint.start()].split()), len(text[joint.end() : end].split())) >= 3:
            cut += [(start, joint.start()), (joint.end(), end)]
        else:
            cut.append((start, end))
    return cut


def answer_readings(
    case: Case, fold: int, index: EvidenceIndex, words: int, rng: random.Random | None, single: bool = False
) -> Iterator[Reading]:
    """The readings of one whole answer, its claims labelled by the marked characters."""
    label = LABELS[case["label"]]
    spans = [(m["start"], m["end"]) for m in case.get("spans") or []]
    read = judged(case["output"])
    text, marks = read.text, [place for a, b in spans for place in [read.in_text(a, b)] if place.end > place.start]
    if not text.strip():
        return
    question = (case["input"] or "").strip()
    claims = pieces_of(text, rng)
    located = bool(spans) or label == 0 or len(claims) == 1
    # The answers written for this project's passages mark whole sentences: that says which is wrong, not where in it.
    exact = label == 0 or (bool(spans) and case.get("dataset") != "written")
    kind = kind_of(case)
    together = groups_of(text, [(claim, number) for number, claim in enumerate(claims)])
    for group in [[claim] for claim in claims] if single else ([claim for claim, _ in group] for group in together):
        first, last = group[0][0], group[-1][1]
        targets = []
        for start, end in group:
            wrong = any(a < end and b > start for a, b in marks) if spans else label != 0
            known = UNKNOWN if not located else label if wrong else 0
            targets.append(Target(start - first, end - first, known, None, kind if wrong and located else -1))
        lead = lead_of(question, text, first)
        piece = text[first:last]
        evidence = evidence_within(index, f"{lead} {piece}", words).text
        if "evidence" in case:
            decides = gold_in(evidence, case)
            if decides is None:  # what decides was not chosen: nothing can be learnt from the rest
                continue
            # Of an answer of several claims it is known of the wrong one alone.
            targets = [
                replace(target, decides=decides)
                if len(claims) == 1 or (target.label != 0 and target.label == label)
                else target
                for target in targets
            ]
        inside = tuple((max(0, a - first), min(last, b) - first) for a, b in marks if a < last and b > first)
        bag = not located and len(claims) == len(group)
        if not located and not bag:
            continue
        yield Reading(
            lead, piece, evidence, tuple(targets), inside if exact else None, case["set"], fold, bag, case=case["id"]
        )


def gold_in(evidence: str, case: Case) -> tuple[Stretch, ...] | None:
    """The parts of the evidence that a case quotes, None where some of them are not there."""
    found = [located(evidence, quote["quote"]) for quote in case["evidence"]]
    return tuple((a, b, 1.0) for places in found for a, b in places) if all(found) else None


def unsupported_by(case: Case, context: Sequence[str]) -> Case | None:
    """The case with a context that does not decide it, so that it is unsupported; None where the context may decide."""
    words = set(content_words(case["output"]))
    index = EvidenceIndex(context)
    if not index.windows or sum(map(index.has, words)) > KNOWN * len(words):
        return None
    # Which words fail is not known: like the answers of `written`, the whole sentence is marked.
    whole = [{"start": 0, "end": len(case["output"]), "label": "unsupported"}]
    return {
        **case,
        "context": list(context),
        "label": "unsupported",
        "evidence": [],
        "spans": whole,
        "dataset": "written",
    }


def withheld(case: Case) -> Case | None:
    """The case without the parts of its context that decide; None where the rest is short or may decide too."""
    context = []
    for number, passage in enumerate(case["context"]):
        quotes = [quote for quote in case["evidence"] if quote["passage"] == number]
        rest = [passage[a:b] for a, b in units(passage) if not any(a < q["end"] and b > q["start"] for q in quotes)]
        context += [("\n" if "\n" in passage else " ").join(rest) if quotes else passage]
    context = [passage for passage in context if passage]
    return unsupported_by(case, context) if len(EvidenceIndex(context).windows) > 1 else None


def folds_of_evidence() -> dict[str, int]:
    """The fold of each document that the evidence sets are about, by its name."""
    cases = (case for source in sources("evidence") for case in read(Path(), source))
    return {name: seed_of("rag" + name) % 3 for name in map(document_of, cases)}


def from_evidence(limit: int | None = None) -> Iterator[Reading]:
    """Answers that quote what decides them, each read several ways.

    With more or less evidence, its claims together and alone, among other documents of its set, with other names, with
    one thing changed, without what decides, and with the context of another document.
    """
    folds, given = folds_of_evidence(), sources("evidence")
    names = Names(case for source in given for case in read(Path(), source))
    for source in given:
        rng = random.Random(seed_of(source.name))
        cases = list(islice(read(Path(), source), limit))
        contexts: dict[int, set[tuple[str, tuple[str, ...]]]] = {}
        for case in cases:
            document = document_of(case)
            contexts.setdefault(folds[document], set()).add((document, tuple(case["context"])))
        among = {fold: sorted(texts) for fold, texts in contexts.items()}
        for case in cases:
            fold = folds[document_of(case)]
            found = [
                *_read_twice(case, fold, among[fold], rng),
                *_made_readings(renamed(case, names, rng), fold, rng),
                *(other for changed_case in changed(case) for other in _made_readings(changed_case, fold, rng)),
            ]
            if case["evidence"] and len(pieces_of(case["output"])) == 1:
                undecided = [withheld(case)] if rng.random() < WITHHELD else []
                if rng.random() < FOREIGN:
                    foreign = [texts for document, texts in among[fold] if document != document_of(case)]
                    undecided += [unsupported_by(case, rng.choice(foreign))] if foreign else []
                for other in undecided:
                    found += _made_readings(other, fold, rng) if other is not None else ()
            yield from dict.fromkeys(found)


def _read_twice(
    case: Case, fold: int, among: Sequence[tuple[str, tuple[str, ...]]], rng: random.Random
) -> Iterator[Reading]:
    """An answer with two amounts of evidence, once perhaps among other documents; several claims also one by one."""
    passages = list(case["context"])
    few, many = sorted(rng.sample(BUDGETS, 2))
    yield from answer_readings(case, fold, EvidenceIndex(passages), few, None)
    others = [other for _, other in rng.sample(among, min(4, len(among))) if other != tuple(passages)]
    if rng.random() < 0.5:
        passages += [passage for other in others[:3] for passage in other]
        rng.shuffle(passages)
    yield from answer_readings(case, fold, EvidenceIndex(passages), many, rng)
    if len(pieces_of(case["output"])) > 1:
        yield from answer_readings(case, fold, EvidenceIndex(passages), many, None, single=True)


def folds_of_answers(data: Path) -> dict[str, int]:
    """The fold of each document of the answers written for this project, by the document's name."""
    found: dict[str, int] = {}
    for source in [*own_answers(), *sources("absences")]:
        for name in dict.fromkeys(map(document_of, read(data, source))):
            fold = seed_of("rag" + name) % 3 if source.use != "shared" else NO_FOLD
            if found.setdefault(name, fold) != fold:
                raise ValueError(f"{source.name} has a document {name} as another set does: it would be learnt by all")
    return found


@lru_cache(maxsize=1)
def _names(data: Path) -> Names:
    """The names in our own whole answers and their documents."""
    return Names(case for source in own_answers() if source.name not in LATER for case in read(data, source))


def _made_readings(case: Case, fold: int, rng: random.Random) -> Iterator[Reading]:
    """The readings of an answer that was changed by rule."""
    for reading in answer_readings(case, fold, EvidenceIndex(case["context"]), rng.choice(BUDGETS), None):
        yield replace(reading, made=True)


def from_changed(data: Path, folds: Mapping[str, int], limit: int | None = None) -> Iterator[Reading]:
    """Our own right answers with one thing changed, in several draws, as often as not with other names."""
    rng = random.Random(6)
    left = never_learnt()
    for source in sorted(own_answers(), key=lambda source: source.name in LATER):
        for case in [case for case in read(data, source) if document_of(case) not in left][:limit]:
            by_output = {other["output"]: other for draw in range(DRAWS) for other in changed(case, draw)}
            for other in by_output.values():
                anew = renamed(other, _names(data), rng) if rng.random() < RENAMED else other
                yield from _made_readings(anew, folds[case["meta"]["document"]], rng)


def from_absences(data: Path, folds: Mapping[str, int], limit: int | None = None) -> Iterator[Reading]:
    """Answers that say what the context does not tell: with all of it and no other document, which may tell it."""
    for case in (case for source in sources("absences") for case in islice(read(data, source), limit)):
        index, fold = EvidenceIndex(case["context"]), folds[case["meta"]["document"]]
        size = sum(len(passage.split()) for passage in case["context"])
        for single in (False, True):
            for reading in answer_readings(case, fold, index, size, None, single):
                if len(reading.evidence.split()) >= WHOLE * size:
                    yield reading


def all_answers(data: Path, folds: Mapping[str, int], limit: int | None = None) -> Iterator[Reading]:
    """Whole answers, each read several ways: with more or less evidence, together or alone, among other documents."""
    rng = random.Random(5)
    left = never_learnt()
    for source in sorted([*own_answers(), *sources("folds")], key=lambda source: source.name in LATER):
        cases = [case for case in read(data, source) if document_of(case) not in left][:limit]
        rag = source.use != "folds"
        by_fold: dict[int, list[list[str]]] = {}
        if rag:
            for context, fold in {tuple(c["context"]): folds[c["meta"]["document"]] for c in cases}.items():
                by_fold.setdefault(fold, []).append(list(context))
        indexes: dict[tuple[str, ...], EvidenceIndex] = {}
        for case in cases:
            passages = tuple(case["context"])
            fold = folds[case["meta"]["document"]] if rag else folds["\n".join(passages)]
            index = indexes.setdefault(passages, EvidenceIndex(passages))
            # Sets of single claims are in the rows already; here each comes once more, with its question as lead.
            if not rag and case["task"] == "claim" and rng.random() < 0.5:
                continue
            budgets = rng.sample(BUDGETS, 2 if rag or source.name == "ragtruth" else 1)
            for number, words in enumerate(budgets):
                chosen_index = index
                if rag and rng.random() < 0.3:
                    others = [c for c in rng.sample(by_fold[fold], min(4, len(by_fold[fold]))) if tuple(c) != passages]
                    mixed = [*passages, *(p for c in others[:3] for p in c)]
                    rng.shuffle(mixed)
                    chosen_index, words = EvidenceIndex(mixed), rng.choice((220, 330))
                yield from answer_readings(case, fold, chosen_index, words, rng if number else None)
            if rag:
                yield from _made_readings(renamed(case, _names(data), rng), fold, rng)
            if rag or case["task"] != "claim":
                for reading in answer_readings(case, fold, index, rng.choice((90, 150, 220)), None, single=True):
                    if rng.random() < 0.5:
                        yield reading
    yield from from_absences(data, folds, limit)
