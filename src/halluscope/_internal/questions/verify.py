"""Is each claim supported by the context?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct, structs

from ..errors import ReplyError
from ..plumbing.public import public_in
from ..prompt import Material
from ..text.quotes import folded, locate, resemblance, same_script
from ..text.words import words
from ..verdict import Claim, Evidence, Support, Verdict
from .question import Passage, Question, listed, packed, text_in, verdicts_schema, word_of

_SAME_STATEMENT = 0.5
"""How much of its words a restated claim must share with the claim whose id it carries."""


_BASES = (Support.SUPPORTED.value, Support.CONTRADICTED.value, Support.UNSUPPORTED.value)


@public_in("halluscope.metrics")
class Verification(Struct, frozen=True):
    """The verdicts that can be trusted, and what was refused and why. A claim may be in neither."""

    verdicts: tuple[Verdict, ...]
    refused: tuple[str, ...] = ()


@public_in("halluscope.metrics")
class VerifyClaims(Question[Verification], frozen=True, kw_only=True):
    """Which word of the vocabulary fits each claim?

    `words` maps the metric's vocabulary onto the kinds of support. `truths` are facts drawn from the
    context, for metrics that compare claims with those; the passages stay for the evidence.
    """

    kind: ClassVar[str] = "verify"
    counts_in_part: ClassVar[bool] = True
    answer_type: ClassVar[Any] = Verification

    claims: tuple[Claim, ...]
    passages: tuple[Passage, ...]
    words: dict[str, Support]
    truths: tuple[str, ...] | None = None
    input: str | None = None
    output: str | None = None
    """Where the claims have their places. Not shown to a chat judge, which sees the claims alone."""

    def slots(self) -> Mapping[str, str | Material]:
        if self.truths is None:
            context: list[dict[str, str]] = [{"id": p.label, "text": p.text} for p in self.passages]
        else:
            context = [{"id": f"t{i}", "text": text} for i, text in enumerate(self.truths, start=1)]
        return {
            "claims": Material([{"id": c.id, "statement": c.text} for c in self.claims]),
            "context": Material(context),
            "words": ", ".join(f'"{word}"' for word in self.words),
        }

    def schema(self) -> dict[str, Any]:
        properties: dict[str, Any] = {
            "id": {"type": "string", "enum": [claim.id for claim in self.claims]},
            "statement": {"type": "string"},
            "reason": {"type": "string"},
            "evidence": {"type": "string"},
            "basis": {"type": "string", "enum": ["supported", "contradicted", "unsupported"]},
            "verdict": {"type": "string", "enum": list(self.words)},
        }
        return verdicts_schema(properties)

    def read(self, data: Any) -> Verification:
        """Exactly one verdict per claim, by id, by its words, or by its place in a complete list."""
        items = [item for item in listed(data, "verdicts", "results") if isinstance(item, dict)]
        by_order = len(items) == len(self.claims) and not any(item.get("id") or item.get("statement") for item in items)
        found: dict[str, Verdict] = {}
        conflicting: set[str] = set()
        refused: list[str] = []
        for place, item in enumerate(items):
            claim = self.claims[place] if by_order else self._claim_of(item)
            if claim is None:
                refused.append(f"a verdict on {_named(item)}, which was not asked about")
                continue
            word = word_of(item.get("verdict"), self.words)
            if word is None:
                refused.append(f"the word {text_in(item.get('verdict'))!r} for claim {claim.id}")
                continue
            basis = text_in(item.get("basis")).casefold()
            if basis in _BASES and (basis == Support.SUPPORTED.value) != self.words[word].holds:
                refused.append(f"the verdict {word!r} on claim {claim.id}, given as {basis}")
                continue
            verdict = self._verdict(claim, word, item)
            if claim.id in found and found[claim.id].word != word:
                conflicting.add(claim.id)
            found.setdefault(claim.id, verdict)
        refused += [f"two different verdicts on claim {id}" for id in sorted(conflicting)]
        kept = tuple(found[c.id] for c in self.claims if c.id in found and c.id not in conflicting)
        if not kept:
            raise ReplyError(f"no verdict in the reply can be used: {'; '.join(refused) or 'there is none'}")
        return Verification(kept, tuple(refused))

    def _claim_of(self, item: dict[str, Any]) -> Claim | None:
        id, statement = text_in(item.get("id")), text_in(item.get("statement"))
        for claim in self.claims:
            if claim.id == id:
                return claim if not statement or _restates(statement, claim.text) else None
        if id or not statement:
            return None
        return next((c for c in self.claims if folded(c.text) == folded(statement)), None)

    def _verdict(self, claim: Claim, word: str, item: dict[str, Any]) -> Verdict:
        support = self._refined(self.words[word], text_in(item.get("basis")))
        evidence, note = self._evidence(text_in(item.get("evidence")), support)
        return Verdict(
            claim=claim,
            support=support,
            reason=text_in(item.get("reason")) or None,
            evidence=evidence,
            word=word,
            notes=(note,) if note else (),
        )

    def _refined(self, support: Support, basis: str) -> Support:
        """Tells contradicted from unsupported, but only where the vocabulary has one word for both:
        elsewhere the word has said it, and an "idk" must not come to count as a "no"."""
        told_apart = Support.CONTRADICTED in self.words.values()
        if support is Support.UNSUPPORTED and basis == Support.CONTRADICTED.value and not told_apart:
            return Support.CONTRADICTED
        return support

    def _evidence(self, quote: str, support: Support) -> tuple[tuple[Evidence, ...], str | None]:
        if not quote:
            return (), None
        for passage in self.passages:
            place = locate(quote, passage.text)
            if place:
                exact = passage.text[place[0] : place[1]]
                start, end = (passage.offset + at for at in place)
                return (Evidence(passage.index, start, end, exact, "for" if support.holds else "against"),), None
        if self.truths is not None and any(locate(quote, truth) for truth in self.truths):
            return (), None
        return (), f"dropped quoted evidence that is not in the context: {quote[:200]!r}"

    @property
    def size(self) -> int:
        if self.truths is not None:
            return sum(map(len, self.truths)) + sum(len(c.text) for c in self.claims)
        return sum(len(p.text) for p in self.passages) + sum(len(c.text) for c in self.claims)

    def split(self, limit: int) -> tuple[VerifyClaims, ...]:
        """Parts of the context for all claims, or parts of the claims where they fill the window."""
        claimed = sum(len(c.text) for c in self.claims)
        if claimed > limit // 2 and len(self.claims) > 1:
            middle = len(self.claims) // 2
            halves = self.claims[:middle], self.claims[middle:]
            return tuple(structs.replace(self, claims=half) for half in halves)
        # A claim that fills the window alone must not leave room for single letters of the context.
        room = max(1, limit // 2, limit - claimed)
        if self.truths is not None:
            facts = [Passage(i, truth) for i, truth in enumerate(self.truths)]
            groups = packed(facts, room)
            return tuple(structs.replace(self, truths=tuple(p.text for p in group)) for group in groups)
        return tuple(structs.replace(self, passages=group) for group in packed(self.passages, room))

    def merge(self, parts: Sequence[Question[Verification]], answers: Sequence[Verification]) -> Verification:
        """A claim is supported if any part supports it, contradicted if any does and none supports it.

        That none supports it is known only once all parts have spoken: else the claim has no verdict yet.
        """
        asked = Counter(claim.id for part in parts if isinstance(part, VerifyClaims) for claim in part.claims)
        given = Counter(verdict.claim.id for answer in answers for verdict in answer.verdicts)
        best: dict[str, Verdict] = {}
        for answer in answers:
            for verdict in answer.verdicts:
                known = best.get(verdict.claim.id)
                if known is None or _RANK[verdict.support] > _RANK[known.support]:
                    best[verdict.claim.id] = verdict
        settled = {id for id, verdict in best.items() if verdict.support.holds or given[id] >= asked[id]}
        ordered = tuple(best[c.id] for c in self.claims if c.id in settled)
        return Verification(ordered, tuple(text for answer in answers for text in answer.refused))


_RANK = {Support.NOT_A_CLAIM: 0, Support.UNSUPPORTED: 1, Support.CONTRADICTED: 2, Support.SUPPORTED: 3}


def _restates(statement: str, claim: str) -> bool:
    """Whether this is the claim in other words, or in another language as far as its letters show that. One with
    other numbers in it is another claim: judges are prone to put the context's number in, and then to find nothing
    wrong."""
    if folded(statement) == folded(claim):
        return True
    if not _numbers(statement) <= _numbers(claim):
        return False
    return resemblance(statement, claim) >= _SAME_STATEMENT or not same_script(statement, claim)


def _numbers(text: str) -> set[str]:
    return {word.replace(",", "") for word in words(text) if word[0].isdigit()}


def _named(item: dict[str, Any]) -> str:
    return repr(text_in(item.get("statement")) or text_in(item.get("id")) or "an unnamed claim")
