"""The question for the context of an output, if it is known only while the output is scored."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from ...core.plumbing.public import public_in
from ...core.verdict import Claim, Verdict
from .question import Question


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
