"""`init` writes a settings file with every setting in it, each explained and none in force."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InputError
from ...plumbing.whole_file import replacing
from ..app import app
from .file import NAME
from .known import SETTINGS

_HEAD = """# Settings of halluscope for this folder and those below it.
# Take the # off a line to put it in force. An option on the command line comes before a variable
# in the environment, a variable before this file.
"""


@app.command("init")
def init(
    folder: Annotated[Path, typer.Argument(help="Where to write the file.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Write it anew where there is one.")] = False,
) -> None:
    """Write a halluscope.toml with every setting explained: who judges, with what, and when a run fails."""
    path = folder / NAME
    if path.exists() and not force:
        raise InputError(f"{path} is there already: edit it, or write it anew with --force.")
    with replacing(path) as file:
        file.write(template().encode())
    typer.echo(f"{path} is written: take the # off what you want to set.")


def template() -> str:
    """The file with every setting in it."""
    lines = [_HEAD]
    section = ""
    for setting in SETTINGS:
        if setting.section != section:
            section = setting.section
            lines.append(f"[{section}]")
        lines.append(f"# {setting.about} ({setting.variable})\n# {setting.key} = {setting.example}\n")
    return "\n".join(lines)
