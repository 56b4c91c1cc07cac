"""Keyword arguments that were renamed work under their former name, with a warning, for one version."""

from __future__ import annotations

import asyncio
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import halluscope
from halluscope import distributed, judges, live, metrics, proof, runs
from halluscope._internal.core.plumbing.public import renamed_option
from halluscope.errors import JudgeUnavailable

POLICY = halluscope.RetryPolicy(retries=2, first_wait=0.001, longest_wait=0.001)
CASE: dict[str, Any] = {"output": "It closed in 1969.", "context": ["It closed in 1921."]}


def callables() -> Iterator[Any]:
    """Every public function and method that takes a retry policy."""
    for module in (halluscope, metrics, judges, runs, proof, live, distributed):
        for name in module.__all__:
            thing = getattr(module, name)
            methods = (
                [(f"{name}.{key}", member) for key, member in vars(thing).items()] if isinstance(thing, type) else []
            )
            inherited = [
                (f"{name}.{key}", getattr(thing, key))
                for key in ("score", "ascore", "score_case", "ascore_case")
                if isinstance(thing, type) and hasattr(thing, key)
            ]
            for label, function in [(name, thing), *methods, *inherited]:
                if inspect.isfunction(function) and "retry_policy" in inspect.signature(function).parameters:
                    yield pytest.param(thing, function, id=f"{module.__name__}:{label}")


@pytest.mark.parametrize(("owner", "function"), [*callables()])
def test_every_function_with_a_retry_policy_takes_patience(owner: Any, function: Callable[..., Any]) -> None:
    args = [halluscope.Hallucination()] if isinstance(owner, type) else []
    with pytest.raises(TypeError, match="'patience' is the old name of 'retry_policy'"):
        function(*args, patience=POLICY, retry_policy=POLICY)


def test_the_list_is_not_empty() -> None:
    assert len(list(callables())) >= 10


def failing_judge() -> tuple[judges.ScriptedJudge, dict[str, Any]]:
    judge = judges.ScriptedJudge(lambda _: JudgeUnavailable("down", status=503))
    return judge, {"judge": judge, "patience": POLICY}


def test_the_former_name_has_its_effect_and_the_warning_names_the_line_of_the_caller() -> None:
    judge, options = failing_judge()
    with pytest.warns(DeprecationWarning, match="'patience' is now 'retry_policy'") as caught:
        result = halluscope.Hallucination().score(**CASE, **options)
    assert result.outcome is halluscope.Outcome.FAILED
    assert len(judge.asked) == 3
    assert [warning.filename for warning in caught] == [__file__]


async def test_the_asynchronous_function_warns_too() -> None:
    judge, options = failing_judge()
    with pytest.warns(DeprecationWarning, match="retry_policy") as caught:
        await halluscope.Hallucination().ascore(**CASE, **options)
    assert len(judge.asked) == 3
    assert caught[0].filename == __file__


def test_the_new_name_gives_no_warning() -> None:
    judge, _ = failing_judge()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        halluscope.Hallucination().score(**CASE, judge=judge, retry_policy=POLICY)
    assert len(judge.asked) == 3


def test_the_function_keeps_its_signature_and_name() -> None:
    @renamed_option("old", "new")
    async def doubled(*, new: int) -> int:
        return 2 * new

    assert str(inspect.signature(doubled)) == "(*, new: 'int') -> 'int'"
    assert doubled.__name__ == "doubled"
    with pytest.warns(DeprecationWarning, match="'old' is now 'new'"):
        assert asyncio.run(doubled(old=4)) == 8  # type: ignore[call-arg]
