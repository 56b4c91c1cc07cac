"""Which context shall the output be held against? Asked where it is known only at scoring time."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from ..plumbing.public import public_in
from ..verdict import Claim, Verdict
from .question import Question


@public_in("halluscope.metrics")
class ResolveContext(Question[tuple[str, ...]], frozen=True, kw_only=True):
    """The context for the output whose claims these are, for the step that needs it.

    No model answers this: it is for whoever set `resolve_context` on the metric, such as a hook
    that reads the results of tool calls. `verdicts` and `score` are there in the step that explains.
    """

    kind: ClassVar[str] = "resolve"
    answer_type: ClassVar[Any] = tuple[str, ...]

    step: Literal["analyze", "explain"]
    claims: tuple[Claim, ...]
    verdicts: tuple[Verdict, ...] = ()
    score: float | None = None

    @property
    def size(self) -> int:
        return 0
