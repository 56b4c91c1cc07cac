"""The command line's root: commands are added by the modules beside this one."""

from __future__ import annotations

import csv
import os
import signal
import sys
import zlib
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from ..errors import HalluscopeError, InputError, RunFailed, StoreError, WriteError
from ..redaction import redacted
from ..version import __version__
from .settings.file import in_force
from .terminal import printable, write_what_can_be_written

HOMES = {
    "init": "settings.init_command",
    "check": "check_command",
    "eval": "eval_command",
    "runs": "runs_command",
    "show": "runs_command",
    "compare": "runs_command",
    "export": "runs_command",
    "cache": "settings.cache_command",
    "bench": "bench_command",
    "calibrate": "calibrate_command",
    "stress": "stress_command",
    "label": "label_command",
    "sample": "sample_command",
    "serve": "serving.serve_command",
    "mcp": "serving.mcp_command",
    "judges": "check_command",
    "metrics": "check_command",
}
"""The module of each command, in the order of `--help`; loaded when the command is named."""


class Commands(TyperGroup):
    """Loads a command's module when the command is asked for, so that one does not pay for all."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(HOMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in HOMES:
            return None
        import_module(f".{HOMES[cmd_name]}", __package__)
        for group in app.registered_groups:
            if group.name == cmd_name:
                return typer.main.get_group_from_info(
                    group,
                    pretty_exceptions_short=False,
                    suggest_commands=True,
                    rich_markup_mode=app.rich_markup_mode,
                )
        info = next(info for info in app.registered_commands if info.name == cmd_name)
        return typer.main.get_command_from_info(
            info, pretty_exceptions_short=False, rich_markup_mode=app.rich_markup_mode
        )

    def invoke(self, ctx: Any) -> Any:
        try:
            with in_force():
                return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            # Typer's own errors know how to be shown, and with which code to end.
            if hasattr(error, "exit_code") or isinstance(error, typer.Abort) or DEBUG in os.environ:
                raise
            fail(*told(error))


app = typer.Typer(
    name="halluscope",
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"halluscope {__version__}")
        raise typer.Exit


LOG = "HALLUSCOPE_LOG"
"""What to log at, where --log does not say."""


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    log: Annotated[
        str | None,
        typer.Option(help="Tell on stderr what happens: debug, info or warning.", envvar=LOG, metavar="LEVEL"),
    ] = None,
) -> None:
    """Tells whether a language model's output holds up against the context it was given."""
    if log is not None:
        tell(log)


def tell(level: str) -> None:
    """Show what the package logs, under the name `halluscope`, on stderr."""
    import logging

    if level.lower() not in ("debug", "info", "warning", "error"):
        raise InputError(f"there is no level {level!r} to log at: it is debug, info, warning or error.")
    shown = logging.StreamHandler()
    shown.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("halluscope")
    logger.handlers = [shown]
    logger.setLevel(level.upper())


USAGE = 2
"""Exit code for input that is wrong; each command documents its other codes."""
FAILED = 3
"""Exit code where the input is right and something else failed: the judge, the store, the disk."""
UNEXPECTED = 70
"""Exit code for a fault of halluscope itself."""
INTERRUPTED = 130
"""Exit code for Ctrl-C, as shells have it."""
CUT_OFF = 141
"""Exit code where whoever reads what is printed has gone, as shells have it."""

DEBUG = "HALLUSCOPE_DEBUG"
"""Set in the environment, an error is shown with its traceback."""

_DAMAGED = (EOFError, UnicodeError, zlib.error, csv.Error)


def fail(message: str, code: int = USAGE) -> NoReturn:
    """Say in one sentence what is wrong, and stop."""
    typer.echo(printable(redacted(f"halluscope: {message}")), err=True)
    raise typer.Exit(code)


def told(error: BaseException) -> tuple[str, int]:
    """What happened, in one sentence, and the exit code for it, whoever raised the error."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted.", INTERRUPTED
    if isinstance(error, (StoreError, WriteError, RunFailed)):
        return str(error), FAILED
    if isinstance(error, HalluscopeError):
        return str(error), USAGE
    if isinstance(error, BrokenPipeError):
        return "nobody reads what is printed any longer.", CUT_OFF
    if isinstance(error, _DAMAGED) or type(error).__module__.startswith("pyarrow"):
        return f"the data is damaged, or not in the format that its name says ({_line(error)}).", USAGE
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or _line(error)}.", FAILED
    if isinstance(error, RecursionError):
        return "the data is nested too deeply to be read.", USAGE
    if isinstance(error, MemoryError):
        return "there is not enough memory for this.", FAILED
    what = f"{type(error).__name__}: {_line(error)}"
    return f"an error that was not foreseen ({what}). Set {DEBUG}=1 to see where, and please report it.", UNEXPECTED


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__


def main() -> None:
    """Run the command line. A polite kill is an interrupt like Ctrl-C."""
    write_what_can_be_written()
    try:
        _on_signals(_Interrupt())
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        _on_signals(signal.SIG_IGN)  # it is ending


def _on_signals(handler: Any) -> None:
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, handler)


class _Interrupt:
    """The first interrupt lets the command end well, the second hurries it, the third ends it."""

    def __init__(self) -> None:
        self._seen = 0

    def __call__(self, *_: object) -> NoReturn:
        self._seen += 1
        if self._seen > 2:
            os._exit(INTERRUPTED)
        raise KeyboardInterrupt
