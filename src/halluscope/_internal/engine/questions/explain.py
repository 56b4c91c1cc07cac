"""The questions why an output got its score, and for a context that is known only while it is scored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from msgspec import structs

from ...core.errors import ReplyError
from ...core.plumbing.public import public_in
from ...core.prompt import Material, Prompt
from ...core.verdict import Claim, Verdict
from .question import Question, object_schema, text_in

_SHOWN = 40
"""Most verdicts in the prompt."""

_CONTEXT_SLOT = "{{context}}"
_WITH_CONTEXT = f"The context:\n{_CONTEXT_SLOT}"

_STATED = re.compile(r"\bscore\b[^.\d]{0,30}?(\d+(?:\.\d+)?)\b(?!\s*(?:%|percent))", re.IGNORECASE)


@public_in("halluscope.metrics")
class Explain(Question[str], frozen=True, kw_only=True):
    """Asks for a short reason for a score. A reply that names another score is refused.

    Attributes:
        score: The score.
        scale: The highest score.
        meaning: How the score is computed, in words.
        verdicts: The verdicts that led to the score.
        summary: A reason composed from the verdicts. Judges that do not write text answer with it.
        context: Context for the explanation, if it is resolved separately.
    """

    kind: ClassVar[str] = "explain"
    answer_type: ClassVar[Any] = str
    repairs: ClassVar[int | None] = 1
    reads_text: ClassVar[bool] = False

    score: float
    scale: float
    meaning: str
    verdicts: tuple[Verdict, ...]
    summary: str
    context: tuple[str, ...] | None = None

    @property
    def shown_score(self) -> str:
        return f"{round(self.score, 2):g}"

    def slots(self) -> Mapping[str, str | Material]:
        failing_first = sorted(self.verdicts, key=lambda v: v.support.holds)[:_SHOWN]
        findings = [
            {
                "statement": v.claim.text if v.passage is None else f"passage {v.passage + 1}",
                "finding": v.support.value,
                "reason": v.reason or "",
            }
            for v in failing_first
        ]
        return {
            "score": self.shown_score,
            "scale": f"{self.scale:g}",
            "meaning": self.meaning,
            "verdicts": Material(findings),
            "context": Material(self.context),
        }

    def render(self) -> Prompt:
        if self.context is None or _CONTEXT_SLOT in self.template:
            return super().render()
        return structs.replace(self, template=f"{self.template.rstrip()}\n\n{_WITH_CONTEXT}").render()

    def schema(self) -> dict[str, Any]:
        return object_schema(reason={"type": "string"})

    def read(self, data: Any) -> str:
        reason = text_in(data.get("reason", data) if isinstance(data, dict) else data)
        return self._checked(reason)

    def read_text(self, text: str) -> str:
        return self._checked(text.strip())

    def _checked(self, reason: str) -> str:
        if not reason:
            raise ReplyError("the reason is empty")
        for stated in _STATED.findall(reason):
            if abs(float(stated) - self.score) > 0.0051:
                raise ReplyError(f"the reason names a score of {stated}; the score is {self.shown_score}")
        return reason

    def typical_answer(self) -> str:
        return ""

    @property
    def size(self) -> int:
        shown = sum(len(v.claim.text) + len(v.reason or "") for v in self.verdicts[:_SHOWN])
        return shown + sum(map(len, self.context or ()))

    def split(self, limit: int) -> tuple[Explain, ...]:
        """The question without its context. The verdicts contain what matters of it."""
        return (structs.replace(self, context=None),) if self.context is not None else (self,)


@public_in("halluscope.metrics")
class ResolveContext(Question[tuple[str, ...]], frozen=True, kw_only=True):
    """Asks for the context to check claims against.

    No model answers this question, but the code that set `resolve_context` on the metric, such as a hook that reads
    the results of tool calls.

    Attributes:
        step: The step that needs the context: "analyze" or "explain".
        claims: The claims of the output.
        verdicts: The verdicts, in the step "explain".
        score: The score, in the step "explain".
    """

    kind: ClassVar[str] = "resolve"
    answer_type: ClassVar[Any] = tuple[str, ...]

    step: Literal["analyze", "explain"]
    claims: tuple[Claim, ...]
    verdicts: tuple[Verdict, ...] = ()
    score: float | None = None

    def typical_answer(self) -> tuple[str, ...]:
        return ()

    @property
    def size(self) -> int:
        return 0
