"""The embedded judge's edits: candidates by rule, of which those count that its network finds supported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product, takewhile

from ....core.plumbing.threads import checkpoint
from ....core.verdict import Claim, Support, Verdict
from ....engine.questions import ProposedEdit, ProposeEdits
from ....text import Span, content_stems, content_words
from ....text.taking_out import Removal, removal, sentences_around, uncited
from ..claims.extracting import extract
from ..claims.grammar import finite_verb
from ..network.model import Place, Reading, load
from ..network.passes import alone_look, lead_of, with_evidence
from ..reading.evidence import ReadContext
from .candidate import Candidate, sources_of
from .cuts import cuts, weakening_cuts
from .denials import denials
from .narrowing import softer
from .remainders import keeping_subject, left_of, loses_name, reads_well
from .replacements import replacements

Judged = Callable[[Sequence[Claim], str], Sequence[Verdict]]
"""Judges claims of an output."""

_IS_NUMBER = re.compile(r"(?:[^\W\d_]{1,3}[ -]?)?[$€£]?\d[\d.,:/]*(?:\s?[\w%°/.-]{1,12}){0,2}")
_IS_NAME = re.compile(r"[A-Z][\w'’.-]*(?:\s[A-Z][\w'’.-]*){0,3}")
_SO = re.compile(r"[\s,;]+(?:and\s+)?so\b(?!\s+(?:is|are|was|were|do|does|did|has|have|can|will)\b)", re.IGNORECASE)
_SURELY, _SUPPORTED = 0.7, 0.5
"""From these confidences on, a text with another value in it counts as supported, and a shorter one."""
_MARGIN = 0.45
"""The rise in support from which on a value of the deciding sentence is taken that is not that sure."""
_SPOKEN_OF = 0.5
"""The share of the words of a claim that the context has if it can be denied by it."""
_POSSIBLY, _HARDLY = 0.3, 0.05
"""How well an edit must be supported where it is read alone to be read in its place. The second is for a value that may
be understood only in its place."""
_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof", "professor", "sir"))
_VALUES, _SOFTER, _CUTS, _DENIALS, _FEWER = 14, 4, 8, 3, 6
_PAIRED, _MOST_READ = 3, 3
"""Most edits of a sort that are looked at, that are combined, and that are then read in their place."""


def proposed(question: ProposeEdits, context: ReadContext, judge: Judged) -> tuple[ProposedEdit, ...]:
    """One edit for each wrong claim that has a place, the surest first.

    A claim that goes with another of its sentence, or that holds once the other is edited, needs none.
    """
    found: list[ProposedEdit] = []
    for verdict in sorted(question.verdicts, key=lambda one: -(one.confidence or 0.0)):
        place = (verdict.claim.start or 0, verdict.claim.end or 0)
        if any(edit.start < place[1] and place[0] < edit.end for edit in found):
            continue
        finder = _Finder(question, context, judge, verdict, place)
        if not finder.holds_with(found):
            found.append(finder.edit())
    return tuple(found)


class _Finder:
    """Looks for the smallest edit that repairs one claim."""

    def __init__(
        self, question: ProposeEdits, context: ReadContext, judge: Judged, verdict: Verdict, place: Place
    ) -> None:
        self._question, self._context, self._judge = question, context, judge
        self._verdict, self._place = verdict, place
        self._sentence = sentences_around(question.output, *place)
        self._sources = sources_of(context, verdict.claim.text, verdict.evidence)
        others = [v.claim for v in question.verdicts if v is not verdict]
        self._beside = [(c.start, c.end) for c in others if c.start is not None and c.end is not None]

    def edit(self) -> ProposedEdit:
        chosen = self._at_marks() or self._elsewhere() or Candidate(*self._whole(), "remove")
        return ProposedEdit(
            claim=self._verdict.claim.id,
            kind=chosen.kind,
            start=chosen.start,
            end=chosen.end,
            after=chosen.after,
            evidence=chosen.evidence,
        )

    def _at_marks(self) -> Candidate | None:
        """An edit of the marked words."""
        output, verdict, place = self._question.output, self._verdict, self._place
        values = self._untried(self._values(verdict.marks), _VALUES)
        narrower = self._untried(softer(output, self._sentence, self._sources), _SOFTER)
        shorter = self._untried(cuts(output, self._sentence, place, verdict.marks), _CUTS)
        denied = self._untried(self._denials(), _DENIALS)
        likely = self._likely([*values, *narrower, *shorter, *denied])
        return (
            self._only([one for one in likely if one in values])
            or self._first([one for one in narrower if one in likely])
            or self._first([one for one in shorter if one in likely])
            or self._first(self._likely(self._both(values[:_PAIRED], shorter[:_PAIRED])))
            or self._first([one for one in denied if one in likely])
        )

    def _elsewhere(self) -> Candidate | None:
        """An edit of words that are not marked: marks miss an error at times. It must be surer."""
        marks = self._verdict.marks
        values = (one for one in self._values(()) if one.decided and not _touches(one, marks)) if marks else ()
        shorter = weakening_cuts(self._question.output, self._sentence, self._place, marks)
        likely = self._likely([*self._untried(values, _FEWER), *self._untried(shorter, _FEWER)])
        return self._only([one for one in likely if one.kind != "remove"]) or self._first(
            [one for one in likely if one.kind == "remove"], _SURELY
        )

    def _denials(self) -> list[Candidate]:
        """The claim denied, if the context speaks of its matter and nothing is said to follow from it."""
        verdict = self._verdict
        words = content_words(verdict.claim.text)
        known = sum(map(self._context.mentions, words))
        followed = self._has_consequence() or _SO.search(self._question.output, *self._place)
        if followed or known < _SPOKEN_OF * len(words):
            return []
        contradicted = verdict.support is Support.CONTRADICTED
        return denials(self._question.output, self._place, verdict.marks, self._sources, contradicted=contradicted)

    def _has_consequence(self) -> bool:
        """Whether something is said to follow from the claim, which does not stand without it."""
        return _SO.match(self._question.output, self._place[1]) is not None

    def _values(self, marks: Sequence[Place]) -> Iterator[Candidate]:
        claim, asked = self._verdict.claim.text, self._question.input or ""
        return replacements(self._question.output, self._place, claim, marks, self._context, self._sources, asked)

    def holds_with(self, edits: Sequence[ProposedEdit]) -> bool:
        """Whether the claim holds once the edits of other claims of its sentence are made."""
        near = sorted((e.start, e.end, e.after) for e in edits if self._sentence.start <= e.start < self._sentence.end)
        if not near:
            return False
        output, start, end, after = self._question.output, near[0][0], near[0][0], ""
        for low, high, made in near:
            after, end = after + output[end:low] + made, high
        return self._holds(Candidate(start, end, after, "remove"))

    def _whole(self) -> Removal:
        """The claim taken out; its sentence where the rest would not read well, or where less was tried before."""
        output, sentence = self._question.output, self._sentence
        alone = keeping_subject(output, sentence, removal(output, *self._place))
        left = left_of(output, sentence, alone)
        again = any(before in sentence.of(output) for before, _ in self._question.tried)
        said = sentence.of(output)
        broken = left.strip() and (not reads_well(left, said) or loses_name(left, said))
        if again or self._has_consequence() or broken:
            return removal(output, *sentence)
        return alone

    def _untried(self, candidates: Iterable[Candidate], most: int) -> list[Candidate]:
        tried, output = self._question.tried, self._question.output
        return list(islice((one for one in candidates if (output[one.start : one.end], one.after) not in tried), most))

    def _likely(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates that the network finds supported, alone or, of values, in their place, the best first.

        Only the first values of the deciding sentence are read in their place: that doubles the work.
        """
        made = _supported([self._alone(self._stated(one)) for one in candidates])
        doubtful = [
            at
            for at, one in enumerate(candidates)
            if one.decided and one.kind == "replace" and _HARDLY <= made[at] < _POSSIBLY
        ][:_MOST_READ]
        in_place = _supported([self._in_place(candidates[at]) for at in doubtful])
        for at, supported in zip(doubtful, in_place, strict=True):
            made[at] = max(made[at], supported)
        found = [
            (supported, one)
            for one, supported in zip(candidates, made, strict=True)
            if supported >= (_SUPPORTED if one.kind == "replace" and not one.decided else _POSSIBLY)
        ]
        return [one for _, one in sorted(found, key=lambda pair: -pair[0])]

    def _alone(self, text: str) -> Reading:
        return alone_look(Claim("", text), self._context.given, self._question.input)

    def _in_place(self, one: Candidate) -> Reading:
        """The edited sentence, led in by what stands before it."""
        lead = lead_of(self._question.input or "", self._question.output, self._sentence.start)
        text = self._edited(one).strip()
        return with_evidence(self._context.given, lead, text, ((0, len(text)),))

    def _both(self, values: Sequence[Candidate], shorter: Sequence[Candidate]) -> list[Candidate]:
        """A value and a cut together: a claim may be wrong twice."""
        found = []
        for value, cut in product(values, shorter):
            one, two = sorted((value, cut))
            plain = _IS_NUMBER.fullmatch(value.after) or (value.decided and _IS_NAME.fullmatch(value.after))
            if one.end <= two.start and plain:
                after = one.after + self._question.output[one.end : two.start] + two.after
                found.append(value._replace(start=one.start, end=two.end, after=after))
        return found

    def _stated(self, one: Candidate) -> str:
        """The claim with the edit in it."""
        output, (start, end) = self._question.output, self._place
        said, stated = uncited(output[start:end]).rstrip(" ."), self._verdict.claim.text.rstrip(" .")
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(said[::-1], stated[::-1], strict=False)))
        own = start + len(said) - shared  # before it, the claim has words of its own, such as a name for "it"
        if own <= one.start and one.end <= end:
            return stated[: len(stated) - shared] + output[own : one.start] + one.after + output[one.end : end]
        return self._edited(one)

    def _only(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """The only value that makes the claim right, None if there are several or none.

        Values of the deciding sentence go before others. Two agree where one says what the other says and more.
        """
        for decided in (True, False):
            tried = [one for one in candidates if one.decided is decided][:_MOST_READ]
            if good := [one for one in tried if self._holds(one, self._least(one))]:
                least = min(good, key=lambda one: (len(self._brought(one)), one.end - one.start + len(one.after)))
                return least if all(self._brought(least) <= self._brought(one) for one in good) else None
        return None

    def _brought(self, one: Candidate) -> frozenset[str]:
        """The words that an edit brings into the sentence."""
        there = set(content_stems(self._sentence.of(self._question.output)))
        return frozenset(content_stems(one.after)) - there - _TITLES or frozenset((one.after,))

    def _first(self, candidates: Sequence[Candidate], least: float = _SUPPORTED) -> Candidate | None:
        """The first part that can be missed. A value beside it must be as sure as one alone."""
        for one in candidates[:_MOST_READ]:
            if self._holds(one, self._least(one) if one.kind == "replace" else least) and self._goes_rightly(one):
                return one
        return None

    def _least(self, value: Candidate) -> float:
        """How sure a value must be: less if it comes from the deciding sentence and makes the claim clearly better."""
        before = 1 - (self._verdict.confidence or 0.0)
        return min(_SURELY, max(_SUPPORTED, before + _MARGIN)) if value.decided else _SURELY

    def _goes_rightly(self, cut: Candidate) -> bool:
        """Whether a clause that is cut is supported less than what stays."""
        gone = self._question.output[cut.start : cut.end].strip(" ,;")
        if cut.kind != "remove" or finite_verb(gone) is None:
            return True
        lost, left = _supported([self._alone(gone), self._alone(self._stated(cut))])
        return lost < left

    def _edited(self, one: Candidate) -> str:
        return left_of(self._question.output, self._sentence, Removal(one.start, one.end, one.after))

    def _holds(self, one: Candidate, least: float = _SUPPORTED) -> bool:
        """Whether all claims of the sentence hold once it is edited, but for those that were wrong beside this one."""
        checkpoint()
        text = Removal(one.start, one.end, one.after).applied(self._question.output)
        grown = len(text) - len(self._question.output)
        sentence = Span(self._sentence.start, self._sentence.end + grown)
        claims = [
            claim
            for claim in extract(text, self._question.input)
            if claim.start is not None
            and claim.end is not None
            and claim.start < sentence.end
            and claim.end > sentence.start
        ]
        claims = [claim for claim in claims if not self._known_wrong(claim, one, grown)]
        made = sentence.of(text)
        if (
            one.kind == "replace"
            and finite_verb(made) is None
            and finite_verb(self._sentence.of(self._question.output))
        ):
            return False
        verdicts = self._judge(claims, text) if claims else []
        if one.kind != "remove" and not verdicts:
            return False
        return all(v.support.holds and (v.confidence or 0.0) >= least for v in verdicts)

    def _known_wrong(self, claim: Claim, one: Candidate, grown: int) -> bool:
        """Whether it is another claim that is wrong already, which has an edit of its own."""
        assert claim.start is not None and claim.end is not None
        made = one.start + len(one.after)  # where the edit ends in the edited text
        start = claim.start if claim.start < one.start else max(one.end - 1, claim.start - grown)
        end = claim.end if claim.end < made else claim.end - grown
        return any(low < end and start < high for low, high in self._beside)


def _touches(one: Candidate, places: Sequence[Place]) -> bool:
    return any(one.start < high and low < one.end for low, high in places)


def _supported(readings: Sequence[Reading]) -> list[float]:
    """How far the network finds each reading of one claim supported."""
    return [view.supported for (view,) in load().read(readings)] if readings else []
