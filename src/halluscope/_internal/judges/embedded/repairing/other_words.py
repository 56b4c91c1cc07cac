"""The words of the context that could stand in place of wrong ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from ....text import STOP_WORDS, stem
from ....text.patterns import word_list
from ..network.model import Place
from .candidate import BROKEN, Candidate, Source, has

_TOKEN = re.compile(r"\w+(?:[-'’.,:/]\w+)*|[^\w\s]")
_OPENS_CLAUSE = re.compile(
    r"(?:so|and|but|or|because|as|while|which|who|that|is|are|was|were|has|have|had|can|will|may|must|should)\b"
)
"""What makes a clause of its own, or is the verb of one."""
_PREPOSITIONS = frozenset(
    "of to in on at by for from with without into onto over under about after before during until since between".split()
)
_PLACING = frozenset("a an the of to in on at by for from with into over under about after before during".split())
_BUILDING = STOP_WORDS - _PLACING - frozenset("all any both each every many most much no none some".split())
"""Words that a sentence is built with: other ones in their place would make it another sentence."""
_TELLING = re.compile(r"\d|(?<=.)\b[A-Z]")
_LONGEST = 8
MOST_SENTENCES = 3
_ALIKE = 0.3
"""The least share of a claim's words that a sentence has which it is laid beside."""
_ALTERNATIVES = [words.split("/") for words in word_list("alternatives")]
"""Words that exclude each other: opposites, colours, days."""


def other_words(said: str, sources: Sequence[Source]) -> Iterator[Candidate]:
    """Words that the nearest sentences of the context have where the claim has others."""
    mine = [match.span() for match in _TOKEN.finditer(said)]
    words = [stem(said[start:end].lower()) for start, end in mine]
    any_decides = any(source.decides for source in sources)
    for source in sources[:MOST_SENTENCES]:
        text = source.text
        theirs = [match.span() for match in _TOKEN.finditer(text)]
        other = [stem(text[start:end].lower()) for start, end in theirs]
        matcher = SequenceMatcher(None, words, other, autojunk=False)
        if sum(block.size for block in matcher.get_matching_blocks()) < _ALIKE * len(words):
            continue
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag == "replace" and max(b - a, d - c) <= _LONGEST:
                after = text[theirs[c][0] : theirs[d - 1][1]]
                fits = _alike(said[mine[a][0] : mine[b - 1][1]], after) and not BROKEN.search(after)
                fits = fits and (_TELLING.search(after) is not None or source.decides or not any_decides)
                if source.decides and _ends_clause(said, mine[b:]) and _ends_clause(text, theirs[d:]):
                    free = a > 0 and words[a - 1] not in STOP_WORDS and not BROKEN.search(after)
                    fits = fits or (free and after[:1].isalnum() and not _OPENS_CLAUSE.match(after))
                if fits and (a or _TELLING.search(after)):  # not the verb that a request begins with
                    yield source.edit(mine[a][0], mine[b - 1][1], _cased(after, mine[a][0]))


def _ends_clause(text: str, rest: Sequence[Place]) -> bool:
    """Whether nothing but a full stop or a semicolon follows."""
    return not rest or text[rest[0][0]] in ".;!?"


def _alike(before: str, after: str) -> bool:
    """Whether two stretches are of one sort: both with a name or a number, or both without, and of the same build."""
    old, new = set(re.findall(r"\w+", before.lower())), set(re.findall(r"\w+", after.lower()))
    builds = {word for word in new - old if word in _BUILDING} or {word for word in old - new if word in _BUILDING}
    differing = [[word for word in words if word not in STOP_WORDS] for words in (old - new, new - old)]
    placed = [text.split()[0].lower() in _PREPOSITIONS for text in (before, after) if text.split()]
    if not all(differing) or builds or len(set(placed)) > 1:
        return False
    return (_TELLING.search(before) is None) == (_TELLING.search(after) is None)


def alternatives(said: str, deciding: Sequence[Source]) -> Iterator[Candidate]:
    """Words of the deciding sentence that exclude one of the claim: its opposite, another colour or day."""
    for source in deciding:
        theirs = {word.lower(): word for word in re.findall(r"\w+", source.text)}
        for match in re.finditer(r"[A-Za-z]+", said):
            word = match.group()
            groups = (group for group in _ALTERNATIVES if word.lower() in group)
            for other in (theirs[one] for group in groups for one in group if one in theirs):
                alike = not match.start() or word[0].isupper() == other[0].isupper()  # "may" is no month
                if alike and not has(said.lower(), other.lower()):
                    yield source.edit(*match.span(), _cased(other, match.start()))


def _cased(text: str, start: int) -> str:
    return text[:1].upper() + text[1:] if start == 0 else text
