"""What could stand in place of a wrong word: numbers, names and words of the context that play the same part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from ....core.repair import EditKind
from ....core.verdict import Claim, Evidence
from ....text import STOP_WORDS, Span, content_stems, sentences, stem
from ....text.citation_marks import citation_marks
from ....text.verb_forms import AUXILIARY, asserted, denied
from ..claims.grammar import Verb, finite_verb
from ..deciding.signals import numbers_of
from ..network.model import Place
from ..quantities.alignment import Placed, Prepared, near_share, prepare, sentence_shares
from ..quantities.comparison import relate
from ..quantities.quantity import LOWER, UPPER, Quantity, with_bound
from ..reading.evidence import ReadContext


class Candidate(NamedTuple):
    """An edit that may help: `output[start:end]` becomes `after`, as the context has it at `evidence`."""

    start: int
    end: int
    after: str
    kind: EditKind
    evidence: tuple[Evidence, ...] = ()
    decided: bool = False
    """Whether the words come from the sentence that decides the claim."""


_NAME = re.compile(
    r"\b(?!The\b|An?\b)[A-Z][\w'’&-]*(?:\.(?=\s[A-Z]))?(?:\s+(?:(?:de|of|van|von|der|la|le|the|and|&)\s+)?[A-Z0-9][\w'’&-]*)*"
)
_CODE = re.compile(r"(?<![\w.])[a-z]{1,6}-?\d[\w.-]*(?<![.-])")
"""What is called by a letter and a number: "n2", "v5.1"."""
_POSSESSIVE = re.compile(r"['’]s$")
_WITHIN = re.compile(r"(?:within|before|after|since|by)\b", re.IGNORECASE)
_PLACED = re.compile(
    r"\b(?:until|for|in|after|before|of|to|from|by|within|over|under|at|since|than)\s*$", re.IGNORECASE
)
"""A preposition, behind which no second one stands."""
_SPAN = re.compile(r"\s*(?:to|and|until|till|–|—|-)\s*")
"""What joins the two ends of a range."""
_TOKEN = re.compile(r"\w+(?:[-'’.,:/]\w+)*|[^\w\s]")
_OPENS_CLAUSE = re.compile(
    r"(?:so|and|but|or|because|as|while|which|who|that|is|are|was|were|has|have|had|can|will|may|must|should)\b"
)
"""What makes a clause of its own, or is the verb of one."""
_NOT = re.compile(r"(?:not|no|never|without|n['’]t|cannot)$", re.IGNORECASE)
_DENIED = re.compile(r"\s+not\b")
_UNDONE = re.compile(r"(?:do|does|did)(?:\s+not|n['’]t)\s+(\w+)")
_UNIVERSAL = re.compile(r"(?:all|every|everyone|everybody|everything)\b", re.IGNORECASE)
DENIES = r"\b(?:not?|never|none|nobody|nothing|neither|nor|cannot|without)\b|n['’]t\b"
_DENIES = re.compile(DENIES, re.IGNORECASE)
_RESTRICTS = re.compile(r"\bonly\b", re.IGNORECASE)
_BROKEN = re.compile(r"[|;:\n\"“”(){}\[\]<>=]|[.!?](?:\s|$)")
_PREPOSITIONS = frozenset(
    "of to in on at by for from with without into onto over under about after before during until since between".split()
)
_PLACING = frozenset("a an the of to in on at by for from with into over under about after before during".split())
_BUILDING = STOP_WORDS - _PLACING - frozenset("all any both each every many most much no none some".split())
"""Words that a sentence is built with: other ones in their place would make it another sentence."""
_NO_NAMES = STOP_WORDS | frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_HELPING = AUXILIARY - frozenset(("been", "be", "being"))
_ONE = ("1", "one", "a", "an")
_TELLING = re.compile(r"\d|(?<=.)\b[A-Z]")
_MOST_NUMBERS, _MOST_NAMES, _MOST_SENTENCES, _LONGEST = 5, 6, 3, 8
_IN_PLACE = (0.2, 0.6)
"""How well the words around a number of the context must fit for it to be tried in place of the claim's. The
second is for bare numbers."""
_ALIKE = 0.3
"""The least share of a claim's words that a sentence has which it is laid beside."""
_CLOSE = 0.6
"""How near a word must stand to a number to say what it counts."""
_OPPOSITES = [
    pair.split("/")
    for pair in """more/less more/fewer most/least higher/lower highest/lowest larger/smaller bigger/smaller
    largest/smallest longer/shorter longest/shortest older/younger older/newer oldest/youngest
    earlier/later before/after faster/slower better/worse best/worst cheaper/dearer warmer/colder
    above/below over/under first/last rose/fell rises/falls rise/fall grew/shrank grew/fell
    increased/decreased increases/decreases increase/decrease up/down open/closed opened/closed
    opens/closes allowed/forbidden allowed/prohibited included/excluded with/without always/never
    maximum/minimum accepted/rejected approved/rejected won/lost even/odd northern/southern
    eastern/western north/south east/west left/right inside/outside indoors/outdoors has/lacks have/lack had/lacked
    gained/lost passed/failed keep/lose keeps/loses kept/lost""".split()
]
_NEGATABLE = frozenset("is are was were can could may might must should will would".split())


class Source(NamedTuple):
    """A sentence of the context."""

    passage: int
    start: int
    text: str
    decides: bool

    def edit(self, start: int, end: int, after: str, kind: EditKind = "replace") -> Candidate:
        """An edit that rests on this sentence."""
        quoted = Evidence(self.passage, self.start, self.start + len(self.text), self.text, "against")
        return Candidate(start, end, after, kind, (quoted,), self.decides)


def sources_of(context: ReadContext, stated: str, deciding: Sequence[Evidence]) -> list[Source]:
    """The sentences of the context: those that decide a claim first, then by how many words of the claim they have."""
    words = set(content_stems(stated))
    shares: dict[Source, float] = {}
    for passage in context.passages:
        for span in sentences(passage.text):
            start, text = passage.offset + span.start, span.of(passage.text)
            decides = any(
                one.passage == passage.index and one.start < start + len(text) and start < one.end for one in deciding
            )
            shares[Source(passage.index, start, text, decides)] = len(words & set(content_stems(text)))
    return sorted(shares, key=lambda source: (not source.decides, -shares[source]))


def replacements(
    output: str,
    place: Place,
    stated: str,
    marks: Sequence[Place],
    context: ReadContext,
    sources: Sequence[Source],
    question: str,
) -> Iterator[Candidate]:
    """Edits that put words of the context in the place of wrong ones, the likeliest first.

    What the question names is what the answer is about: it is not replaced.
    """
    asked = set(content_stems(question))
    said = output[slice(*place)]
    deciding = [source for source in sources if source.decides]
    first, others = _numbers(said, stated, context, sources)
    found = (
        *first,
        *_ranges(said, [*deciding, *sources[:_MOST_SENTENCES]]),
        *_beside(said, sources),
        *_turned(said, deciding),
        *_names(said, deciding),
        *_swapped(said, deciding),
        *others,
        *_names(said, sources),
    )
    seen: set[str] = set()
    citations = len(list(citation_marks(said)))
    for made in found:
        start, end = place[0] + made.start, place[0] + made.end
        inside = not marks or any(start < high and low < end for low, high in marks)
        text = said[: made.start] + made.after + said[made.end :]
        about = asked & set(content_stems(said[made.start : made.end])) - set(content_stems(made.after))
        cited = len(list(citation_marks(text))) == citations
        if (
            cited
            and inside
            and text != said
            and text not in seen
            and not about
            and _counts_the_same(said, made, deciding)
        ):
            seen.add(text)
            yield made._replace(start=start, end=end)


def _counts_the_same(said: str, made: Candidate, deciding: Sequence[Source]) -> bool:
    """Whether a number that an edit brings in counts or measures what the one does that it takes out.

    It must stand in the sentence that decides, if that has such a number; elsewhere a count says too little.
    """
    old = [
        one
        for one in prepare(said).placed
        if made.start < one.quantity.end and one.quantity.start < made.end and not one.quantity.slight
    ]
    old = [one for one in old if not _has(made.after, one.quantity.text)]
    if not old or not made.evidence:
        return True
    new = [
        one
        for one in prepare(made.evidence[0].quote).placed
        if _has(made.after, one.quantity.text) or _has(one.quantity.text, made.after)
    ]
    if not all(any(_counts_alike(mine, other, made.decided) for other in new) for mine in old):
        return False
    if made.decided or not deciding:
        return True
    there = [one for source in deciding for one in prepare(source.text).placed]
    return not any(
        mine.quantity.kind == "number" or any(_counts_alike(mine, other, False) for other in there) for mine in old
    )


def _counts_alike(mine: Placed, other: Placed, decided: bool) -> bool:
    a, b = mine.quantity, other.quantity
    if a.kind != b.kind or a.dimension != b.dimension:
        return False
    if a.kind == "number" and a.bare and ("." in a.text) != ("." in b.text):  # "74.5 points", "2 points"
        return False
    if a.kind != "number" or (a.nouns and b.nouns):
        return a.kind != "number" or bool(set(a.nouns) & set(b.nouns))
    if decided and a.bare and b.bare:
        return True
    near, beside = ({word for word, closeness in one.near.items() if closeness >= _CLOSE} for one in (mine, other))
    return bool(near & beside)


def _has(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words.strip())}(?!\w)", text) is not None


def _numbers(
    said: str, stated: str, context: ReadContext, sources: Sequence[Source]
) -> tuple[list[Candidate], list[Candidate]]:
    """For each number, the one that the context has in its place; and others that measure the same."""
    likely: list[Candidate] = []
    possible: list[Candidate] = []
    claim = stated if said in stated else said
    shift = claim.index(said)
    (found,) = numbers_of([Claim("", claim)], context, None)
    known, own = context.numbers(claim), prepare(claim)
    for item in own.placed:
        quantity = item.quantity
        match = next((one for one in found if one.claim.start == quantity.start), None)
        start, end = with_bound(claim, quantity.start) - shift, quantity.end - shift
        if start < 0 or end > len(said) or quantity.slight or "-" in quantity.text:
            continue  # "a four-day week" is not "a 11 days week"
        if match is None or match.status == "follows":
            continue
        shares = sentence_shares(item, own, known)
        weight = sum(known.weight(word) * closeness for word, closeness in item.near.items())
        fits = {
            other.index: near_share(item, weight, other, known) + shares[other.sentence]
            for other in known.placed
            if _measures_the_same(quantity, other.quantity)
        }
        others = [known.placed[at] for at in sorted(fits, key=lambda at: -fits[at])]
        others = [one for one in others if fits[one.index] >= _IN_PLACE[one.quantity.kind == "number"]]
        there = list(match.evidence) if match.status == "conflicts" else []
        there = [span for span in there if (span.of(known.text).lower() in _ONE) == (quantity.text.lower() in _ONE)]
        near = [Span(one.quantity.start, one.quantity.end) for one in others[:_MOST_NUMBERS]]
        near += _in_deciding(quantity, known, sources)
        for group, spans in ((likely, there), (possible, near)):
            made = (one for span in spans for one in _bounded(quantity, start + shift, span, known))
            for at, text in dict.fromkeys(made):
                if _WITHIN.match(text) and _PLACED.search(claim[:at]):
                    continue
                source = next((source for source in sources if _has(source.text, text)), None)
                if source is not None and not _BROKEN.search(text):
                    group.append(source.edit(at - shift, end, text))
    return likely, possible


def _in_deciding(mine: Quantity, known: Prepared, sources: Sequence[Source]) -> Iterator[Span]:
    """The numbers of the deciding sentences that could stand in the place of another."""
    there = [source.text for source in sources if source.decides]
    for one in known.placed:
        other = one.quantity
        relation = relate(mine, other)
        differs = relation is not None and relation.agreement != "yes" and mine.low != other.low
        alike = differs and mine.kind == other.kind and (mine.bare == other.bare) and _counts_one(mine, other)
        own = known.spans[one.sentence].of(known.text)
        if alike and any(own in text or (text in own and _has(text, other.text)) for text in there):
            yield Span(other.start, other.end)


def _bounded(mine: Quantity, bound: int, there: Span, known: Prepared) -> Iterator[tuple[int, str]]:
    """Where the claim's number is to be replaced from, and by what: alone, and with the words that bound it there.

    `bound` is where the words begin that bound the claim's number: those stay if the other's bound is of their sort.
    """
    text = there.of(known.text).strip()
    other = next((one.quantity for one in known.placed if (one.quantity.start, one.quantity.end) == there), None)
    if other is None or other.bound == "plain":
        yield bound, text
        return
    alike = mine.bound == other.bound or any(mine.bound in sort and other.bound in sort for sort in (UPPER, LOWER))
    if alike or mine.bound == "plain":
        yield mine.start, text
    if not alike:
        yield bound, known.text[with_bound(known.text, other.start) : other.end].strip()


def _ranges(said: str, sources: Sequence[Source]) -> Iterator[Candidate]:
    """The two ends of a range, as the deciding sentence or a near one has them for the same matter."""
    for start, end, kind in _ranges_in(said):
        for source in sources:
            for low, high, other in _ranges_in(source.text):
                if kind == other:
                    yield source.edit(start, end, source.text[low:high])


def _ranges_in(text: str) -> Iterator[tuple[int, int, tuple[str, str]]]:
    """The start and end of each range, and what its ends measure."""
    numbers = [item.quantity for item in prepare(text).placed]
    for low, high in pairwise(numbers):
        kind = low.kind, low.dimension
        if kind == (high.kind, high.dimension) and _SPAN.fullmatch(text, low.end, high.start):
            yield low.start, high.end, kind


def _measures_the_same(mine: Quantity, other: Quantity) -> bool:
    """Whether a number could stand in the place of another: one differs, and both count or measure the same."""
    relation = relate(mine, other)
    if relation is None or relation.agreement != "no" or mine.kind != other.kind:
        return False
    return (mine.kind != "number" or bool(mine.nouns)) and _counts_one(mine, other)


def _counts_one(mine: Quantity, other: Quantity) -> bool:
    """Whether two numbers count the same things, or none. "One" is not said of several."""
    if (mine.low == 1) != (other.low == 1):
        return False
    return mine.kind != "number" or not (mine.nouns or other.nouns) or bool(set(mine.nouns) & set(other.nouns))


def _swapped(said: str, deciding: Sequence[Source]) -> Iterator[Candidate]:
    """Two numbers of a kind, or two names, that change places."""
    numbers = [item.quantity for item in prepare(said).placed if not item.quantity.slight]
    pairs = [
        (Span(a.start, a.end), Span(b.start, b.end))
        for a, b in combinations(numbers, 2)
        if (a.dimension, a.kind, a.nouns) == (b.dimension, b.kind, b.nouns) and a.text != b.text
    ]
    known = "\n".join([said, *(source.text for source in deciding)])
    names = list(_names_in(said, known))
    pairs += [(a, b) for a, b in combinations(names, 2) if a.of(said) != b.of(said)]
    pairs = [pair for pair in pairs if not _SPAN.fullmatch(said, pair[0].end, pair[1].start)]
    together = [(a, b) for a, b in pairs if any(_has_both(source, a.of(said), b.of(said)) for source in deciding)]
    for a, b in together[:3]:
        after = b.of(said) + said[a.end : b.start] + a.of(said)
        yield Candidate(a.start, b.end, after, "replace", decided=True)


def _has_both(source: Source, *texts: str) -> bool:
    return all(_has(source.text, text) for text in texts)


def _names(said: str, sources: Sequence[Source]) -> Iterator[Candidate]:
    """For each name, others of the context, those in the nearest sentences first."""
    known = "\n".join(source.text for source in sources)
    found = ((place.of(source.text), source) for source in sources for place in _names_in(source.text, known))
    theirs = dict.fromkeys(found)
    for place in _names_in(said, known):
        mine = place.of(said)
        others = ((name, source) for name, source in theirs if name not in said and _called_alike(mine, name))
        for name, source in islice(others, _MOST_NAMES):
            yield source.edit(*place, name)


def _called_alike(mine: str, other: str) -> bool:
    """Whether both have a number, or neither; of two codes, whether they are built alike."""
    if _CODE.fullmatch(mine) or _CODE.fullmatch(other):
        return re.sub(r"\d+", "0", mine) == re.sub(r"\d+", "0", other)
    return bool(re.search(r"\d", mine)) == bool(re.search(r"\d", other))


def _names_in(text: str, known: str) -> Iterator[Span]:
    """Stretches that are written like names, and not only because a sentence begins with them."""
    for match in _CODE.finditer(text):
        if not prepare(match.group()).placed:
            yield Span(*match.span())
    for match in _NAME.finditer(text):
        place = _name_of(match)
        name = place.of(text)
        if " " not in name and _opens_only(text, place, known):
            continue
        if len(name) > 1 and name.lower() not in _NO_NAMES and prepare(name).placed == ():
            yield place


def _name_of(match: re.Match[str]) -> Span:
    """A name without what a sentence puts before and behind it: "It's Ann", "In Oslo", "Ann's"."""
    first, _, rest = match.group().partition(" ")
    opening = rest and re.split("['’]", first)[0].lower() in STOP_WORDS
    start = match.start() + (len(match.group()) - len(rest.lstrip()) if opening else 0)
    ending = _POSSESSIVE.search(match.group())
    return Span(start, match.end() - (len(ending.group()) if ending else 0))


def _opens_only(text: str, place: Span, known: str) -> bool:
    """Whether a word has its capital only as the first of a sentence, a line or a cell."""
    name = place.of(text)
    if re.search(rf"(?<=[\w,;] ){re.escape(name)}\b", known):
        return False
    return text[: place.start].rstrip()[-1:] in ("", *".!?:\n") or _has(known, name.lower())


def _beside(said: str, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Words that the nearest sentences of the context have where the claim has others."""
    mine = [match.span() for match in _TOKEN.finditer(said)]
    words = [stem(said[start:end].lower()) for start, end in mine]
    any_decides = any(source.decides for source in sources)
    for source in sources[:_MOST_SENTENCES]:
        text = source.text
        theirs = [match.span() for match in _TOKEN.finditer(text)]
        other = [stem(text[start:end].lower()) for start, end in theirs]
        matcher = SequenceMatcher(None, words, other, autojunk=False)
        if sum(block.size for block in matcher.get_matching_blocks()) < _ALIKE * len(words):
            continue
        for tag, a, b, c, d in matcher.get_opcodes():
            after = text[theirs[c][0] : theirs[d - 1][1]] if c < d else ""
            if tag == "replace" and max(b - a, d - c) <= _LONGEST:
                fits = _alike(said[mine[a][0] : mine[b - 1][1]], after) and not _BROKEN.search(after)
                fits = fits and (_TELLING.search(after) is not None or source.decides or not any_decides)
                if source.decides and _ends_clause(said, mine[b:]) and _ends_clause(text, theirs[d:]):
                    free = a > 0 and words[a - 1] not in STOP_WORDS and not _BROKEN.search(after)
                    fits = fits or (free and after[:1].isalnum() and not _OPENS_CLAUSE.match(after))
                if fits and (a or _TELLING.search(after)):  # not the verb that a request begins with
                    yield source.edit(mine[a][0], mine[b - 1][1], _cased(after, mine[a][0]))
            elif tag == "insert" and 0 < a < len(mine) and d - c <= 2 and _negates(text, theirs[c:d]):
                verb = said[slice(*mine[a - 1])]
                if verb.lower() in _HELPING and source.decides and not _UNIVERSAL.match(said):
                    yield source.edit(mine[a - 1][0], mine[a][0], f"{verb} {after} ")
            elif tag == "delete" and b < len(mine) and b - a <= 2 and _negates(said, mine[a:b]):
                yield source.edit(mine[a][0], mine[b][1], said[slice(*mine[b])])


def _ends_clause(text: str, rest: Sequence[Place]) -> bool:
    """Whether nothing but a full stop or a semicolon follows."""
    return not rest or text[rest[0][0]] in ".;!?"


def _turned(said: str, deciding: Sequence[Source]) -> Iterator[Candidate]:
    """The opposite of a word that the deciding sentence has in its place, and the claim with or without "not"."""
    for source in deciding:
        theirs = set(re.findall(r"\w+", source.text.lower()))
        for match in re.finditer(r"[A-Za-z]+", said):
            word = match.group().lower()
            for pair in _OPPOSITES:
                if word in pair and word not in theirs and (other := pair[word == pair[0]]) in theirs:
                    yield source.edit(*match.span(), other.capitalize() if match.group()[0].isupper() else other)
        verb = finite_verb(said)
        if verb is not None:
            denies = _DENIES.search(source.text)
            if denies is None:
                yield from _unnegated(said, verb, source)
            elif not _RESTRICTS.search(source.text):  # "No, only two of them" does not deny it all
                yield from _negated(said, verb, source)


def _negated(said: str, verb: Verb, source: Source) -> Iterator[Candidate]:
    """A claim with "not"."""
    if _DENIES.search(said):
        return
    if whole := _UNIVERSAL.match(said):
        yield source.edit(0, whole.end(), f"Not {whole.group().lower()}")
    elif verb.text == "can":
        yield source.edit(verb.start, verb.end, "cannot")
    elif verb.text.lower() in _NEGATABLE:
        yield source.edit(verb.start, verb.end, f"{verb.text} not")
    elif verb.start and (denial := denied(verb.text)):
        yield source.edit(verb.start, verb.end, denial)


def _unnegated(said: str, verb: Verb, source: Source) -> Iterator[Candidate]:
    """A claim without its "not"."""
    if verb.text == "cannot":
        yield source.edit(verb.start, verb.end, "can")
    elif (undone := _UNDONE.match(said, verb.start)) and (done := asserted(verb.text, undone[1])):
        yield source.edit(verb.start, undone.end(), done)
    elif verb.text.lower() in _NEGATABLE and (negated := _DENIED.match(said, verb.end)):
        yield source.edit(verb.start, negated.end(), verb.text)


def _negates(text: str, places: Iterable[Place]) -> bool:
    return any(_NOT.search(text[start:end]) for start, end in places)


def _alike(before: str, after: str) -> bool:
    """Whether two stretches are of one sort: both with a name or a number, or both without, and of the same build."""
    old, new = set(re.findall(r"\w+", before.lower())), set(re.findall(r"\w+", after.lower()))
    builds = {word for word in new - old if word in _BUILDING} or {word for word in old - new if word in _BUILDING}
    differing = [[word for word in words if word not in STOP_WORDS] for words in (old - new, new - old)]
    placed = [text.split()[0].lower() in _PREPOSITIONS for text in (before, after) if text.split()]
    if not all(differing) or builds or len(set(placed)) > 1:
        return False
    return (_TELLING.search(before) is None) == (_TELLING.search(after) is None)


def _cased(text: str, start: int) -> str:
    return text[:1].upper() + text[1:] if start == 0 else text
