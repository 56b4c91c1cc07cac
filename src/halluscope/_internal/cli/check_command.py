"""The commands check, fix, judges and metrics."""

from __future__ import annotations

import codecs
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from ..core.case import Case
from ..core.conversation import read_conversation
from ..core.errors import InputError
from ..core.plumbing.json_values import decode_json
from ..core.plumbing.whole_file import replacing
from ..core.result import Outcome, Result, threshold_in_words
from ..core.result.turns import with_each_turn
from ..engine.judge import COMBINATIONS, DEFAULT, PROVIDERS, VARIABLE, Combination, Provider
from ..engine.metrics import METRICS
from ..engine.metrics.check import check as check_one
from ..judges.specialised.formats import FORMATS, Format
from ..repair.repairing import ABSTENTION
from ..repair.repairing import repair as repair_one
from ..runs.datasets.columns import turns_named
from .app import command
from .options import (
    DEFAULT_METRIC,
    given_options,
    metrics_or_default,
    profile_named,
    sources,
)
from .settings.file import source_of
from .terminal import console as new_console
from .terminal import print_json, print_table, printable, progress_spinner
from .views.result import show_conversation, show_repair, show_result

PASSING = (
    "An output passes if every claim is supported. --threshold allows a share of unsupported claims, but never a "
    "claim that the context contradicts. The label always agrees with passed or failed."
)
NOT_PASSED = 1
"""Exit code for an output that did not pass."""
LONG = 20_000
"""Length in characters from which a check shows its progress."""
UNRESOLVED = 1
"""Exit code for an output that could not be repaired completely."""

NO_SCORE = 3
"""Exit code for a check without a score: nothing to judge, or the judge failed."""


@command("check")
def check(
    output: str | None = None,
    context: list[str] | None = None,
    input: str | None = None,
    messages: str | None = None,
    turns: str = "last",
    context_from: str | None = None,
    metric_names: list[str] | None = None,
    judge: str | None = None,
    base_url: str | None = None,
    threshold: float | None = None,
    profile: str | None = None,
    strict: bool | None = None,
    reason: bool = True,
    as_json: bool = False,
) -> None:
    """Check one output: show its claims, their evidence and the reason.

    Exit code 0: passed. 1: did not pass. 2: bad input. 3: no score.
    """
    if (output is None) == (messages is None):
        raise InputError("pass what is to be checked: --output, or the messages of a conversation with --messages.")
    text, passages, question = read_texts(output or messages or "", context, input)
    checked, asked, which = text, sources(context_from), turns_named(turns)
    if messages is not None:
        checked = _conversation(text)
        text = Case.of(checked, passages, question, context_from=asked).output
    chosen = profile_named(profile)
    judge = judge or (chosen.judge if chosen else None)
    options = given_options(base_url, judge, strict=strict, threshold=threshold, include_reason=reason)
    results: list[Result] = []
    console = new_console()
    names = metrics_or_default(metric_names, chosen.metric if chosen else None)
    if chosen is not None:
        for name in names:
            chosen.check_metric(name)
    for name in names:
        with progress_spinner(len(text) > LONG):
            result = check_one(
                checked, passages, question, turns=which, context_from=asked, metric=name, judge=judge, **options
            )
        if chosen is not None:
            result = with_each_turn(result, chosen.applied)
        results.append(result)
        if as_json:
            print_json(result)
        else:
            if len(results) > 1:
                console.print()
            show_conversation(console, result) if result.turns else show_result(console, result, text, passages)
    if passages is None and any(result.outcome is Outcome.NO_CONTEXT for result in results):
        typer.echo(
            "halluscope: pass the context with --context TEXT or --context @FILE, once for each passage.", err=True
        )
    raise typer.Exit(_exit_code(results))


@command("judges")
def judges() -> None:
    """List the judges, and what is missing for those that are not ready."""
    rows: list[tuple[str, str]] = []
    listed: list[Provider | Format | Combination] = [*PROVIDERS, *FORMATS, *COMBINATIONS]
    for provider in PROVIDERS:
        name = f"{provider.prefix}/<model>" if provider.needs_model else provider.prefix
        missing = _missing(provider)
        rows.append((name, f"no: {missing}" if missing else "yes"))
    rows += [(format.example, "if its server is") for format in FORMATS]
    rows += [(combination.form, "if its judges are") for combination in COMBINATIONS]
    console = new_console()
    about = [Text(judge.about, style="dim") for judge in listed]
    print_table(console, ("judge", "ready"), rows, about)
    chosen = os.environ.get(VARIABLE)
    unset = f"{DEFAULT} (to change it, set {VARIABLE} or write a halluscope.toml with `halluscope init`)"
    default = f"{chosen} (from {source_of(VARIABLE)})" if chosen else unset
    console.print(f"\nWithout --judge: {printable(default)}")


@command("metrics")
def metrics() -> None:
    """List the metrics with their formulas."""
    console = new_console()
    for metric in METRICS.values():
        made = metric()
        console.print(Text(metric.name, style="bold").append(f"  {metric.summary}", style="not bold"))
        console.print(f"  score = {metric.formula}")
        console.print(f"  passes {threshold_in_words(metric.direction, made.threshold)}; {metric.direction} is better")
        console.print(f"  prompts: {', '.join(spec.name for spec in metric.uses)}\n")
    console.print(PASSING)


def read_texts(output: str, context: list[str] | None, input: str | None) -> tuple[str, list[str] | None, str | None]:
    """The output, its passages and its question, read from where the options say."""
    if [output, *(context or []), input].count("-") > 1:
        raise InputError("only one text can be read from stdin: pass the others as text, or as @FILE.")
    text = _text(output)
    passages = [_text(passage) for passage in context] if context is not None else None
    return text, passages, _text(input) if input is not None else None


def _missing(provider: Provider) -> str | None:
    if provider.package and find_spec(provider.package) is None:
        return f"pip install 'halluscope[{provider.extra}]'"
    if not provider.ready:
        own = ", or pass --base-url for your own server" if provider.own_server else ""
        return f"set {provider.key}{own}"
    return None


def _text(given: str) -> str:
    if given == "-":
        return decoded(sys.stdin.buffer.read(), "stdin")
    if given.startswith("@@") or not given.startswith("@"):
        _note_file(given)
        return given.removeprefix("@")
    path = Path(given[1:])
    try:
        return decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}. Write @@ to pass a text that starts with @."
        ) from error


def _note_file(given: str) -> None:
    """Print a note if the text is also the name of a file."""
    try:
        named = len(given) < 1024 and Path(given).is_file()
    except (OSError, ValueError):  # not a valid file name
        return
    if named:
        note = f"halluscope: {given!r} is checked as text; write @{given} to check the content of that file."
        typer.echo(printable(note), err=True)


def encoded(text: str, like: bytes) -> bytes:
    """Encode a text with the byte order mark and the line ends of another."""
    encoding = "utf-16" if like.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    if like.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    return (text.replace("\n", "\r\n") if "\r\n" in like.decode(encoding) else text).encode(encoding)


def decoded(content: bytes, name: str) -> str:
    """Decode a file, with or without a byte order mark."""
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text: save it in that encoding.") from error
    return text.replace("\r\n", "\n")


def _conversation(text: str) -> Any:
    try:
        found = decode_json(text)
    except ValueError as error:
        raise InputError(f"the conversation is not valid JSON ({error}): pass a list of messages.") from error
    if read_conversation(found) is None:
        raise InputError("this is no conversation: pass a list of messages, each with role and content.")
    return found


def _exit_code(results: list[Result]) -> int:
    if any(result.passed is None for result in results):
        return NO_SCORE
    return 0 if all(result.passed for result in results) else NOT_PASSED


@command("fix")
def fix(
    output: str,
    context: list[str] | None = None,
    input: str | None = None,
    metric: str = DEFAULT_METRIC,
    judge: str | None = None,
    base_url: str | None = None,
    threshold: float | None = None,
    strict: bool | None = None,
    abstention: str = ABSTENTION,
    write: bool = False,
    as_json: bool = False,
) -> None:
    """Repair one output: replace wrong values, narrow over-general claims, remove what the context does not support.

    Exit code 0: nothing is wrong any more. 1: something could not be repaired. 2: bad input. 3: no score.
    """
    if write and (not output.startswith("@") or output.startswith("@@")):
        raise InputError("--write needs a file to write to: pass the text as --output @FILE.")
    text, passages, question = read_texts(output, context, input)
    options = given_options(base_url, judge, strict=strict, threshold=threshold, include_reason=False)
    with progress_spinner(len(text) > LONG):
        made = repair_one(text, passages, question, metric=metric, judge=judge, abstention=abstention, **options)
    if write and made.changed:
        path = Path(output[1:])
        content = encoded(made.text, path.read_bytes())
        with replacing(path) as file:
            file.write(content)
    if as_json:
        print_json(made)
    else:
        show_repair(new_console(), made, text)
    if not (made.abstained or made.passed):
        raise typer.Exit(UNRESOLVED if made.unresolved else NO_SCORE)
