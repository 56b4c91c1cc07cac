"""The judge behind a façade, and how patiently it is asked: one place for the options that all façades take."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from .._internal.case import Case
from .._internal.engine.driver import Driver, HasFlow, Patience
from .._internal.errors import InputError
from .._internal.judge import Judge, JudgeSpec
from .._internal.metric import is_number
from .._internal.result import Result
from ._models import judge_of
from ._own_models import DeclaredModel

OPTIONS = (
    "api_key",
    "base_url",
    "extra",
    "headers",
    "max_tokens",
    "patience",
    "price",
    "seed",
    "temperature",
    "timeout",
    "window",
)
"""What may be given for the judge, whatever tool the caller comes from."""

_MAY_BE_NONE = ("seed", "temperature")
"""Of which None says something: that the server is sent none."""


class Judging:
    """A model as the caller names it. Its judge is made when it is first needed, so that no key is missed before.

    `timeout` is how many seconds one question may take, with all its retries; `patience` says it more finely.
    The other options go to the judge: `base_url`, `api_key`, `seed`, `temperature`, …
    """

    def __init__(
        self,
        model: JudgeSpec = None,
        options: Mapping[str, Any] | None = None,
        *,
        provider: str | None = None,
        documented: str | None = None,
    ) -> None:
        given = {name: value for name, value in (options or {}).items() if value is not None or name in _MAY_BE_NONE}
        if isinstance(model, DeclaredModel):
            given = {**model.options, **given}
            model = model.model_name
        self.model = model
        self.provider = provider
        self.patience = _patience(given.pop("timeout", None), given.pop("patience", None))
        self.options = given
        self._documented = documented

    @cached_property
    def judge(self) -> Judge:
        """The judge."""
        return judge_of(self.model, provider=self.provider, documented=self._documented, **self.options)

    async def score(self, metric: HasFlow, case: Case, judge: Judge | None = None) -> Result:
        """The result of the metric on the case, by this judge or by one made from it."""
        return await Driver(judge or self.judge, patience=self.patience).score(metric, case)


def taken_out(options: dict[str, Any]) -> dict[str, Any]:
    """The judge's options, taken out of those of a scorer or metric."""
    return {name: options.pop(name) for name in OPTIONS if name in options}


def only_known(options: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    """Refuse an option that neither the caller's object nor its judge has."""
    for name in options:
        if name not in known and name not in OPTIONS:
            raise InputError(f"{what} has no option {name!r}; it takes: {', '.join([*known, *OPTIONS])}.")


def _patience(timeout: Any, patience: Any) -> Patience | None:
    if patience is not None and not isinstance(patience, Patience):
        raise InputError(f"patience is a {type(patience).__name__}: pass a halluscope.Patience.")
    if timeout is None:
        return patience
    if patience is not None:
        raise InputError("timeout and patience are both given: set the time-out in the patience.")
    if not is_number(timeout) or timeout <= 0:
        raise InputError(f"the timeout must be a number of seconds above 0, not {timeout!r}.")
    return Patience(deadline=float(timeout), timeout=float(timeout))
