"""How a claim that says too much is narrowed: by the exception or the weaker word of the context."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....text import Span, content_stems
from .candidate import Candidate, Source
from .remainders import end_of

_SAME_MATTER, _DECIDING = 0.6, 0.4
"""The share of a sentence's words that a sentence of the context has whose exception is its exception. The second is
for the sentence that decides."""
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


def softer(output: str, sentence: Span, sources: Sequence[Source]) -> Iterator[Candidate]:
    """A sentence without the word that claims too much, or with the exception that the context has."""
    said = sentence.of(output)
    end = end_of(said)
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


def _shared(said: str, source: str) -> float:
    words = set(content_stems(said))
    return len(words & set(content_stems(source))) / max(1, len(words))
