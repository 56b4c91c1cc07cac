"""Questions for one verdict on each of several things: whether the context supports each claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal

from msgspec import Struct, structs

from ...core.errors import ReplyError
from ...core.plumbing.public import public_in
from ...core.prompt import Material
from ...core.verdict import Claim, Evidence, Support, Verdict
from ...text.quotes import folded, locate, resemblance, same_script
from ...text.words import words
from .question import (
    TOKENS_PER_VERDICT,
    Passage,
    Question,
    list_schema,
    listed,
    object_schema,
    packed,
    probability_in,
    text_in,
    word_of,
)

_SAME_STATEMENT = 0.5
"""The least share of words that a restated claim must have in common with the claim of the same id."""


_BASES = (Support.SUPPORTED.value, Support.CONTRADICTED.value, Support.UNSUPPORTED.value)


@public_in("halluscope.metrics")
class Verification(Struct, frozen=True):
    """The verdicts on claims. A claim may have none.

    Attributes:
        verdicts: The usable verdicts.
        refused: Descriptions of the verdicts in the reply that cannot be used.
    """

    verdicts: tuple[Verdict, ...]
    refused: tuple[str, ...] = ()


class VerdictQuestion(Question[Verification], frozen=True, kw_only=True):
    """A question for a verdict on each of several items. The id of an item is that of the claim in its verdict."""

    counts_in_part: ClassVar[bool] = True
    answer_type: ClassVar[Any] = Verification
    strongest_last: ClassVar[tuple[Support, ...]]
    """Where the parts of a question differ on an item, the later one wins. The last one is final."""

    @property
    def asked(self) -> tuple[Claim, ...]:
        """What a verdict is asked on."""
        raise NotImplementedError

    def read(self, data: Any) -> Verification:
        """Read one verdict per item, matched by id, by its text, or by order in a complete list."""
        items = [item for item in listed(data, "verdicts", "results") if isinstance(item, dict)]
        by_order = len(items) == len(self.asked) and not any(item.get("id") or item.get("statement") for item in items)
        found: dict[str, Verdict] = {}
        conflicting: set[str] = set()
        refused: list[str] = []
        for place, item in enumerate(items):
            claim = self.asked[place] if by_order else self._claim_of(item)
            if claim is None:
                named = text_in(item.get("statement")) or text_in(item.get("id")) or "an unnamed claim"
                refused.append(f"a verdict on {named!r}, which was not asked about")
                continue
            word = word_of(item.get("verdict"), self.vocabulary)
            if word is None:
                refused.append(f"the word {text_in(item.get('verdict'))!r} for {self.noun} {claim.id}")
                continue
            verdict = self._verdict(claim, word, item)
            if isinstance(verdict, str):
                refused.append(verdict)
                continue
            if claim.id in found and found[claim.id].word != word:
                conflicting.add(claim.id)
            found.setdefault(claim.id, verdict)
        refused += [f"two different verdicts on {self.noun} {id}" for id in sorted(conflicting)]
        kept = tuple(found[c.id] for c in self.asked if c.id in found and c.id not in conflicting)
        if not kept:
            raise ReplyError(f"the reply contains no usable verdict: {'; '.join(refused) or 'there is none'}")
        return Verification(kept, tuple(refused))

    def _claim_of(self, item: dict[str, Any]) -> Claim | None:
        id = text_in(item.get("id"))
        return next((claim for claim in self.asked if claim.id == id), None)

    def _verdict(self, claim: Claim, word: str, item: dict[str, Any]) -> Verdict | str:
        """The verdict on a claim, or why it is refused."""
        raise NotImplementedError

    def items(self) -> tuple[str, ...]:
        return tuple(claim.id for claim in self.asked)

    def judgements(self, answer: Verification) -> dict[str, Verdict]:
        asked = set(self.items())
        return {verdict.claim.id: verdict for verdict in answer.verdicts if verdict.claim.id in asked}

    def joined(self, judgements: Sequence[Verdict], refused: Sequence[str] = ()) -> Verification:
        return Verification(tuple(judgements), tuple(refused))

    def refused(self, answer: Verification) -> tuple[str, ...]:
        return answer.refused

    def typical_reply_tokens(self) -> int:
        return TOKENS_PER_VERDICT * len(self.asked)

    def merge(self, parts: Sequence[Question[Verification]], answers: Sequence[Verification]) -> Verification:
        """The strongest verdict on each item. Unless it is final, every part that asked about the item must answer."""
        asked = Counter(item for part in parts for item in part.items())
        given: Counter[str] = Counter()
        best: dict[str, Verdict] = {}
        for part, answer in zip(parts, answers, strict=True):
            for item, verdict in part.judgements(answer).items():
                given[item] += 1
                if item not in best or self._strength(verdict) > self._strength(best[item]):
                    best[item] = verdict
        final = len(self.strongest_last) - 1
        kept = [
            best[i] for i in self.items() if i in best and (given[i] >= asked[i] or self._strength(best[i]) == final)
        ]
        return Verification(tuple(kept), tuple(text for answer in answers for text in answer.refused))

    def _strength(self, verdict: Verdict) -> int:
        return self.strongest_last.index(verdict.support)


@public_in("halluscope.metrics")
class VerifyClaims(VerdictQuestion, frozen=True, kw_only=True):
    """Asks for a verdict on each claim.

    Attributes:
        claims: The claims.
        passages: The context.
        words: The metric's vocabulary, and the kind of support that each word stands for.
        truths: Facts drawn from the context, for metrics that compare claims with these instead of the passages.
        input: The question that the output answers.
        output: The output that the claims were taken from. Chat judges see only the claims.
    """

    kind: ClassVar[str] = "verify"
    noun: ClassVar[str] = "claim"
    strongest_last: ClassVar[tuple[Support, ...]] = (
        Support.NOT_A_CLAIM,
        Support.UNSUPPORTED,
        Support.CONTRADICTED,
        Support.SUPPORTED,
    )

    claims: tuple[Claim, ...]
    passages: tuple[Passage, ...]
    words: dict[str, Support]
    truths: tuple[str, ...] | None = None
    input: str | None = None
    output: str | None = None

    @property
    def asked(self) -> tuple[Claim, ...]:
        return self.claims

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

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(self.words)

    def schema(self) -> dict[str, Any]:
        verdict = object_schema(
            id={"type": "string", "enum": [claim.id for claim in self.claims]},
            statement={"type": "string"},
            reason={"type": "string"},
            evidence={"type": "string"},
            basis={"type": "string", "enum": list(_BASES)},
            verdict={"type": "string", "enum": list(self.words)},
        )
        return list_schema("verdicts", verdict)

    def _claim_of(self, item: dict[str, Any]) -> Claim | None:
        id, statement = text_in(item.get("id")), text_in(item.get("statement"))
        for claim in self.claims:
            if claim.id == id:
                return claim if not statement or _restates(statement, claim.text) else None
        if id or not statement:
            return None
        return next((c for c in self.claims if folded(c.text) == folded(statement)), None)

    def _verdict(self, claim: Claim, word: str, item: dict[str, Any]) -> Verdict | str:
        basis = text_in(item.get("basis")).casefold()
        if basis in _BASES and (basis == Support.SUPPORTED.value) != self.words[word].holds:
            return f"the verdict {word!r} on claim {claim.id}, given as {basis}"
        support = self._refined(self.words[word], basis)
        evidence, note = self._evidence(text_in(item.get("evidence")), support)
        return Verdict(
            claim=claim,
            support=support,
            reason=text_in(item.get("reason")) or None,
            confidence=probability_in(item, [w for w, s in self.words.items() if s.holds == support.holds]),
            evidence=evidence,
            word=word,
            notes=(note,) if note else (),
        )

    def _refined(self, support: Support, basis: str) -> Support:
        """Refine unsupported to contradicted if the vocabulary has one word for both.

        Otherwise the word decides: an "idk" must not count as a "no".
        """
        own_word = Support.CONTRADICTED in self.words.values()
        if support is Support.UNSUPPORTED and basis == Support.CONTRADICTED.value and not own_word:
            return Support.CONTRADICTED
        return support

    def _evidence(self, quote: str, support: Support) -> tuple[tuple[Evidence, ...], str | None]:
        if not quote:
            return (), None
        if found := quoted_in(self.passages, quote, "for" if support.holds else "against"):
            return (found,), None
        if self.truths is not None and any(locate(quote, truth) for truth in self.truths):
            return (), None
        return (), f"dropped quoted evidence that is not in the context: {quote[:200]!r}"

    def narrowed(self, items: Collection[str]) -> VerifyClaims:
        return structs.replace(self, claims=tuple(claim for claim in self.claims if claim.id in items))

    def verdicts_in(self, answer: Verification) -> tuple[Verdict, ...]:
        return answer.verdicts

    def typical_answer(self) -> Verification:
        return Verification(tuple(Verdict(claim, Support.SUPPORTED) for claim in self.claims))

    @property
    def size(self) -> int:
        if self.truths is not None:
            return sum(map(len, self.truths)) + sum(len(c.text) for c in self.claims)
        return sum(len(p.text) for p in self.passages) + sum(len(c.text) for c in self.claims)

    def split(self, limit: int) -> tuple[VerifyClaims, ...]:
        """Split the context, or the claims if they fill the window."""
        claimed = sum(len(c.text) for c in self.claims)
        if claimed > limit // 2 and len(self.claims) > 1:
            middle = len(self.claims) // 2
            halves = self.claims[:middle], self.claims[middle:]
            return tuple(structs.replace(self, claims=half) for half in halves)
        # At least half of the limit: a claim that fills the window would leave room for single letters of the context.
        room = max(1, limit // 2, limit - claimed)
        if self.truths is not None:
            facts = [Passage(i, truth) for i, truth in enumerate(self.truths)]
            groups = packed(facts, room)
            return tuple(structs.replace(self, truths=tuple(p.text for p in group)) for group in groups)
        return tuple(structs.replace(self, passages=group) for group in packed(self.passages, room))


def quoted_in(passages: Sequence[Passage], quote: str, stance: Literal["for", "against"] = "for") -> Evidence | None:
    """The first place in the passages that has the quotation."""
    for passage in passages:
        if place := locate(quote, passage.text):
            start, end = (passage.offset + at for at in place)
            return Evidence(passage.index, start, end, passage.text[place[0] : place[1]], stance)
    return None


def _restates(statement: str, claim: str) -> bool:
    """Whether a statement is the claim, reworded or in another script, with no other numbers.

    Judges tend to restate a claim with the number of the context, and then find it supported.
    """
    if folded(statement) == folded(claim):
        return True
    if not _numbers(statement) <= _numbers(claim):
        return False
    return resemblance(statement, claim) >= _SAME_STATEMENT or not same_script(statement, claim)


def _numbers(text: str) -> set[str]:
    return {word.replace(",", "") for word in words(text) if word[0].isdigit()}
