"""`check` judges one output; `judges` and `metrics` say what there is to judge with."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from ..errors import InputError
from ..judge import COMBINATIONS, DEFAULT, PROVIDERS, VARIABLE, Provider
from ..metrics import METRICS
from ..metrics.check import check as check_one
from ..result import Result, bar
from .app import app
from .options import (
    BaseUrl,
    JudgeName,
    MetricNames,
    PassThreshold,
    ProfileName,
    Strict,
    judge_options,
    metrics_or_usual,
)
from .settings.file import whence
from .terminal import console as new_console
from .terminal import print_json, printable, progress_shown
from .views.result import show_result

if TYPE_CHECKING:
    from ..measuring.calibration.profile import Profile

PASSING = (
    "An output passes when every claim holds. --threshold lets a share through that does not, but never a claim that "
    "the context contradicts; the label says the same as passed or failed."
)
NOT_PASSED = 1
"""Exit code where the output did not pass."""
_LONG = 20_000
"""Characters of an output whose judging takes so long that somebody may wonder."""
NO_SCORE = 3
"""Exit code where there is no score: nothing to judge, or a judge that failed."""


@app.command("check")
def check(
    output: Annotated[
        str, typer.Option("--output", "-o", help="The text to judge; @FILE reads a file, - reads stdin.")
    ],
    context: Annotated[
        list[str] | None,
        typer.Option("--context", "-c", help="A passage to hold it against; may be given often; @FILE reads a file."),
    ] = None,
    input: Annotated[str | None, typer.Option("--input", "-i", help="What the model was asked.")] = None,
    metric: MetricNames = None,
    judge: JudgeName = None,
    base_url: BaseUrl = None,
    threshold: PassThreshold = None,
    profile: ProfileName = None,
    strict: Strict = None,
    reason: Annotated[bool, typer.Option("--reason/--no-reason", help="Ask the judge for a reason.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, one line per metric.")] = False,
) -> None:
    """Judge one output and show each claim, its evidence and the reason.

    Exit code 0: passed. 1: did not pass. 2: bad input. 3: no score.
    """
    if [output, *(context or []), input].count("-") > 1:
        raise InputError("only one text can be read from stdin: give the others as they are, or as @FILE.")
    said = _text(output)
    passages = [_text(passage) for passage in context] if context is not None else None
    asked = _text(input) if input is not None else None
    chosen = _profile(profile)
    judge = judge or (chosen.judge if chosen else None)
    options = {"strict": strict, "include_reason": reason, **judge_options(base_url, judge)}
    if threshold is not None:
        options["threshold"] = threshold
    results: list[Result] = []
    console = new_console()
    names = metrics_or_usual(metric, chosen.metric if chosen else None)
    if chosen is not None:
        for name in names:
            chosen.check_metric(name)
    for name in names:
        with progress_shown(len(said) > _LONG):
            result = check_one(said, passages, asked, metric=name, judge=judge, **options)
        if chosen is not None:
            result = chosen.applied(result)
        results.append(result)
        if as_json:
            print_json(result.to_json())
        else:
            if len(results) > 1:
                console.print()
            show_result(console, result, said, passages)
    raise typer.Exit(_exit_code(results))


@app.command("judges")
def judges() -> None:
    """Say which judges are ready, and what is missing for the others."""
    table = Table("judge", "what it is", "ready", box=None, pad_edge=False)
    for provider in PROVIDERS:
        name = f"{provider.prefix}/<model>" if provider.needs_model else provider.prefix
        missing = _missing(provider)
        table.add_row(name, provider.about, f"no: {missing}" if missing else "yes")
    for combination in COMBINATIONS:
        table.add_row(combination.form, combination.about, "where its judges are")
    console = new_console()
    console.print(table)
    chosen = os.environ.get(VARIABLE)
    otherwise = f"{DEFAULT} (set {VARIABLE} to change it, or write a halluscope.toml with `halluscope init`)"
    named = f"{chosen} (from {whence(VARIABLE)})" if chosen else otherwise
    console.print(f"\nWithout --judge: {printable(named)}")


@app.command("metrics")
def metrics() -> None:
    """Explain each metric and its formula."""
    console = new_console()
    for metric in METRICS.values():
        made = metric()
        console.print(Text(metric.name, style="bold").append(f"  {metric.summary}", style="not bold"))
        console.print(f"  score = {metric.formula}")
        console.print(f"  passes {bar(metric.direction, made.threshold)}; {metric.direction} is better")
        console.print(f"  prompts: {', '.join(spec.name for spec in metric.uses)}\n")
    console.print(PASSING)


def _profile(name: str | None) -> Profile | None:
    if name is None:
        return None
    from ..measuring.calibration.profile import Profile

    return Profile.load(name)


def _missing(provider: Provider) -> str | None:
    if provider.package and find_spec(provider.package) is None:
        return f"pip install 'halluscope[{provider.extra}]'"
    if provider.key and not os.environ.get(provider.key):
        own = ", or pass --base-url for a server of your own" if provider.prefix == "openai" else ""
        return f"set {provider.key}{own}"
    return None


def _text(given: str) -> str:
    if given == "-":
        return sys.stdin.read()
    if given.startswith("@@") or not given.startswith("@"):
        return given.removeprefix("@")
    path = Path(given[1:])
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}. Write @@ for a text that starts with @.") from error


def _exit_code(results: list[Result]) -> int:
    if any(result.passed is None for result in results):
        return NO_SCORE
    return 0 if all(result.passed for result in results) else NOT_PASSED
