"""Fields of records that say yes, no or nothing, and what a claim makes of them.

A tool result reads `Outdoor Seating: yes; Wi Fi: no; Music: none` once it is flattened. A model that knows
sentences passes over the one word that counts there, so these fields are compared by rule: the words of the
key are sought in the claim, and what the claim says of them is held against the value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Literal

from .keywords import FACTS, FLAGS, GENERIC, LIKELY, LOOSE, STATES, TURNED, VALUES, Value, root, telling
from .records import Pair, Siblings, pairs, siblings, words_of
from .stance import Said, Stance

Status = Literal["agrees", "conflicts", "unknown"]


@dataclass(frozen=True, slots=True)
class Field:
    """One `key: value` of a record. `start`:`end` is its place in the text it was read from."""

    text: str
    value: Value
    words: tuple[str, ...]
    """What a claim has to name: roots of the telling words of the key."""
    start: int
    end: int
    group: str = ""
    """The root that the key shares with its neighbours: `park` of `Parking street`, `Parking lot`."""
    state: str = ""
    """The root of a value that rules out others, such as `free`."""
    whole: bool = False
    """Made from all fields of a group: whether there is any parking at all."""
    record: int = 0
    siblings: Siblings | None = None
    """Where other records have the same key with another value: a claim has to name this one."""
    elsewhere: bool = False
    """Sentences of the text speak of the same thing, and may know better."""

    @property
    def key(self) -> tuple[str, ...]:
        """What the field is about, the same in every record."""
        return (self.group, *self.words)


@dataclass(frozen=True, slots=True)
class FieldFinding:
    """What a claim says of a field. `unknown`: it says something where the record says nothing.

    `start`:`end` are the characters of the claim it rests on; `strength` is, from 0 to 1, how sure it is.
    """

    status: Status
    field: Field
    start: int
    end: int
    strength: float


# --- reading ----------------------------------------------------------------------------------------

_WORDING = re.compile(r"[^\W\d_]+(?:[ _-][^\W\d_]+){0,2}$")
_NO_WORD = re.compile(r"[\W_]+")
_SENTENCE_END = re.compile(r"[.!?]\s|\n")
_MOST_PROSE = 20_000
_NAME_LENGTH = 60


def read_fields(text: str) -> tuple[Field, ...]:
    """The fields of a flattened context that say yes, no, nothing or one of a few states; () for prose."""
    if not LIKELY.search(text):
        return ()
    found, prose = pairs(text)
    records: dict[int, list[Pair]] = {}
    for pair in found:
        records.setdefault(pair.record, []).append(pair)
    alike = siblings(records)
    told = _sayings(prose)
    made = (_fields_of(members, text, alike.get(number)) for number, members in records.items())
    return tuple(replace(field, elsewhere=told(field.words)) for fields in made for field in fields)


def _sayings(prose: Iterable[str]) -> Callable[[tuple[str, ...]], bool]:
    """Tells whether one of the sentences beside the fields has all of some words."""
    text = "\n".join(prose)[:_MOST_PROSE].lower()
    sentences = [f" {_NO_WORD.sub(' ', said)}" for said in _SENTENCE_END.split(text)]
    solid = [said.replace(" ", "") for said in sentences]

    @cache
    def name(words: tuple[str, ...]) -> bool:
        if len(words) == 1:  # it may be written in two words there
            return any(words[0] in said for said in solid)
        return bool(words) and any(all(f" {word}" in said for word in words) for said in sentences)

    return name


def _fields_of(members: Sequence[Pair], text: str, alike: Siblings | None) -> list[Field]:
    """The fields of one record that can be compared."""
    beginnings = Counter(key[:size] for key in {pair.key for pair in members} for size in range(1, len(key)))
    found: list[Field] = []
    groups: dict[str, list[Field]] = {}
    owner = set(map(root, words_of(members[0].owner)))
    for pair in members:
        for value, state in _valued(pair):
            key = pair.key
            size = next((n for n in range(len(key) - 1, 0, -1) if beginnings[key[:n]] > 1 and telling(key[n:])), 0)
            words, head = telling(key[size:]), root(key[size - 1]) if size else ""
            if not (words or state) or (words and words[-1] in FACTS):
                continue
            others = alike if alike is not None and alike.differ(pair) else None
            field = Field(
                _shown(pair, members[0], text, others is not None), value, words, pair.start, pair.end,
                group="" if head in GENERIC else head,
                state=STATES[state][0] if state else "",
                record=pair.record,
                siblings=others,
            )  # fmt: skip
            found.append(field)
            if field.group and value != "other":
                groups.setdefault(field.group, []).append(field)
    for head, fields in groups.items():
        values = {field.value for field in fields}
        if len(fields) > 1 and ("yes" in values or len(values) == 1) and head not in owner:
            shown = next(field for field in fields if field.value == "yes" or len(values) == 1)
            found.append(replace(shown, words=(head,), group="", whole=True))
    return found


def _shown(pair: Pair, first: Pair, text: str, repeated: bool) -> str:
    """A field as a reader knows it: with what names its record where several have the like."""
    own = text[pair.start : pair.end]
    if pair.heading:
        own = f"{pair.heading}: {own}"
    elif repeated and pair is not first and first.end - first.start <= _NAME_LENGTH:
        own = f"{text[first.start : first.end]}; {own}"
    return " ".join(own.replace("**", "").split())


def _valued(pair: Pair) -> Iterator[tuple[Value, str]]:
    """What the value of a pair says, and the state it names; nothing where it cannot be compared."""
    value = pair.value.lower().rstrip(".")
    if value == "none" and not (pair.flat and pair.value == "none"):
        value = "no"  # somebody wrote it; a flattened null reads the same, and says nothing
    if value in STATES and pair.table[:1] == (pair.key,) and len(pair.table) > 1:
        return  # the name of a row: the plan that is called "Free"
    if value in ("0", "1") and pair.key[0] in FLAGS:
        yield "yes" if value == "1" else "no", ""
    elif value in VALUES or value in STATES or _WORDING.match(value):
        yield VALUES.get(value, "other"), value if value in STATES else ""


# --- comparing --------------------------------------------------------------------------------------

_REPORTED = re.compile(
    r"\b(?:review\w*|customers?|guests?|patrons?|diners?|visitors?|some|many|one|people)\b[^.;]{0,120}?"
    r"\b(?:prais|mention|not(?:e|ed|ing)\b|describ|enjoy|appreciat|highlight|complain|find\b|found\b|sa(?:y|id)\b|report"
    r"|comment|recommend|love|express)|\baccording\s+to\s+(?:the\s+)?(?:review|customer)",
    re.IGNORECASE,
)
_SURE, _LESS_SURE, _UNSURE = 0.9, 0.7, 0.5
_APART = 4
_NEAR = 2
_BEING = frozenset("is are was were be been being remains remained stays still currently now already marked".split())
_AFTER = frozenset(
    """is are was were has have at or and nor in on for to but if with facilities options spaces services
    available""".split()
)


@dataclass(frozen=True, slots=True)
class _Match:
    """Tokens of a claim that name a field; `turned` where they name its opposite."""

    field: Field
    first: int
    last: int
    turned: bool = False


def compare_fields(claim: str, fields: Sequence[Field]) -> list[FieldFinding]:
    """One finding for each field the claim speaks of, in the order of the claim."""
    said = _Claim(claim)
    found = [match for field in fields if (match := said.match(field))]
    findings = [finding for match in _one_record(_closest(found), said) if (finding := _finding(match, said))]
    return sorted(findings, key=lambda finding: (finding.start, finding.end))


class _Claim(Said):
    """A claim and where its roots stand."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.places: dict[str, list[tuple[int, int]]] = {}
        before = ""
        for place, token in enumerate(self.tokens):
            word = token.text
            if not word[0].isalnum():
                before = ""
                continue
            self.places.setdefault(root(word), []).append((place, place))
            if before and (len(word) <= 3 or len(before) <= 3):
                self.places.setdefault(root(before + word), []).append((place - 1, place))
            before = word

    def match(self, field: Field) -> _Match | None:
        """Where the claim names the field, the words nearest together."""
        if field.group and field.group not in LOOSE and field.group not in self.places:
            return None
        if not field.words:
            return self._state(field)
        *words, last = field.words
        opposites = (f"un{last}", f"non{last}", *(() if last in self.places else TURNED.get(last, ())))
        turned = next((word for word in opposites if word in self.places), "")
        most = _APART if len(field.words) <= _APART else 2
        known = [self.places.get(word, [])[:most] for word in (*words, turned or last)]
        stretches = [(min(low for low, _ in chosen), max(high for _, high in chosen)) for chosen in product(*known)]
        near = [stretch for stretch in stretches if stretch[1] - stretch[0] <= len(known) + _APART]
        if not near:
            return None
        best = min(near, key=lambda stretch: stretch[1] - stretch[0])
        if field.value == "other" and field.state:
            return self._state(field, best)
        return _Match(field, *best, bool(turned))

    def _state(self, field: Field, near: tuple[int, int] | None = None) -> _Match | None:
        """Where the claim names the value of a field or its opposite: "is open" for `status: closed`."""
        for word in (field.state, *sorted(TURNED[field.state])):
            for first, last in self.places.get(word, ()):
                if near is None:
                    fits = any(self.word(place) in _BEING for place in range(first - 3, first))
                else:
                    fits = first - near[1] <= _APART and near[0] - last <= _APART
                if fits:
                    return _Match(field, first, last, word != field.state)
        return None


def _closest(found: list[_Match]) -> list[_Match]:
    """A group beside its members is not meant."""
    groups = {match.field.group for match in found}
    return [match for match in found if not (match.field.whole and match.field.words[0] in groups)]


def _one_record(found: list[_Match], said: _Claim) -> Iterator[_Match]:
    """Of the same field in several records the one that the claim names, where they differ."""
    alike: dict[tuple[str, ...], list[_Match]] = {}
    for match in found:
        alike.setdefault(match.field.key, []).append(match)
    kinds = {others for match in found if (others := match.field.siblings)}
    named = {others: others.named(said.places) for others in kinds}
    for matches in alike.values():
        like = [(match, named[others]) for match in matches if (others := match.field.siblings)]
        meant = [match for match, records in like if match.field.record in records]
        chosen = meant or [match for match in matches if match.field.siblings is None]
        # Where it names a record too of which the field is not known, nothing is sure.
        known = {match.field.record for match in matches}
        sure = all(records <= known for _, records in like)
        if sure and len({(match.field.value, match.field.state) for match in chosen}) == 1:
            yield chosen[0]


def _finding(match: _Match, said: _Claim) -> FieldFinding | None:
    field = match.field
    stance = said.stance(match.first, match.last)
    reported = _REPORTED.search(said.text) is not None
    if stance.kind == "open" or (reported and field.elsewhere):
        return None
    weighed = _weighed(match, stance, said)
    if weighed is None:
        return None
    status, strength = weighed
    if field.group and field.group not in said.places:
        strength *= 0.6
    if reported or stance.hedged:
        strength *= 0.8
    return FieldFinding(status, field, stance.start, stance.end, round(strength, 3))


def _weighed(match: _Match, stance: Stance, said: _Claim) -> tuple[Status, float] | None:
    """The status of a finding and how sure it is, or None where the claim says too little of the field."""
    field = match.field
    denied = (stance.kind == "denies") != match.turned
    outright = stance.kind == "denies" and stance.end == said.tokens[match.last].end
    after = said.word(match.last + 1)
    ends = not after.isalnum() or after in _AFTER
    if len(field.words) == 1 and field.words[0] in LOOSE:
        return None
    if field.whole and stance.kind == "denies" and not ends:
        return None  # "no parking validation" is not "no parking"
    if stance.kind == "silent":
        silent: dict[Value, tuple[Status, float]] = {"unknown": ("agrees", _SURE), "yes": ("conflicts", _LESS_SURE)}
        return silent.get(field.value)
    sure = _LESS_SURE if field.elsewhere else _SURE
    if field.value == "unknown":
        return None if field.elsewhere else ("unknown", _LESS_SURE if denied else _SURE)
    if field.value == "other":
        if field.state:
            return ("conflicts" if denied else "agrees"), _LESS_SURE
        return ("conflicts", _UNSURE) if outright and ends and not field.elsewhere else None
    if field.state and not denied:
        near = {
            root(word) for place in range(match.first - _NEAR, match.last + _NEAR + 1) if (word := said.word(place))
        }
        if not near.isdisjoint(TURNED[field.state]):
            return "conflicts", _LESS_SURE
    return ("agrees" if denied == (field.value == "no") else "conflicts"), sure
