"""`sample` writes made-up data, to try the other commands with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..datasets.sample_data import SAMPLES
from ..datasets.sample_data import sample as path_of
from ..errors import InputError
from ..plumbing.whole_file import replacing
from ..text.counting import count_of
from .app import app
from .terminal import printable


@app.command("sample")
def sample(to: Annotated[Path, typer.Option(help="The folder to write into.")] = Path()) -> None:
    """Write made-up data to try things with: answers.jsonl, and labels.jsonl with labels.

    Exit code 2: there is a file of that name already, and it is another.
    """
    wanted = {to / path.name: path.read_bytes() for path in map(path_of, SAMPLES)}
    for path, content in wanted.items():
        if path.exists() and (not path.is_file() or path.read_bytes() != content):
            raise InputError(f"{path} is there already, and is not the sample: name another folder with --to.")
    for path, content in wanted.items():
        with replacing(path) as file:
            file.write(content)
        typer.echo(printable(f"{path}: {count_of(len(content.splitlines()), 'case')}"))
