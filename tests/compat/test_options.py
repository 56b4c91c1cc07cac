"""What every façade takes for its judge: address, key, time-outs, seed, temperature; and the peers' exception types."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import halluscope
from halluscope import RetryPolicy
from halluscope._internal.core.errors import InputError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat import deepeval, mastra, opik, phoenix

from ..helpers.loopback import Faults, Features, Loopback

OUTPUT = "The tower is 330 m tall."
CONTEXT = ["The tower is 330 m tall."]
EVAL: dict[str, Any] = {"input": "How tall?", "output": OUTPUT, "context": CONTEXT[0]}
CASE: dict[str, Any] = {"input": "How tall?", "actual_output": OUTPUT, "context": CONTEXT}


def mastra_scorer(**options: Any) -> Any:
    return mastra.create_hallucination_scorer(options.pop("model", "openai/m"), {"context": CONTEXT, **options})


def through_mastra(**options: Any) -> Any:
    result = mastra_scorer(**options).run(input="How tall?", output=OUTPUT)
    if result.failure is not None:
        raise halluscope.JudgeError(result.failure.message, status=result.failure.status)
    return result.score


def through_opik(**options: Any) -> Any:
    return opik.Hallucination(options.pop("model", "openai/m"), **options).score("How tall?", OUTPUT, CONTEXT).value


def through_deepeval_port(**options: Any) -> Any:
    case = deepeval.TestCase(**CASE)
    return deepeval.Hallucination.measure(case, model=options.pop("model", "openai/m"), **options).score


def through_deepeval(**options: Any) -> Any:
    metric = deepeval.HallucinationMetric(model=options.pop("model", "openai/m"), **options)
    return metric.measure(deepeval.LLMTestCase(**CASE))


def through_phoenix(**options: Any) -> Any:
    llm = phoenix.LLM(options.pop("model", "openai/m"), **options)
    return 1 - (phoenix.HallucinationEvaluator(llm).evaluate(EVAL)[0].score or 0)


FACADES = [through_mastra, through_opik, through_deepeval_port, through_deepeval, through_phoenix]
every_facade = pytest.mark.parametrize("through", FACADES, ids=lambda through: through.__name__)


@every_facade
def test_the_options_of_the_judge_reach_it(server: Loopback, through: Callable[..., Any]) -> None:
    server.features = Features(key="a key that is long enough")
    score = through(
        base_url=server.base_url, api_key="a key that is long enough", seed=11, temperature=0.25, max_tokens=99
    )
    assert score == 0
    sent = server.calls[0].asked.body
    assert (sent["seed"], sent["temperature"], sent["max_tokens"]) == (11, 0.25, 99)


@every_facade
def test_no_seed_and_no_temperature_are_said_by_none(server: Loopback, through: Callable[..., Any]) -> None:
    assert through(base_url=server.base_url, seed=None, temperature=None) == 0
    assert not {"seed", "temperature"} & server.calls[0].asked.body.keys()


@every_facade
def test_an_address_alone_means_the_documented_model(server: Loopback, through: Callable[..., Any]) -> None:
    assert through(model=None, base_url=server.base_url) == 0
    assert server.calls[0].asked.body["model"] in ("gpt-4o", "gpt-4o-mini")


@pytest.mark.slow("waits until time limits are over")
@every_facade
def test_a_steady_500_is_reported_within_the_time_out(server: Loopback, through: Callable[..., Any]) -> None:
    server.faults = Faults(failed=1.0)
    before = time.monotonic()
    with pytest.raises(halluscope.JudgeError) as caught:
        through(base_url=server.base_url, timeout=1.0)
    assert caught.value.status == 500
    assert time.monotonic() - before < 60, "twelve retries take two and a half minutes"


@pytest.mark.slow("waits until time limits are over")
@every_facade
def test_a_server_that_hangs_is_left_when_the_time_is_up(server: Loopback, through: Callable[..., Any]) -> None:
    server.latency = 600
    before = time.monotonic()
    with pytest.raises(halluscope.JudgeError, match=r"within 0.3 s"):
        through(base_url=server.base_url, timeout=0.3)
    assert time.monotonic() - before < 60


@every_facade
def test_a_retry_policy_sets_the_number_of_retries(server: Loopback, through: Callable[..., Any]) -> None:
    server.faults = Faults(failed=1.0)
    with pytest.raises(halluscope.JudgeError):
        through(base_url=server.base_url, retry_policy=RetryPolicy(retries=2, first_wait=0.001))
    assert len(server.calls) == 3


@every_facade
def test_a_retry_policy_may_still_be_called_patience(server: Loopback, through: Callable[..., Any]) -> None:
    server.faults = Faults(failed=1.0)
    with pytest.warns(DeprecationWarning, match="retry_policy"), pytest.raises(halluscope.JudgeError):
        through(base_url=server.base_url, patience=RetryPolicy(retries=2, first_wait=0.001))
    assert len(server.calls) == 3


@every_facade
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"timeout": 0}, "above 0"),
        ({"timeout": "10"}, "above 0"),
        ({"timeout": float("nan")}, "above 0"),
        ({"retry_policy": 5}, "RetryPolicy"),
        ({"timeout": 5, "retry_policy": RetryPolicy()}, "both given"),
        ({"base_ulr": "http://127.0.0.1:1/v1"}, "base_ulr"),
        ({"base_url": "127.0.0.1"}, "not the address"),
    ],
)
def test_wrong_options_are_said(through: Callable[..., Any], options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        through(**options)


@every_facade
def test_options_of_a_server_are_nothing_for_the_judge_in_the_package(through: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="local"):
        through(model="local", temperature=0.5)
    with pytest.raises(InputError, match="where the judge is created"):
        through(model=ScriptedJudge({}), seed=1)


@pytest.mark.parametrize(
    ("peer", "ours"),
    [
        (opik.OpikException, halluscope.HalluscopeError),
        (opik.MetricComputationError, halluscope.JudgeError),
        (opik.BaseLLMError, halluscope.JudgeError),
        (opik.JSONParsingError, halluscope.errors.ReplyError),
        (opik.ScoreMethodMissingArguments, halluscope.errors.MissingParameters),
        (deepeval.ApiError, halluscope.JudgeError),
        (deepeval.DeepEvalError, halluscope.HalluscopeError),
        (deepeval.MissingTestCaseParamsError, halluscope.errors.MissingParameters),
        (deepeval.MismatchedTestCaseInputsError, halluscope.InputError),
        (phoenix.PhoenixException, halluscope.HalluscopeError),
        (phoenix.PhoenixContextLimitExceeded, halluscope.errors.QuestionTooLong),
        (phoenix.PhoenixTemplateMappingError, halluscope.errors.MissingParameters),
        (phoenix.PhoenixInvalidPromptTemplateError, halluscope.errors.PromptError),
        (phoenix.RateLimitError, halluscope.errors.JudgeThrottled),
        (mastra.MastraError, halluscope.HalluscopeError),
        (mastra.ScorerRunError, halluscope.JudgeError),
    ],
)
def test_peers_exceptions_are_other_names_for_ours(peer: type[Exception], ours: type[Exception]) -> None:
    assert peer is ours


def test_what_is_caught_under_a_peers_name_is_what_is_raised() -> None:
    with pytest.raises(opik.MetricComputationError):
        opik.Hallucination(ScriptedJudge({"label": "perhaps"})).score("q", OUTPUT, CONTEXT)
    with pytest.raises(deepeval.MissingTestCaseParamsError):
        deepeval.HallucinationMetric(model=ScriptedJudge({})).measure(
            deepeval.LLMTestCase(input="q", actual_output="a", context=[])
        )
    with pytest.raises(phoenix.PhoenixTemplateMappingError):
        phoenix.HallucinationEvaluator(ScriptedJudge({})).evaluate({"input": "q"})
    with pytest.raises(phoenix.PhoenixInvalidPromptTemplateError):
        phoenix.HallucinationEvaluator(ScriptedJudge({}), prompt_template="no slots")
