"""Assertions on outputs for pytest, with recorded replies of the judge.

    from halluscope._internal.proof.pytest_plugin import assert_faithful

    @pytest.mark.halluscope(judge="openai/gpt-4o-mini", threshold=0.9)
    def test_answer():
        assert_faithful(my_app("Who won?"), context=passages)

Every pytest run loads this module if the package is installed, so it imports everything else late.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..core.plumbing.public import public

if TYPE_CHECKING:
    from ..core.result import Result
    from ..engine.judge import Judge, JudgeSpec
    from ..judges.replay import Recording, ReplayJudge

MARKER = (
    "halluscope(judge=None, metric=None, threshold=None, record=True, **options): how `assert_faithful` and "
    "`assert_no_hallucination` judge in this test; replies of a judge other than 'local' are recorded and replayed."
)
_HOW = "run the test once with --halluscope-record, and keep the file"
_SECRET = ("api_key", "base_url", "headers", "price")
"""Options that do not change the replies of a judge, and are not part of the recording."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("halluscope", "checking outputs against their context")
    group.addoption(
        "--halluscope-record", action="store_true", help="ask the judges if a reply is not recorded, and record it"
    )
    group.addoption(
        "--halluscope-record-all", action="store_true", help="ask the judges for all replies again, and record them"
    )
    group.addoption("--halluscope-judge", metavar="NAME", help="the judge of tests that name no judge")
    parser.addini("halluscope_judge", "the judge of tests that name no judge", default="")
    parser.addini("halluscope_recordings", "the folder for recordings, beside each test file", default="recordings")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


def pytest_report_header(config: pytest.Config) -> str | None:
    return "halluscope: recording replies of judges" if _recording(config) else None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Set the current test, including its fixtures."""
    global _current
    _current = _Test(item)
    try:
        yield
    finally:
        _current = None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Save replies. Unused ones are removed only if the test passed."""
    yield
    if _current is not None and call.when == "call":
        _current.save(passed=call.excinfo is None)


class _Test:
    """The running test, with its options and its recording."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._recording: Recording | None = None

    def options(self) -> dict[str, Any]:
        """Return the options of the markers, of which the nearest takes precedence, and the judge of other tests."""
        options: dict[str, Any] = {}
        for mark in reversed(list(self._item.iter_markers("halluscope"))):
            if mark.args:
                raise pytest.UsageError("the marker `halluscope` takes keywords only: judge=, metric=, threshold=, …")
            options.update(mark.kwargs)
        config = self._item.config
        named = config.getoption("--halluscope-judge") or str(config.getini("halluscope_judge")) or None
        return {"judge": named} | {name: value for name, value in options.items() if value is not None}

    def replaying(self, name: str, make: Callable[[], Judge], settings: dict[str, Any]) -> ReplayJudge:
        """Return a judge that replays the recording of this test."""
        from ..judges.replay import Recording, ReplayJudge

        if self._recording is None:
            self._recording = Recording(self._file())
        config = self._item.config
        return ReplayJudge(
            self._recording,
            name,
            live=make if _recording(config) else None,
            settings=settings,
            again=bool(config.getoption("--halluscope-record-all")),
            how=_HOW,
        )

    def save(self, *, passed: bool) -> None:
        if self._recording is None or not _recording(self._item.config):
            return
        if passed:
            self._recording.forget_unused()
        self._recording.save()

    def _file(self) -> Path:
        """Return the path of the recording, one file per test, so that tests can run in parallel."""
        folder = Path(str(self._item.config.getini("halluscope_recordings")))
        module = self._item.path
        name = self._item.nodeid.partition("::")[2].replace("::", ".")
        plain = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-")[:100]
        if plain != name:
            plain += "-" + hashlib.sha256(name.encode()).hexdigest()[:8]
        return module.parent / folder / module.stem / f"{plain}.json"


_current: _Test | None = None


def _recording(config: pytest.Config) -> bool:
    return bool(config.getoption("--halluscope-record") or config.getoption("--halluscope-record-all"))


@public
def assert_faithful(
    output: object,
    context: object = None,
    input: object = None,
    *,
    judge: JudgeSpec = None,
    metric: str | None = None,
    threshold: float | None = None,
    allow: Collection[str] = (),
    **options: Any,
) -> Result:
    """Fail unless the context supports every claim of the output, or the share given by `threshold`.

    Args:
        output: The text to check.
        context: The passages it should be grounded in.
        input: The question.
        judge: Name or instance of the judge.
        metric: A metric in which higher is better.
        threshold: The score that passes.
        allow: Outcomes without a score that pass, such as "no_claims", "refusal" or "empty_output".
        options: Options of the metric and of the judge.

    Returns:
        The result.

    Raises:
        AssertionError: The output fails, or has no score. The message shows the claims that fail and their evidence.

    Example:
        >>> assert_faithful(my_app("Who won?"), context=passages)
    """
    __tracebackhide__ = True
    options |= {"judge": judge, "metric": metric, "threshold": threshold}
    return _asserted("assert_faithful", (output, context, input), options, allow)


@public
def assert_no_hallucination(
    output: object,
    context: object = None,
    input: object = None,
    *,
    judge: JudgeSpec = None,
    metric: str | None = None,
    threshold: float | None = None,
    allow: Collection[str] = (),
    **options: Any,
) -> Result:
    """Fail if the context contradicts or does not support a claim of the output.

    Args:
        output: The text to check.
        context: The passages it should be grounded in.
        input: The question.
        judge: Name or instance of the judge.
        metric: A metric in which lower is better.
        threshold: The share of hallucinated claims that passes.
        allow: Outcomes without a score that pass, such as "no_claims", "refusal" or "empty_output".
        options: Options of the metric and of the judge.

    Returns:
        The result.

    Raises:
        AssertionError: The output fails, or has no score. The message shows the claims that fail and their evidence.

    Example:
        >>> assert_no_hallucination(my_app("Who won?"), context=passages)
    """
    __tracebackhide__ = True
    options |= {"judge": judge, "metric": metric, "threshold": threshold}
    return _asserted("assert_no_hallucination", (output, context, input), options, allow)


@pytest.fixture(name="assert_faithful")
def _assert_faithful() -> Callable[..., Result]:
    """The function `assert_faithful`, with nothing to import."""
    return assert_faithful


@pytest.fixture(name="assert_no_hallucination")
def _assert_no_hallucination() -> Callable[..., Result]:
    """The function `assert_no_hallucination`, with nothing to import."""
    return assert_no_hallucination


def _asserted(who: str, texts: tuple[object, object, object], given: dict[str, Any], allow: Collection[str]) -> Result:
    __tracebackhide__ = True
    from ..core.errors import HalluscopeError, InputError, UnknownName
    from ..core.result import Outcome
    from ..engine.metrics import METRICS, resolve, split_options

    outcomes = [outcome.value for outcome in Outcome]
    allowed = [str(name) for name in ([allow] if isinstance(allow, str) else allow)]
    for name in allowed:
        if name not in outcomes:
            raise UnknownName("outcome", name, outcomes)
    options = (_current.options() if _current else {}) | {k: v for k, v in given.items() if v is not None}
    judge, record = options.pop("judge", None), options.pop("record", True)
    faithful = who == "assert_faithful"
    metric = options.pop("metric", "faithfulness" if faithful else "hallucination")
    if isinstance(metric, str) and metric not in METRICS:
        raise UnknownName("metric", metric, METRICS)
    known = METRICS[metric] if isinstance(metric, str) else metric
    direction, other = ("higher", "assert_no_hallucination") if faithful else ("lower", "assert_faithful")
    if known.direction != direction:
        raise InputError(
            f"`{who}` takes a metric in which {direction} is better, and {known.name!r} is none: use `{other}`."
        )
    options.setdefault("include_reason", False)
    for_metric, for_judge = split_options(metric, options)
    found, replay = _judge(judge, for_judge, record)
    try:
        output, context, input = texts
        result = resolve(metric, **for_metric).score(output=output, context=context, input=input, judge=found)
    except HalluscopeError as error:
        raise pytest.fail.Exception(f"{who}: {error}", pytrace=True) from error
    if replay is not None and replay.missing:
        raise pytest.fail.Exception(f"{who}: {replay.missing[0]}.", pytrace=True)
    if result.passed or (result.outcome is not Outcome.SCORED and result.outcome.value in allowed):
        return result
    from ..core.result.in_words import failing_lines

    raise AssertionError(failing_lines(result))


def _judge(spec: Any, options: dict[str, Any], record: bool) -> tuple[Judge, ReplayJudge | None]:
    """Return the judge, with the recording of the test unless it is the embedded one, whose answers never change."""
    import os

    from ..engine.judge import DEFAULT, VARIABLE, resolve

    if spec is None:
        spec = os.environ.get(VARIABLE) or DEFAULT
    if _current is None or not record or spec == DEFAULT:
        return resolve(spec, **options), None
    settings = {name: value for name, value in options.items() if name not in _SECRET}
    if isinstance(spec, str):
        replay = _current.replaying(spec, lambda: resolve(spec, **options), settings)
        return replay, replay
    judge = resolve(spec, **options)
    if judge.name == DEFAULT:
        return judge, None
    replay = _current.replaying(judge.name, lambda: judge, settings)
    return replay, replay
