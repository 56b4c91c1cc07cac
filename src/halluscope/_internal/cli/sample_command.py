"""The command `sample`: write sample data to try the other commands with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..core.counting import count_of
from ..core.errors import InputError
from ..core.plumbing.whole_file import replacing
from ..runs.datasets.sample_data import SAMPLES
from ..runs.datasets.sample_data import sample as path_of
from .app import app
from .terminal import printable


@app.command("sample")
def sample(to: Annotated[Path, typer.Option(help="The folder to write to.")] = Path()) -> None:
    """Write sample data: answers.jsonl, and labels.jsonl with labels.

    Exit code 2: a different file of that name exists.
    """
    samples = {to / path.name: path.read_bytes() for path in map(path_of, SAMPLES)}
    for path, content in samples.items():
        if path.exists() and (not path.is_file() or path.read_bytes() != content):
            raise InputError(f"{path} exists and is a different file: name another folder with --to.")
    for path, content in samples.items():
        with replacing(path) as file:
            file.write(content)
        typer.echo(printable(f"{path}: {count_of(len(content.splitlines()), 'case')}"))
