"""The root of the command line: loads a command when it is named, and turns errors into messages and exit codes."""

from __future__ import annotations

import csv
import itertools
import os
import re
import signal
import sys
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from ..core.errors import FetchError, HalluscopeError, InputError, MissingExtra, ModelFileError, UnknownName
from ..core.redaction import redacted
from ..core.version import __version__
from .options import COMMAND_MODULES, F, described
from .settings.file import applied_settings
from .terminal import printable, replace_unencodable

_WITHOUT_SETTINGS = ("init", "trust")
"""Commands that work on the settings file itself."""

_LINE_END = re.compile(r"(?<!\n)\n(?!\n)")


class Commands(TyperGroup):
    """A command group that imports the module of a command only when that command is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMAND_MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMAND_MODULES:
            return None
        import_module(f".{COMMAND_MODULES[cmd_name]}", __package__)
        command: Any = typer.main.get_group(app).commands[cmd_name]
        command.help = _LINE_END.sub(" ", command.help or "")  # wrap paragraphs at the width of the terminal
        for shown in (command, *getattr(command, "commands", {}).values()):
            _without_type(shown.get_params(ctx))
        return command

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_type(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in COMMAND_MODULES and not args[0].startswith("-"):
            raise UnknownName("command", args[0], COMMAND_MODULES, "`halluscope --help` lists them")
        if not ctx.resilient_parsing and args and args[0] not in _WITHOUT_SETTINGS:
            ctx.with_resource(applied_settings())
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            # Typer shows its own errors and sets their exit codes.
            if hasattr(error, "exit_code") or isinstance(error, typer.Abort) or DEBUG in os.environ:
                raise
            fail(*describe(error))


def _without_type(parameters: list[Any]) -> list[Any]:
    """The parameters. The help shows no type, such as `<bool>`, for flags and arguments."""
    for parameter in parameters:
        if parameter.param_type_name == "argument" or parameter.is_flag:
            parameter.display_type_rich = _nothing
    return parameters


def _nothing(ctx: Any) -> None:
    return None


app = typer.Typer(
    name="halluscope",
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(name: str, group: typer.Typer = app) -> Callable[[F], F]:
    """Make a command of a function. The name includes that of its group, as in "runs rm"."""
    return lambda function: group.command(name.split()[-1])(described(name, function))


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"halluscope {__version__}")
        raise typer.Exit


LOG = "HALLUSCOPE_LOG"
"""The log level, unless --log is given."""


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    log: Annotated[
        str | None,
        typer.Option(help="Write a log to stderr, at level debug, info or warning.", envvar=LOG, metavar="LEVEL"),
    ] = None,
) -> None:
    """Check whether a language model's output is grounded in the context it was given."""
    if log is not None:
        log_to_stderr(log)


def log_to_stderr(level: str) -> None:
    """Write the log of the package to stderr."""
    import logging

    if level.lower() not in ("debug", "info", "warning", "error"):
        raise InputError(f"there is no log level {level!r}: choose debug, info, warning or error.")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("halluscope")
    logger.handlers = [handler]
    logger.setLevel(level.upper())


USAGE = 2
"""Exit code for bad input. Each command documents its other codes."""
FAILED = 3
"""Exit code for a failure of the judge, its weights, the store or the disk."""
UNEXPECTED = 70
"""Exit code for a bug in halluscope."""
INTERRUPTED, TERMINATED = 130, 143
"""Exit codes for Ctrl-C and SIGTERM, as in shells."""
CUT_OFF = 141
"""Exit code for a closed pipe, as in shells."""

DEBUG = "HALLUSCOPE_DEBUG"
"""Environment variable that makes errors show their traceback."""

_DAMAGED = (EOFError, UnicodeError, zlib.error, csv.Error)


def fail(message: str, code: int = USAGE) -> NoReturn:
    """Print an error and exit."""
    typer.echo(printable(redacted(f"halluscope: {message}")), err=True)
    raise typer.Exit(code)


def describe(error: BaseException) -> tuple[str, int]:
    """Return a one-sentence message and the exit code for an error."""
    while getattr(error, "exceptions", ()):  # a task group wraps the errors of its tasks: the first is the reason
        error = cast("Any", error).exceptions[0]
    if isinstance(error, KeyboardInterrupt):
        return "interrupted.", interrupt_code(error)
    if isinstance(error, HalluscopeError):
        return str(error), USAGE if isinstance(
            error, (InputError, MissingExtra, FetchError, ModelFileError)
        ) else FAILED
    if isinstance(error, BrokenPipeError):
        return "the program that reads the output has ended.", CUT_OFF
    if isinstance(error, _DAMAGED) or type(error).__module__.startswith("pyarrow"):
        return f"the data is damaged, or its format does not match its file name ({_line(error)}).", USAGE
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or _line(error)}.", FAILED
    if isinstance(error, RecursionError):
        return "the data is nested too deeply to be read.", USAGE
    if isinstance(error, MemoryError):
        return "there is not enough memory for this.", FAILED
    what = f"{type(error).__name__}: {_line(error)}"
    return f"unexpected error ({what}). Set {DEBUG}=1 to see the traceback, and please report it.", UNEXPECTED


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__


def main() -> None:
    """Run the command line. SIGTERM is treated like Ctrl-C; the third of these signals ends the process at once."""
    replace_unencodable()
    received = itertools.count(1)

    def interrupt(sign: int, _: object) -> NoReturn:
        error = Terminated() if sign == signal.SIGTERM else KeyboardInterrupt()
        if next(received) > 2:
            os._exit(interrupt_code(error))
        raise error

    try:
        _on_signals(interrupt)
        app()
    except KeyboardInterrupt as error:
        sys.exit(interrupt_code(error))
    finally:
        _on_signals(signal.SIG_IGN)  # no interrupt during shutdown


def _on_signals(handler: Any) -> None:
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, handler)


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command like Ctrl-C, with another exit code."""


def interrupt_code(error: KeyboardInterrupt) -> int:
    return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
