"""The command line's root: commands are added by the modules beside this one."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from ..errors import HalluscopeError
from ..version import __version__
from .terminal import plain, write_what_can_be_written

HOMES = {
    "check": "check_command",
    "eval": "eval_command",
    "runs": "runs_command",
    "show": "runs_command",
    "compare": "runs_command",
    "export": "runs_command",
    "bench": "bench_command",
    "calibrate": "calibrate_command",
    "stress": "stress_command",
    "label": "label_command",
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
        info = next(info for info in app.registered_commands if info.name == cmd_name)
        return typer.main.get_command_from_info(
            info, pretty_exceptions_short=False, rich_markup_mode=app.rich_markup_mode
        )


app = typer.Typer(
    name="halluscope",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"halluscope {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Tells whether a language model's output holds up against the context it was given."""


USAGE = 2
"""Exit code for input that is wrong; each command documents its other codes."""
INTERRUPTED = 130
"""Exit code for Ctrl-C, as shells have it."""


def fail(message: str, code: int = USAGE) -> NoReturn:
    """Say in one sentence what is wrong, and stop."""
    typer.echo(plain(f"halluscope: {message}"), err=True)
    raise typer.Exit(code)


def main() -> None:
    """Run the command line; an error we know is one sentence, not a traceback."""
    write_what_can_be_written()
    try:
        app()
    except HalluscopeError as error:
        typer.echo(plain(f"halluscope: {error}"), err=True)
        sys.exit(USAGE)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
