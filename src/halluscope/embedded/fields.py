"""Fields of records that say yes, no or nothing, and what a claim makes of them.

A tool result reads `Outdoor Seating: yes; Wi Fi: no; Music: none` once it is flattened. A model that knows
sentences passes over the one word that counts there, so these fields are compared by rule: the words of the
key are sought in the claim, and what the claim says of them is held against the value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from .evidence import STOP_WORDS, content_words, stem
from .records import SHORT, Pair, pairs
from .stance import Said, Stance, tokens

__all__ = ["Field", "FieldFinding", "compare_fields", "read_fields"]

Value = Literal["yes", "no", "unknown", "other"]
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
    needs_group: bool = False
    opposites: frozenset[str] = frozenset()
    """Roots of the words that the value rules out: `paid` for `free`."""
    state: str = ""
    """The root of a value that has opposites."""
    record: int = 0
    names: frozenset[str] = frozenset()
    """Stems that tell this record from the others that have the same field."""
    whole: bool = False
    """Made from all fields of a group: whether there is any parking at all."""
    elsewhere: bool = False
    """Whether sentences of the text speak of the same thing, and so may know better."""


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


_SPELLINGS: dict[Value, str] = {
    "yes": """yes|true|y|enabled|on|available|included|allowed|accepted|supported|permitted|offered|provided|free|paid
    |complimentary|free of charge""",
    "no": """no|false|n|disabled|off|unavailable|not available|not included|excluded|not allowed|not accepted
    |not supported|unsupported|not permitted|not offered|not provided|prohibited|forbidden|out of order""",
    "unknown": """none|null|n/a|na|nil|nan|undefined|unknown|unspecified|not specified|not stated|not given|not known
    |not mentioned|tbd|tba|to be confirmed""",
}
_VALUES = {word.strip(): value for value, words in _SPELLINGS.items() for word in words.split("|")}
_OPPOSED = """
open / closed shut
active / inactive suspended
free complimentary / paid
public / private
quiet / loud noisy
casual / formal
approved accepted / rejected declined refused
passed / failed
online / offline
optional / mandatory compulsory
resolved / unresolved
confirmed / unconfirmed cancelled canceled
valid / invalid
complete / incomplete
"""
_FLAG = frozenset("is has have can".split())
_WORDING = re.compile(r"[^\W\d_][^\W\d]*(?:[ _-][^\W\d]+)*$")
_FEW = 3
_INNER = re.compile(r"['\"]?([^\W\d]\w*)['\"]?\s*:\s*u?['\"]?(\w+)['\"]?\s*(?:,|$)")
_LIGHT = frozenset(
    """is has have can does do good for accepts accept accepted offers offer offered allows allow allowed available
    availability supports support supported provides provide provided includes include included enable enabled of
    the a an suitable service services status state result outcome option options""".split()
)
"""Words of a key that a claim may put otherwise: `Dogs Allowed` is "dogs are welcome"."""
_PARTICLES = frozenset("in out up off on over by to".split())


def _roots(words: str) -> frozenset[str]:
    return frozenset(map(root, words.split()))


def root(word: str) -> str:
    """The stem of a word, but `touristy` is no tourist."""
    if word.endswith("y"):
        return word
    return _SAME.get(found, found) if (found := word[:-3] + "y" if word.endswith("ies") else stem(word)) else word


_SAME = {
    "ambianc": "ambienc",
    "atmospher": "ambienc",
    "vib": "ambienc",
    "takeaway": "takeout",
    "carryout": "takeout",
    "reserv": "reservation",
    "wlan": "wifi",
}
_GENERIC = _roots(
    """business restaurant store shop hotel company customer user product item order property venue place account
    attribute info details data general listing result summary flags settings metadata record entry"""
)
"""Kinds of records: a claim about one need not say so."""
_LOOSE = _roots("ambience style type category feature amenity tag theme mood")
"""Names of groups that say what their members are; the members stand without them, and they say little alone."""
_FACTS = _roots("hour address phone price date time name rating description location email website id")
"""Things every record has: that none is given does not mean that there is none."""
_STATES: dict[str, tuple[str, frozenset[str]]] = {}
for _line in _OPPOSED.strip().splitlines():
    _sides = [side.split() for side in _line.split("/")]
    for _side, _other in (_sides, _sides[::-1]):
        _STATES |= {word: (root(word), _roots(" ".join(_other))) for word in _side}
_TURNED = dict(_STATES.values())

_LIKELY = re.compile(
    r"[:=][\s*\"']*(?:{|[01]\b|(?:" + "|".join(map(re.escape, sorted({**_VALUES, **_STATES}))) + r")[\s*\"',.]*(?:$|[;|·}#\n]))",
    re.IGNORECASE,
)


# --- reading ----------------------------------------------------------------------------------------


def read_fields(text: str) -> tuple[Field, ...]:
    """The fields of a flattened context that say yes, no, nothing or one of a few states; () for prose."""
    if not _LIKELY.search(text):
        return ()
    found, prose = pairs(text)
    records: dict[int, list[Pair]] = {}
    for pair in found:
        records.setdefault(pair.record, []).append(pair)
    fields = [field for members in records.values() for field in _fields_of(members, text)]
    if not fields:
        return ()
    sayings = [set(_said(part)) for line in prose for part in re.split(r"[.!?]\s", line)]
    fields = [
        replace(field, elsewhere=True) if any(said.issuperset(field.words) for said in sayings) else field
        for field in fields
    ]
    return tuple(_told_apart(fields, records))


def _fields_of(members: Sequence[Pair], text: str) -> list[Field]:
    """The fields of one record that can be compared."""
    shared = Counter(key[:size] for key in {pair.key for pair in members} for size in range(1, len(key)))
    found: list[Field] = []
    groups: dict[str, list[Field]] = {}
    for pair in members:
        for key, value, state in _valued(pair):
            inner = len(key) > len(pair.key)
            sizes = range(len(key) - 1, 0, -1)
            size = next((n for n in sizes if (inner or shared[key[:n]] > 1) and _telling(key[n:])), 0)
            words = _telling(key[size:])
            head = root(key[size - 1]) if size else ""
            head = "" if head in _GENERIC else head
            if not words and not state:
                continue
            label = f"{' '.join(key)}: {value}" if inner else " ".join(text[pair.start : pair.end].split())
            mine, opposites = _STATES.get(state, ("", frozenset()))
            field = Field(
                label, value, words, pair.start, pair.end, head, bool(head) and head not in _LOOSE, opposites, mine,
                pair.record,
            )  # fmt: skip
            found.append(field)
            if head and value != "other":
                groups.setdefault(head, []).append(field)
    for head, fields in groups.items():
        values = {field.value for field in fields}
        if len(fields) > 1 and ("yes" in values or len(values) == 1):
            shown = next(field for field in fields if field.value == "yes" or len(values) == 1)
            found.append(replace(shown, words=(head,), group="", needs_group=False, whole=True))
    return found


def _valued(pair: Pair) -> Iterator[tuple[tuple[str, ...], Value, str]]:
    """The key of a pair, what its value says, and the state it names; those of a written-out mapping one by one."""
    value = pair.value.lower().rstrip(".")
    if value.startswith("{"):
        for name, inner in _INNER.findall(pair.value.strip("{}")):
            if inner.lower() in _VALUES:
                yield (*pair.key, *(token.text for token in tokens(name))), _VALUES[inner.lower()], ""
    elif value in _VALUES:
        yield pair.key, _VALUES[value], value if value in _STATES else ""
    elif value in ("0", "1") and pair.key[0] in _FLAG:
        yield pair.key, "yes" if value == "1" else "no", ""
    elif value in _STATES:
        yield pair.key, "other", value
    elif _WORDING.match(value) and len(value.split()) <= _FEW:
        yield pair.key, "other", ""


def _telling(key: Sequence[str]) -> tuple[str, ...]:
    """The words of a key that a claim about it has to hold; words written apart or together are one."""
    words = [word for word in key if word not in _LIGHT]
    while len(words) > 1 and root(words[0]) in _GENERIC:
        del words[0]
    if len(words) == 2 and (min(map(len, words)) <= 2 or words[1] in _PARTICLES):
        return (root("".join(words)),)
    return tuple(root(word) for word in words if word not in STOP_WORDS and word not in _PARTICLES)


def _said(text: str) -> Iterator[str]:
    """The roots of a text, and those of short neighbours written together."""
    before = ""
    for token in tokens(text):
        word = token.text
        if word[0].isalnum():
            yield root(word)
            if len(word) <= 3 or len(before) <= 3:
                yield root(before + word)
            before = word


def _told_apart(fields: Sequence[Field], records: dict[int, list[Pair]]) -> Iterator[Field]:
    """Fields that several records have get the words that belong to one record alone."""
    holders: dict[tuple[str, ...], set[int]] = {}
    for field in fields:
        holders.setdefault(_key(field), set()).add(field.record)
    names: dict[int, frozenset[str]] = {}
    for field in fields:
        among = holders[_key(field)]
        if len(among) < 2:
            yield field
            continue
        for record in among - names.keys():
            short = [pair.value for pair in records[record] if len(pair.value.split()) <= SHORT]
            names[record] = frozenset(content_words(" ".join([records[record][0].owner, *short])))
        others = frozenset[str]().union(*(names[record] for record in among if record != field.record))
        yield replace(field, names=names[field.record] - others)


def _key(field: Field) -> tuple[str, ...]:
    return (field.group, *field.words)


# --- comparing --------------------------------------------------------------------------------------

_REPORTED = re.compile(
    r"\b(?:review\w*|customers?|guests?|patrons?|diners?|visitors?|some|many|one|people)\b[^.;]*?"
    r"\b(?:prais|mention|not(?:e|ed|ing)\b|describ|enjoy|appreciat|highlight|complain|find\b|found\b|sa(?:y|id)\b|report"
    r"|comment|recommend|love)|\baccording\s+to\s+(?:the\s+)?(?:review|customer)",
    re.IGNORECASE,
)
_SURE, _LESS_SURE = 0.9, 0.7
_APART = 4
_NEAR = 2

_BEING = frozenset("is are was were be been being remains remained stays still currently now already marked".split())
_AFTER = frozenset("is are was were has have at or and nor in on for to but if with there here available".split())
_OF = frozenset("for of with about regarding".split())


@dataclass(frozen=True, slots=True)
class _Match:
    """Tokens of a claim that name a field; `turned` where they name its opposite."""

    field: Field
    first: int
    last: int
    turned: bool = False


def compare_fields(claim: str, fields: Sequence[Field]) -> list[FieldFinding]:
    """One finding for each field the claim speaks of, in the order of the claim."""
    if not fields:
        return []
    said = _Claim(claim)
    found = [match for field in fields if (match := said.match(field)) is not None]
    if not found:
        return []
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
        if field.needs_group and field.group not in self.places:
            return None
        if not field.words:
            return self._state(field, None)
        known = []
        turned = False
        for word in field.words:
            places = None
            if len(field.words) == 1:
                places = next((found for other in _against(word) if (found := self.places.get(other))), None)
                turned = places is not None
            places = places or self.places.get(word)
            if places is None:
                return None
            known.append(places[:_APART])
        best: tuple[int, int] | None = None
        for chosen in product(*known):
            first, last = min(low for low, _ in chosen), max(high for _, high in chosen)
            if last - first <= len(chosen) + _APART and (best is None or last - first < best[1] - best[0]):
                best = first, last
        if best is None:
            return None
        if field.value == "other" and field.state:
            return self._state(field, best)
        return _Match(field, *best, turned)

    def _state(self, field: Field, near: tuple[int, int] | None) -> _Match | None:
        """Where the claim names the value of a field or its opposite: "is open" for `status: closed`."""
        for word in (field.state, *sorted(field.opposites)):
            for first, last in self.places.get(word, ()):
                if near is None:
                    fits = any(self.word(place) in _BEING for place in range(first - 3, first))
                else:
                    fits = first - near[1] <= _APART and near[0] - last <= _APART
                if fits:
                    return _Match(field, first, last, word != field.state)
        return None


def _against(word: str) -> tuple[str, ...]:
    """Roots that deny another root."""
    return (f"un{word}", f"non{word}", *_TURNED.get(word, ()))


def _closest(found: list[_Match]) -> list[_Match]:
    """Fields named by fewer of the same words than another are not meant, nor a group beside its members."""
    groups = {match.field.group for match in found}
    kept = [match for match in found if not (match.field.whole and match.field.words[0] in groups)]
    return [
        match
        for match in kept
        if not any(
            set(match.field.words) < set(other.field.words) and other.first <= match.first and other.last >= match.last
            for other in kept
        )
    ]


def _one_record(found: list[_Match], said: _Claim) -> Iterator[_Match]:
    """Of the same field in several records the one that the claim names; nothing where they differ and it names none."""
    alike: dict[tuple[str, ...], list[_Match]] = {}
    for match in found:
        alike.setdefault(_key(match.field), []).append(match)
    for matches in alike.values():
        named = [sum(name in said.places for name in match.field.names) for match in matches]
        chosen = [match for match, count in zip(matches, named, strict=True) if count == max(named)]
        if len({(match.field.value, match.field.state) for match in chosen}) == 1:
            yield chosen[0]


def _finding(match: _Match, said: _Claim) -> FieldFinding | None:
    field = match.field
    stance = said.stance(match.first, match.last)
    if stance.kind == "open":
        return None
    weighed = _weighed(match, stance, said)
    if weighed is None:
        return None
    status, strength = weighed
    if field.group and field.group not in said.places:
        strength *= 0.7
    if _REPORTED.search(said.text):
        strength *= 0.8
    if stance.hedged:
        strength *= 0.8
    return FieldFinding(status, field, stance.start, stance.end, round(strength, 3))


def _weighed(match: _Match, stance: Stance, said: _Claim) -> tuple[Status, float] | None:
    """The status of a finding and how sure it is, or None where the claim says too little of the field."""
    field = match.field
    denied = (stance.kind == "denies") != match.turned
    alone = len(field.words) == 1 and field.words[0] in _LOOSE
    if alone and not (stance.kind == "denies" and stance.start < said.tokens[match.first].start):
        return None
    if field.whole and said.word(match.first - 1) in _OF:
        return None
    if stance.kind == "silent":
        return {"unknown": ("agrees", _SURE), "yes": ("conflicts", _LESS_SURE)}.get(field.value)
    if field.value == "unknown":
        if field.elsewhere or not _FACTS.isdisjoint(field.words):
            return None
        return "unknown", _LESS_SURE if denied else _SURE
    if field.value == "other":
        if field.state:
            return ("conflicts" if denied else "agrees"), _LESS_SURE
        after = said.word(match.last + 1)
        outright = stance.kind == "denies" and stance.end <= said.tokens[match.last].end
        return ("conflicts", 0.5) if outright and (not after.isalnum() or after in _AFTER) else None
    near = range(match.first - _NEAR, match.last + _NEAR + 1)
    if field.opposites and not denied and any(root(said.word(place) or "-") in field.opposites for place in near):
        return "conflicts", _LESS_SURE
    sure = _LESS_SURE if field.elsewhere else _SURE
    return ("agrees" if denied == (field.value == "no") else "conflicts"), sure
