"""Flags of records, and what a claim makes of them.

A tool result reads `Outdoor Seating: yes; Wi Fi: no; Music: none` once it is put into words. A model that knows
sentences passes over the one word that counts there, so flags are compared by rule: the words of the key are sought
in the claim, and what the claim says of them is held against the value. A line is a record, or the lines below a
heading are; where records differ in a flag, the claim has to name one of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from typing import Literal

from .evidence import STOP_WORDS, stem
from .stance import Said, Stance, words_of

Status = Literal["agrees", "conflicts", "unknown"]
Value = Literal["yes", "no", "unknown"]


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
    whole: bool = False
    """Made from all fields of a group: whether there is any parking at all."""
    elsewhere: bool = False
    """Sentences of the text speak of the same thing, and may know better."""
    record: frozenset[str] = frozenset()
    """The words that tell its record from others; a claim has to name one where these differ in the field."""

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


# --- what keys and values mean ------------------------------------------------------------------------

_SPELLINGS: dict[Value, str] = {
    "yes": "yes|true|enabled|on|available|included|allowed|accepted|supported|free|paid",
    "no": "no|false|disabled|off|unavailable|not available|not included|not allowed|not accepted|not supported",
    "unknown": "none|null|n/a|unknown|not specified|not stated",
}
_VALUES = {word: value for value, words in _SPELLINGS.items() for word in words.split("|")}
"""Values that say yes, no or nothing. A null put into words reads `none`, so `none` is nothing, not no."""
_FLAG = re.compile(
    r"(?:^|[:;|·] |[-*•] )[ \t*]{0,9}(?!and |but |or )([^\W\d_][^\n:;|.!?*]{0,59}):[ *]{1,4}"
    rf"({'|'.join(sorted(_VALUES, key=len, reverse=True))})(?=[.,* ]{{0,4}}(?:[;|·]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_SAME = {"ambianc": "ambienc", "atmospher": "ambienc", "takeaway": "takeout", "reserv": "reservation", "wlan": "wifi"}
"""Roots that mean another."""


@lru_cache(maxsize=16_384)
def _root(word: str) -> str:
    """The stem of a word, but `touristy` is no tourist."""
    if word.endswith("y"):
        return word
    found = f"{word[:-3]}y" if word.endswith("ies") else stem(word)
    return _SAME.get(found, found)


def _roots(words: str) -> frozenset[str]:
    return frozenset(map(_root, words.split()))


_LIGHT = frozenset(
    """is has have can does do good for accepts accept accepted offers offer offered allows allow allowed available
    availability supports support supported provides provide provided enable enabled of the a an suitable service
    services option options""".split()
)
"""Words of a key that a claim may put otherwise: `Dogs Allowed` is "dogs are welcome"."""
_PARTICLES = frozenset("in out up off on over by to".split())
_GENERIC = _roots(
    """business restaurant store shop hotel company customer user product item order property venue place account
    attribute server system app default"""
)
"""Kinds of records: a claim about one need not say so."""
_LOOSE = _roots("ambience style type category feature amenity tag theme mood")
"""Names of groups that say what their members are; the members stand without them, and they say little alone."""
_FACTS = _roots(
    """hour address phone price date time name description location email website id country language region
    code value currency unit note comment count number size amount total due"""
)
"""Things that are given or not, never yes or no: `country: NO` is Norway, `hours: none` may be any hours."""


def _telling(key: Sequence[str]) -> tuple[str, ...]:
    """Roots of the words of a key that a claim about it has to hold; two short ones are one: `Wi Fi`, `Take Out`."""
    words = [word for word in key if word not in _LIGHT]
    while len(words) > 1 and _root(words[0]) in _GENERIC:
        del words[0]
    if len(words) == 2 and (min(map(len, words)) <= 2 or words[1] in _PARTICLES):
        return (_root("".join(words)),)
    return tuple(_root(word) for word in words if word not in STOP_WORDS and word not in _PARTICLES)


# --- reading ------------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r"[^.!?:;|]{1,60}:?\s*$")
_NO_WORD = re.compile(r"[\W_]+")
_SENTENCE_END = re.compile(r"[.!?]\s|\n")
_MOST_PROSE = 20_000
_NAME_LENGTH = 60
_ALSO_NAMES = ("free", "paid")


@dataclass(frozen=True, slots=True)
class _Flag:
    """A flag as it stands in the text: the words of its key, and what else its record says."""

    key: tuple[str, ...]
    value: Value
    start: int
    end: int
    record: frozenset[str]
    name: str
    """What a reader knows the record by."""
    row: bool
    """The name is part of the key."""


def read_fields(text: str) -> tuple[Field, ...]:
    """The flags in the text of a context; () for prose, where a lone one is none."""
    flags, prose = _flags(text)
    values: dict[tuple[str, ...], set[Value]] = {}
    for flag in flags:
        values.setdefault(flag.key, set()).add(flag.value)
    records = {flag.record for flag in flags}
    if max(len(values), len(records)) < 2 and not any(":" in flag.name for flag in flags):
        return ()
    common = Counter(word for record in records for word in record)
    own = {record: frozenset(word for word in record if 2 * common[word] <= len(records)) for record in records}
    beginnings = Counter(key[:size] for key in values for size in range(1, len(key)))
    fields: list[Field] = []
    for flag in flags:
        key = flag.key
        size = next((n for n in range(len(key) - 1, 0, -1) if beginnings[key[:n]] > 1 and _telling(key[n:])), 0)
        words, head = _telling(key[size:]), _root(key[size - 1]) if size else ""
        if words and words[-1] not in _FACTS:
            shown = text[flag.start : flag.end].replace("*", "")
            if flag.name and (flag.row or len(values[key]) > 1):
                shown = f"{flag.name}; {shown}"
            group = "" if head in _GENERIC else head
            fields.append(Field(shown, flag.value, words, flag.start, flag.end, group, record=own[flag.record]))
    told = _sayings(prose)
    return tuple(replace(field, elsewhere=told(field.words)) for field in [*fields, *_groups(fields)])


def _flags(text: str) -> tuple[list[_Flag], str]:
    """The flags of a text, and its lines without them."""
    flags: list[_Flag] = []
    rest: list[str] = []
    heading = ""
    for line in _LINE.finditer(text):
        found = list(_FLAG.finditer(text, *line.span()))
        if len(found) > 1 and found[0].start(1) == line.start() and found[0][2].lower() in _ALSO_NAMES:
            del found[0]  # the plan that is called "Free"
        ends = [line.start(), *(flag.end() for flag in found)]
        starts = [*(flag.start() for flag in found), line.end()]
        bare = ";".join(text[start:end] for start, end in zip(ends, starts, strict=True))
        rest.append(bare)
        if not found:
            heading = line.group().strip("#*: ") if _HEADING.match(line.group()) else ""
            continue
        own = [word for word in words_of(bare) if word not in STOP_WORDS]
        first = line.group().partition("; ")[0] if own else heading
        record = frozenset(map(_root, own or words_of(heading)))
        # A cell without a heading is the name of its row, and part of what its flags are about.
        row = words_of(first) if own and ":" not in first else ()
        name = first if len(first) <= _NAME_LENGTH else ""
        for flag in found:
            key, value = (*row, *words_of(flag[1])), _VALUES[flag[2].lower()]
            flags.append(_Flag(key, value, flag.start(1), flag.end(2), record, name, bool(row)))
    return flags, "\n".join(rest)


def _groups(fields: Iterable[Field]) -> Iterator[Field]:
    """What the members of each group say together."""
    groups: dict[str, list[Field]] = {}
    for field in fields:
        if field.group:
            groups.setdefault(field.group, []).append(field)
    for head, members in groups.items():
        values = {field.value for field in members}
        if len(members) > 1 and ("yes" in values or len(values) == 1):
            shown = next(field for field in members if field.value == "yes" or len(values) == 1)
            yield replace(shown, words=(head,), group="", whole=True)


def _sayings(prose: str) -> Callable[[tuple[str, ...]], bool]:
    """Tells whether one of the sentences beside the fields has all of some words."""
    sentences = [f" {_NO_WORD.sub(' ', said)}" for said in _SENTENCE_END.split(prose[:_MOST_PROSE].lower())]
    solid = [said.replace(" ", "") for said in sentences]

    @cache
    def name(words: tuple[str, ...]) -> bool:
        if len(words) == 1:  # it may be written in two words there
            return any(words[0] in said for said in solid)
        return any(all(f" {word}" in said for word in words) for said in sentences)

    return name


# --- comparing ----------------------------------------------------------------------------------------

_REPORTED = re.compile(
    r"\b(?:review\w*|customers?|guests?|patrons?|diners?|visitors?|some|many|one|people)\b[^.;]{0,120}?"
    r"\b(?:prais|mention|not(?:e|ed|ing)\b|describ|enjoy|appreciat|highlight|complain|find\b|found\b|sa(?:y|id)\b|report"
    r"|comment|recommend|love|express)|\baccording\s+to\s+(?:the\s+)?(?:review|customer)",
    re.IGNORECASE,
)
_SURE, _LESS_SURE = 0.9, 0.7
_APART = 4
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
    turned: bool


def compare_fields(claim: str, fields: Sequence[Field]) -> list[FieldFinding]:
    """One finding for each field the claim speaks of, in the order of the claim."""
    said = _Claim(claim)
    found = [match for field in fields if (match := said.match(field))]
    groups = {match.field.group for match in found}
    # A group beside its members is not meant.
    meant = [match for match in found if not (match.field.whole and match.field.words[0] in groups)]
    findings = [finding for match in _one_record(meant, fields, said) if (finding := _finding(match, said))]
    return sorted(findings, key=lambda finding: (finding.start, finding.end))


def _one_record(found: list[_Match], fields: Sequence[Field], said: _Claim) -> Iterator[_Match]:
    """Of each field the one in the record that the claim names best; none where records differ and it names none."""
    named = {record: sum(word in said.places for word in record) for record in {field.record for field in fields}}
    most = max(named.values(), default=0)
    alike: dict[tuple[str, ...], list[_Match]] = {}
    for match in found:
        if named[match.field.record] == most:
            alike.setdefault(match.field.key, []).append(match)
    for matches in alike.values():
        if len({match.field.value for match in matches}) == 1:
            yield matches[0]


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
            self.places.setdefault(_root(word), []).append((place, place))
            if before and (len(word) <= 3 or len(before) <= 3):
                self.places.setdefault(_root(before + word), []).append((place - 1, place))
            before = word

    def match(self, field: Field) -> _Match | None:
        """Where the claim names the field, the words nearest together."""
        if field.group and field.group not in _LOOSE and field.group not in self.places:
            return None
        *words, last = field.words
        turned = next((word for word in (f"un{last}", f"non{last}", f"in{last}") if word in self.places), "")
        most = _APART if len(field.words) <= _APART else 2
        known = [self.places.get(word, [])[:most] for word in (*words, turned or last)]
        stretches = [(min(low for low, _ in chosen), max(high for _, high in chosen)) for chosen in product(*known)]
        near = [stretch for stretch in stretches if stretch[1] - stretch[0] <= len(known) + _APART]
        if not near:
            return None
        return _Match(field, *min(near, key=lambda stretch: stretch[1] - stretch[0]), bool(turned))


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
    after = said.word(match.last + 1)
    if len(field.words) == 1 and field.words[0] in _LOOSE:
        return None
    if field.whole and stance.kind == "denies" and after.isalnum() and after not in _AFTER:
        return None  # "no parking validation" is not "no parking"
    if stance.kind == "silent":
        silent: dict[Value, tuple[Status, float]] = {"unknown": ("agrees", _SURE), "yes": ("conflicts", _LESS_SURE)}
        return silent.get(field.value)
    if field.value == "unknown":
        return None if field.elsewhere else ("unknown", _LESS_SURE if denied else _SURE)
    status: Status = "agrees" if denied == (field.value == "no") else "conflicts"
    return status, _LESS_SURE if field.elsewhere else _SURE
