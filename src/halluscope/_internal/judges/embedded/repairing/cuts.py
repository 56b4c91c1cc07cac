"""Which parts of a sentence can be taken out, and how an over-general one is narrowed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ....text import STOP_WORDS, Span, content_stems
from ....text.citation_marks import citation_marks
from ....text.taking_out import Removal, removal
from ....text.verb_forms import BASES, BE, PASTS
from ..claims.grammar import Subject, finite_verb, resolve, starts_with_verb, subject_of
from ..network.model import Place
from ..quantities.alignment import prepare
from .replacements import DENIES, Candidate, Source

_OPENS = re.compile(
    r",\s+(?=\w)|;\s+|\s+[–—]\s+|\s+(?=\()|\s+(?=(?:and|but|or|because|since|as|so|after|before|until|when|where|while|whereas"
    r"|which|who|although|though|if|unless|provided|due|owing|thanks|for|by|on|in|at|from|with|without|to|under|within"
    r"|during|over|through|throughout|against|despite|including|as|that)\b)",
    re.IGNORECASE,
)
_OF_NAMED = re.compile(r"(?<=\w)(?<!of)\s+(?=of\s+[A-Z])")
"""What may be missed after a name: "Ann Berg of Oslo"."""
_CAPITAL_LAST = re.compile(r"\b[A-Z][\w'’-]*$")
_SAME_MATTER, _DECIDING = 0.6, 0.4
"""The share of a sentence's words that a sentence of the context has whose exception is its exception. The second is
for the sentence that decides."""
_SLACK = 2
"""Characters between a marked stretch and a border of a phrase that are no words."""
_MOST, _HALF, _CLAUSE_MARKED = 0.75, 0.5, 0.3
"""Shares of the marked words that a cut takes out at least."""
_EXCEPTION = re.compile(
    r"(?:,?\s*\(?)\b(?:except|apart\s+from|other\s+than|excluding|but\s+not|not\s+including|unless|only\s+(?:if|when|for|on|in|from"
    r"|with|after|before|until)|provided|as\s+long\s+as|until|not\s+(?:on|in|for))\b[^.;|\n()]{2,80}",
    re.IGNORECASE,
)
_EXCEPTS = ("except", "but not", "apart from", "other than", "excluding", "not including")
_WHATEVER = (
    r"(?:(?:in|under|at|on)\s+(?:any|every)|(?:in|under)\s+all(?:\s+of)?(?:\s+the)?"
    r"(?:\s+(?:\d+|two|three|four|five|six|seven|eight|nine|ten))?)\s+\w+(?:\s+(?:they|you|he|she|we|it|one)\s+\w+)?"
    r"|(?:however|whatever|whichever|whenever|wherever|no\s+matter|regardless)\b[^,.;!?]*"
)
_STRONG = re.compile(
    r"\s+(?:always|entirely|fully|completely|exactly|only|everywhere)\b"
    rf"|\s+(?:{_WHATEVER})|\b(?:all|every|each|any|everyone|everybody)\b",
    re.IGNORECASE,
)
_ADVERB = re.compile(rf"always|entirely|fully|completely|exactly|everywhere|{_WHATEVER}", re.IGNORECASE)
_WEAKER = re.compile(r"\b(?:(most|many|some|several|few)|usually|often|sometimes|partly)\b")
_NARROWED = re.compile(
    rf"\b(?:only|any|few|fewer|less|least|most|unless|until|before|if|than|lacks?|lacked)\b|{DENIES}|\w{{2}}est\b",
    re.IGNORECASE,
)
"""Words beside which a claim without one of its phrases may say more than with it."""
_UNIVERSAL = re.compile(r"\b(?:all|both|every|each|everyone|everybody|everything|always)\b", re.IGNORECASE)
_END = re.compile(r"[\s.!?]*$")
_COLON = re.compile(r":\s+")
_COORDINATE = re.compile(r",?\s+(?:and|but)\s+(?:also\s+)?")
_MODAL = ("can", "could", "may", "might", "must", "shall", "should", "will", "would")
_LAST_WORD = re.compile(r"\b([\w'’]+) $")
_NEXT = re.compile(r" ([a-z]\w+)")
_NAME_FIRST = re.compile(r"[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,2}(?=\s+[a-z]+(?:ed|s)\b)")
_PRONOUN_FIRST = re.compile(r"(?:he|she|it|they|his|her|its|their|this|these|those|such)\b", re.IGNORECASE)
_SAME_ONE = {
    word: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in ("he|him|his", "she|her|hers", "it|its", "they|them|their")
    for word in words.split("|")
}
"""For each pronoun, those that may stand for the same one."""


def cuts(output: str, sentence: Span, claim: Place, marks: Sequence[Place]) -> list[Candidate]:
    """Parts of a sentence that hold what is wrong and can be missed, the shortest first."""
    found = _parts(output, sentence, claim, marks)
    if not marks:  # nothing tells which part is wrong
        return sorted(found, key=lambda one: one.end - one.start)
    kept = [one for one in found if _takes_error(one, output, sentence, marks)]
    return sorted(kept, key=lambda one: _badness(one, marks))


def weakening_cuts(output: str, sentence: Span, claim: Place, marks: Sequence[Place]) -> list[Candidate]:
    """Smaller parts of a sentence that is marked nearly as a whole, the shortest first.

    What is left must follow from the sentence: one with a negation or an "all" would claim more without a phrase.
    """
    said = sentence.of(output)
    if not marks or _size(marks) <= _MOST * len(said) or _NARROWED.search(said):
        return []
    smaller = [one for one in _parts(output, sentence, claim, marks) if not _takes_error(one, output, sentence, marks)]
    if _UNIVERSAL.search(said):
        # "All went home by bus": all went home, but "all of the guests from Oslo" are not all of the guests
        verb = finite_verb(said)
        safe = sentence.end if verb is None else sentence.start + verb.end
        smaller = [one for one in smaller if one.start >= safe]
    return sorted(smaller, key=lambda one: one.end - one.start)


def _parts(output: str, sentence: Span, claim: Place, marks: Sequence[Place]) -> list[Candidate]:
    """Parts that touch what is wrong and leave a sentence."""
    said = sentence.of(output)
    end = len(_END.sub("", _without_last_mark(said)))
    origins = [
        match.start() for match in _OF_NAMED.finditer(said, 0, end) if _CAPITAL_LAST.search(said, 0, match.start())
    ]
    edges = sorted({0, end, *origins, *(match.start() for match in _OPENS.finditer(said, 0, end))})
    wrong = list(marks) or [claim]
    parts = (*_modifiers(output, marks), *_predicates(said, sentence.start))
    found = {(one.start, one.end, one.after): one for one in parts}
    for first, start in enumerate(edges):
        for stop in edges[first + 1 :]:
            low, high = sentence.start + start, sentence.start + stop
            if (start, stop) == (0, end) or not any(low < b and a < high for a, b in wrong):
                continue
            if _HALVES.match(said, start) or _HALVES.match(said, stop):
                continue
            exact = any(_meets((low, high), mark) for mark in marks)
            if not _is_phrase(said, start, stop, end, marked=exact):
                continue
            high += start > 0 and stop < end and _is_set_in(said, start, stop)
            cut = keeping_subject(output, sentence, removal(output, low, high))
            made = left_of(output, sentence, cut)
            if loses_name(made, said) or _YES.fullmatch(said, start, stop):
                continue
            joined = _COORDINATE.match(said, start)
            coordinate = joined is not None and subject_of(said[joined.end() : stop]) is not None
            listed = starts_with_verb(said[start:stop].lstrip(" ,")) is not None
            if reads_well(made, said, listed=listed, coordinate=coordinate):
                found[cut] = Candidate(*cut, "remove")
    return list(found.values())


def _takes_error(cut: Candidate, output: str, sentence: Span, wrong: Sequence[Place]) -> bool:
    """Whether a cut takes out what is marked: otherwise the right part would go and the wrong one stay.

    Where nearly all is marked, half of a statement would claim something else, but one of two clauses may be right.
    """
    clause = finite_verb(output[cut.start : cut.end].strip(" ,;")) is not None
    least = _CLAUSE_MARKED if clause else _MOST if _size(wrong) > _MOST * len(sentence.of(output)) else _HALF
    return _gone(cut, wrong) >= least * _size(wrong)


def loses_name(made: str, before: str) -> bool:
    """Whether what is left begins with a pronoun whose name went."""
    return _PRONOUN_FIRST.match(made) is not None and _PRONOUN_FIRST.match(before) is None


def left_of(output: str, sentence: Span, cut: Removal) -> str:
    """What a cut leaves of a sentence."""
    return cut.applied(output)[sentence.start : sentence.end - (cut.end - cut.start) + len(cut.after)]


def keeping_subject(output: str, sentence: Span, cut: Removal) -> Removal:
    """A cut after which a sentence that begins with "it" or "its" begins with the name that went."""
    made = left_of(output, sentence, cut)
    pronoun = _PRONOUN_FIRST.match(made)
    if cut.start != sentence.start or cut.end >= sentence.end or pronoun is None:
        return cut
    gone = _main(output[cut.start : cut.end])
    same = _SAME_ONE.get(pronoun.group().lower())
    # what the pronoun stands for is not the subject: "Ann taught him, and he", "Ann sold it, and it"
    if same is None or same.search(gone[: len(gone) - len(pronoun.group())]):
        return cut
    name = _NAME_FIRST.match(gone)
    named, _ = resolve(made, subject_of(gone) or (Subject(name.group(), plural=False, named=True) if name else None))
    after = named[: len(named) - (len(made) - pronoun.end())]
    return cut if named == made else Removal(cut.start, cut.end + pronoun.end() - len(cut.after), after)


def _predicates(said: str, at: int) -> Iterator[Candidate]:
    """The first of two things that are said of a subject: "is old and has two rooms", "may enter and take pictures"."""
    begun = max((match.end() for match in _COLON.finditer(said)), default=0)
    verb = finite_verb(said, begun)
    if verb is None or verb.start == begun:
        return
    for joint in _COORDINATE.finditer(said, verb.end):
        rest = said[joint.end() :]
        word = rest.partition(" ")[0]
        if verb.text.lower() in _MODAL and (word in BASES or word in ("do", "be", "have")):
            following = finite_verb(rest, len(word))
            if following is not None and not _INSIDE.search(rest[: following.start]):
                continue  # "may not enter, and travel costs are paid"
            yield Candidate(at + verb.end + 1, at + joint.end(), "", "remove")
        elif starts_with_verb(rest):
            yield Candidate(at + verb.start, at + joint.end(), "", "remove")


def _modifiers(output: str, marks: Sequence[Place]) -> Iterator[Candidate]:
    """The marked words themselves where they only describe what follows: "the coated paper"."""
    for low, high in marks:
        words, before, after = output[low:high].split(), _LAST_WORD.search(output, 0, low), _NEXT.match(output, high)
        if not 0 < len(words) <= 2 or before is None or after is None or after[1] in STOP_WORDS:
            continue
        if before[1] in ("a", "an") and (before[1] == "an") != (after[1][0] in "aeiou"):
            continue
        if prepare(output[low:high]).placed or (before[1] in BE and not words[0].endswith("ly")):
            continue
        if all(word.isalpha() and word.islower() and word not in STOP_WORDS for word in words):
            yield Candidate(low, high + 1, "", "remove")


_INNER = re.compile(
    r",|;|\b(?:and|but|or|because|since|which|who|whereas|while|where|when|if|unless|although|though)\b"
)
_RELATIVE = re.compile(r"(?:which|who|whose|where)\b")
_CLAUSE = re.compile(
    r"[–—(]|(?:and|but|so|because|since|as|after|before|when|while|whereas|although|though|which|who|where)\b"
)
_CONDITION = re.compile(
    r"(?:if|unless|provided|when|until|only|except|as\s+long\s+as|without|within|before|after|from|up\s+to|at\s+(?:least|most))\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"(?:after|before|when|within|from|until)\b")
_VERB_LAST = re.compile(r"\b(?:put|set|made|took|taken|given|kept|held|left|brought|sent|came|went|\w{2,}ed)$")
_COMPLEMENT = re.compile(r"(?:on|in|of|at|from|about)\s+\w+ing\b")
"""What completes a verb: "went on rejecting it"."""
_SHARED_HEAD = re.compile(r"(?:and|or)\b")
"""What goes on with things that belong to the stretch: "because of cracks in the swings" and "the slide"."""
_LAST_ITEMS = re.compile(r"(?!and\b|or\b)[^,;]{1,60}\b(?:and|or)\s[^,;]*$")
_ITEM_LAST = re.compile(r",\s[^,;]{1,40}$")
"""The last two items of a list, and what stands before them: no list ends without its "and"."""
_HALVES = re.compile(r"\s*and\s+(?:a\s+|one\s+|three\s+)?(?:half|quarters?)\b")
_NEEDED = re.compile(r"(?:for|of|to|with|as|into)\b")
"""What a verb needs that stands right before it: "asks for"."""
_MAY_LAST = re.compile(rf"\b(?:{'|'.join(_MODAL)})\s+(?:not\s+)?[a-z]+$")
"""A verb that may need what follows: "travellers may bring"."""
_PASSIVE_LAST = re.compile(r"\b(?:is|are)\s+\w+$")
"""What says nothing without who does it: "is run by"."""
_SAID_OF = re.compile(
    r"\w+ed\b|(?:is|are|was|were|has|have|had)\b"
    r"|(?!(?:and|but|which|who|whose|where)\b)\w+\s+(?:the|its|his|her|their)\b"
)
"""What may be said of the words before a comma, by a verb that is not known."""
_ATTACHED = re.compile(r"(?:that|which|who|whose|where|of|than|as\s+(?:well|much|many|long|soon|far)\s+as)\b")
_INSIDE = re.compile(r"\s(?:that|which|who|whose|where)\s")
_DONE = re.compile(r"\b(?:do|does|did|doing|done)$")
_COMPARING = re.compile(r"\bas\s+\w+$|\b(?:such|same)\b[^,;]*$")
_GOES_ON = re.compile(r"[,;–—]|(?:and|or|but|so|while|whereas)\b")
_LOOSE = re.compile(
    r"\b(?:up|out|of|to|as|in|on|at|by|for|from|with|the|an?|than|about|under|over|into|onto|between|per|without|until"
    r"|as\s+(?:well|much|many|long|soon|far))$"
)


def _meets(place: Place, mark: Place) -> bool:
    """Whether a stretch is what is marked, but for the blanks and commas around it."""
    return abs(place[0] - mark[0]) <= _SLACK and abs(place[1] - mark[1]) <= _SLACK


def _is_phrase(said: str, start: int, stop: int, end: int, *, marked: bool = False) -> bool:
    """Whether a stretch is a clause or a phrase of its own, and no condition, without which more would be claimed.

    One that is `marked` as it stands may have commas inside.
    """
    before, inner, following = said[:start], said[start:stop].lstrip(" ,;"), said[stop:].lstrip()
    verb_before, verb_inside = finite_verb(before), finite_verb(inner)
    set_off, last = said[start] in ",;", stop == end
    aside = said[start] == "," and inner.startswith("when ")
    if _COMPLEMENT.match(inner) and not set_off:
        return False
    shared = not last and _SHARED_HEAD.match(following) and finite_verb(following) is None
    if shared and not set_off and not marked:
        return False
    if said[start] == "," and last and _LAST_ITEMS.match(inner) and _ITEM_LAST.search(before):
        return False
    if verb_before is not None and verb_before.end == start and _NEEDED.match(inner):
        return False
    if last and _MAY_LAST.search(before):
        return False
    relative = _SUBORDINATE.search(said)
    if last and relative is not None and relative.start() < start and not set_off:
        own = _CLAUSE.match(inner) is None or _SHARED_HEAD.match(inner) is not None
        if own and finite_verb(said[: relative.start()]) is None and not _verbs_between(said, relative.end(), start):
            return False  # the verb of the sentence would go: "runners who came / follow the balloon"
    if inner.startswith("by ") and _PASSIVE_LAST.search(before):
        return False
    if said[start] == "," and last and _SAID_OF.match(inner) and verb_before is None:
        return False
    if (
        (_CONDITION.match(inner) and not aside and not _tells_when(said, start, stop))
        or inner.startswith("that ")
        or (inner.startswith("to ") and not set_off)
    ):
        return False
    if not last and (
        _ATTACHED.match(following)
        or _RELATIVE.match(following.lstrip(", "))
        or (_INSIDE.search(inner) and not _GOES_ON.match(following))
    ):
        return False
    if _COMPARING.search(before.rstrip()) and inner.startswith("as "):
        return False
    if not set_off and _CLAUSE.match(inner) is None and finite_verb(said) is None and _may_be_verb(inner):
        return False
    if _RELATIVE.match(inner) and verb_inside is None:
        return False
    if not start:  # what followed from it does not stand alone
        return _GOES_ON.match(following) is not None and not following.lstrip(", ").startswith("so ")
    if _LOOSE.search(before.rstrip()) or _LOOSE.search(inner):
        return False
    if inner.startswith("so ") and _DONE.search(before):
        return False
    own = set_off or _CLAUSE.match(inner) is not None
    if said[start] == "," and following[:1] == "," and _RELATIVE.match(inner) and "," not in inner:
        return True
    if marked and _GOES_ON.match(following) and verb_inside is None and verb_before is not None:
        return True
    if not last and (_VERB_LAST.search(before) or (verb_inside and verb_before is None)):
        return own and said[start] == "," and following[:1] == "," and not verb_inside
    if not last and own:
        return ("," not in inner or _RELATIVE.match(inner) is not None) and _GOES_ON.match(following) is not None
    return own or (_INNER.search(inner) is None and verb_inside is None)


def _verbs_between(said: str, start: int, stop: int) -> bool:
    """Whether a clause inside a sentence and the sentence itself both have their verb before a place."""
    first = finite_verb(said[:stop], start)
    return first is not None and finite_verb(said[:stop], first.end) is not None


def _tells_when(said: str, start: int, stop: int) -> bool:
    """Whether a stretch tells when or how something happened, once: without it, less is claimed."""
    verb = finite_verb(said)
    if verb is None or not (verb.text in PASTS or verb.text in ("was", "were", "had")):
        return False
    inner = said[start:stop].lstrip(" ,;")
    return _WHEN.match(inner) is not None and _NARROWED.search(said[:start] + said[stop:]) is None


def _may_be_verb(phrase: str) -> bool:
    """Whether a phrase has a word that may be the verb of its sentence."""
    words = re.findall(r"[\w'’-]+", phrase.lower())
    return any(word in BASES and before not in STOP_WORDS for before, word in pairwise(words))


def _is_set_in(said: str, start: int, stop: int) -> bool:
    """Whether a stretch between commas stands between a subject and its verb, so that both commas go."""
    if said[start] != "," or said[stop : stop + 1] != ",":
        return False
    return _RELATIVE.match(said[start:].lstrip(" ,")) is not None or finite_verb(said[:start]) is None


def _without_last_mark(said: str) -> str:
    """The sentence up to the marks of citation at its end."""
    for mark in reversed(list(citation_marks(said))):
        if not said[mark.end() :].strip(" .!?"):
            said = said[: mark.start()]
    return said


def _badness(cut: Candidate, wrong: Sequence[Place]) -> tuple[float, int]:
    """Characters that are right and would go, with half of those that are wrong and would stay.

    Marks reach too far more often than too short, and what stays is judged again.
    """
    gone = _gone(cut, wrong)
    return (cut.end - cut.start - gone) + (_size(wrong) - gone) / 2, cut.end - cut.start


def _gone(cut: Candidate, places: Sequence[Place]) -> int:
    return sum(max(0, min(cut.end, high) - max(cut.start, low)) for low, high in places)


def _size(places: Sequence[Place]) -> int:
    return sum(high - low for low, high in places)


_DANGLING = re.compile(
    r"(?:\b(?:and|or|but|of|to|the|a|an|because|since|that|which|who|with|by|for|from|in|on|at|as|is|are|was|were|has|have"
    r"|had|not|mainly|mostly|only|just|even|partly|largely|especially|also|please|its|their|his|her|than|if|when|while"
    r"|where|into|onto|between|per|without|until|as\s+(?:well|much|many|long|soon|far))"
    r"|[,;:–—(-])\s*(?:\[[\d, ]+\]\s*)?[.!?]?\s*$",
    re.IGNORECASE,
)
_OPENS_INNER = r"(?:which|who|whose|where|because|since|that|what|when|while)"
_ASIDE = re.compile(rf",\s+{_OPENS_INNER}\b[^,]*")
_SUBORDINATE = re.compile(rf"\s{_OPENS_INNER}\s")
_YES = re.compile(r"\s*(?:yes|no)\b[,.;:]?\s*", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:once|because|since|when|while|if|as|after|before|although|though|until|unless|where|that|which|who)\b",
    re.IGNORECASE,
)
_PLACED_FIRST = re.compile(
    r"(?:after|before|in|on|at|by|for|from|with|without|under|during|since|until|according|besides?|despite|instead"
    r"|apart|like|unlike|along|through|throughout|given|due|thanks|because|as)\b",
    re.IGNORECASE,
)
_JOINS_NOTHING = re.compile(r"\b(?:and|but|or|so|because|that|which),")
_COMMA = re.compile(r",\s+")
_BAD_START = re.compile(r"(?:which|who|whom|because|that|of|than|is|are|was|were|has|have|had)\b", re.IGNORECASE)


def _main(sentence: str) -> str:
    """A sentence without a clause that it opens with."""
    sentence = _YES.sub("", sentence)
    return sentence.partition(",")[2].strip() if _OPENING.match(sentence) else sentence


def reads_well(made: str, before: str, *, listed: bool = False, coordinate: bool = False) -> bool:
    """Whether what is left of a sentence is one.

    Args:
        made: What is left.
        before: The sentence.
        listed: Whether what was cut began with a verb, as its neighbours may.
        coordinate: Whether what was cut was a main clause beside another one.
    """
    main = _main(made)
    if not _has_main_verb(main) and _has_main_verb(_main(before)) and not coordinate:
        return False
    if _PLACED_FIRST.match(made) and "," not in made and finite_verb(made) is None and _may_be_verb(before):
        return False
    tail, whole = _after_colon(made), _after_colon(before)
    if tail and whole and finite_verb(tail) is None and finite_verb(whole) is not None and "," in tail:
        return False
    if not before.startswith(made[:12]) and not _has_main_verb(main) and not coordinate:
        return False
    if not before.startswith(made[:12]) and subject_of(main) is None and subject_of(_main(before)) is not None:
        return False
    if starts_with_verb(made[:1].lower() + made[1:]) and not starts_with_verb(before[:1].lower() + before[1:]):
        return False
    for comma in () if listed else _COMMA.finditer(made):  # "broke the rule, stayed inside it"
        if starts_with_verb(made[comma.end() :]) and made[max(0, comma.start() - 15) : comma.end() + 5] not in before:
            return False
    if _JOINS_NOTHING.search(made) and not _JOINS_NOTHING.search(before):
        return False
    if _DANGLING.search(made) or _BAD_START.match(main) or (_BAD_START.match(made) and not _BAD_START.match(before)):
        return False
    bare = finite_verb(before) is None and re.search(r"\d", made) is not None
    return len(made.split()) >= (1 if bare else 2 if tail else 3) and made.count("(") == made.count(")")


def _has_main_verb(sentence: str) -> bool:
    """Whether a sentence has a finite verb besides that of a clause inside it: "a tenant who disagrees may call"."""
    sentence = _ASIDE.sub("", sentence)
    verb = finite_verb(sentence)
    inner = _SUBORDINATE.search(sentence)
    if verb is None or inner is None or verb.start < inner.start():
        return verb is not None
    return finite_verb(sentence, verb.end) is not None


def _after_colon(sentence: str) -> str:
    """What follows the last colon of a sentence, "" if it has none."""
    return _COLON.split(sentence)[-1] if _COLON.search(sentence) else ""


def _shared(said: str, source: str) -> float:
    words = set(content_stems(said))
    return len(words & set(content_stems(source))) / max(1, len(words))


def softer(output: str, sentence: Span, sources: Sequence[Source]) -> Iterator[Candidate]:
    """A sentence without the word that claims too much, or with the exception that the context has."""
    said = sentence.of(output)
    end = len(_END.sub("", _without_last_mark(said)))
    strong = list(_STRONG.finditer(said))
    for source in sources[:3]:
        for match in _EXCEPTION.finditer(source.text):
            words = match.group().strip(" ,(")
            words = words.partition(",")[0]
            least = _DECIDING if source.decides else _SAME_MATTER
            if _shared(words, said) >= _SAME_MATTER or _shared(said, source.text) < least:
                continue
            added = f", {words}" if words.startswith(("except", "but")) else f" {words}"
            at = sentence.start + end
            if words.startswith(_EXCEPTS):  # "in every room, except the hall" reads well
                yield source.edit(at, at, added, "soften")
            for word in strong:
                if _ADVERB.fullmatch(word.group().strip()):
                    low, high = sentence.start + word.start(), sentence.start + word.end()
                    yield source.edit(low, at, output[high:at] + added, "soften")
            if not words.startswith(_EXCEPTS):
                yield source.edit(at, at, added, "soften")
    for word in strong:
        low, high = sentence.start + word.start(), sentence.start + word.end()
        if _ADVERB.fullmatch(word.group().strip()):
            yield sources[0].edit(low, high, "", "soften") if sources else Candidate(low, high, "", "soften")
        for source in sources[:3]:
            for weak in _WEAKER.finditer(source.text):
                if (weak[1] is not None) != (word.group().strip().lower() == "all"):
                    continue  # neither "usually of the rooms" nor "is most open"
                after = weak.group() if word.group().strip()[0].islower() else weak.group().capitalize()
                yield source.edit(low, high, f" {after}" if word.group()[0].isspace() else after, "soften")
