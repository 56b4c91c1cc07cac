"""What every metric can do with a judge: score an output, or a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..case import Case
from ..judge import JudgeSpec, resolve
from ..plumbing import sync
from ..result import Result
from .driver import Driver, HasFlow, Patience, ReplyCache


class Scorer:
    """Scores one case at a time, synchronously or not. Holds no state between cases."""

    __slots__ = ()

    async def ascore(
        self: HasFlow,
        /,
        *,
        output: object,
        context: object = None,
        input: object = None,
        id: object = None,
        metadata: Mapping[str, Any] | None = None,
        judge: JudgeSpec = None,
        cache: ReplyCache | None = None,
        patience: Patience | None = None,
        **options: Any,
    ) -> Result:
        """The result for one output. `score` may also be called where a loop is running, such as in a notebook.

        `options` are those of a judge given by name: `base_url`, `temperature`, …
        """
        driver = Driver(resolve(judge, **options), cache=cache, patience=patience)
        return await driver.score(self, Case.of(output, context, input, id=id, metadata=metadata))

    async def ascore_case(
        self: HasFlow,
        /,
        case: Case,
        *,
        judge: JudgeSpec = None,
        cache: ReplyCache | None = None,
        patience: Patience | None = None,
        **options: Any,
    ) -> Result:
        """The result for a case; otherwise as `ascore`."""
        return await Driver(resolve(judge, **options), cache=cache, patience=patience).score(self, case)

    score = sync.blocking_method(ascore, "score")
    score_case = sync.blocking_method(ascore_case, "score_case")
