"""The command line's root: commands are added by the modules beside this one."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from ..errors import HalluscopeError

app = typer.Typer(
    name="halluscope",
    help="Tells whether a language model's output holds up against the context it was given.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

USAGE = 2
"""Exit code for input that is wrong; each command documents its other codes."""


def fail(message: str, code: int = USAGE) -> NoReturn:
    """Say in one sentence what is wrong, and stop."""
    typer.echo(f"halluscope: {message}", err=True)
    raise typer.Exit(code)


def main() -> None:
    """Run the command line; an error we know is one sentence, not a traceback."""
    try:
        app()
    except HalluscopeError as error:
        typer.echo(f"halluscope: {error}", err=True)
        sys.exit(USAGE)
