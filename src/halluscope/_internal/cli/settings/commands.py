"""The commands init, sample, trust and cache: files to begin with, and what is kept."""

from __future__ import annotations

from pathlib import Path

import typer

from ...core.counting import count_of
from ...core.errors import InputError
from ...core.plumbing.whole_file import replacing
from ...runs.datasets.sample_data import SAMPLES
from ...runs.datasets.sample_data import sample as path_of
from ...runs.store import Store
from ...runs.store.removal import clear_replies, kept
from ..app import app, command
from ..terminal import print_json, printable
from .file import NAME, content_of, find, read_settings, without_overridden
from .known import SETTINGS
from .trust import forget, reasons_to_ask, trust, trusted_files

_HEAD = """# Settings of halluscope for this folder and its subfolders.
# Remove the # to use a setting. Options on the command line take precedence over environment variables,
# and those over this file.
"""


@command("init")
def init(folder: Path = Path(), force: bool = False) -> None:
    """Write a halluscope.toml that explains every setting."""
    path = folder / NAME
    if path.exists() and not force:
        raise InputError(f"{path} exists already: edit it, or overwrite it with --force.")
    with replacing(path) as file:
        file.write(template().encode())
    typer.echo(f"wrote {path}: remove the # from the settings you want to change.")


def template() -> str:
    """Return the settings file."""
    lines = [_HEAD]
    section = ""
    for setting in SETTINGS:
        if setting.section != section:
            section = setting.section
            lines.append(f"[{section}]")
        lines.append(f"# {setting.about} ({setting.variable})\n# {setting.key} = {setting.example}\n")
    return "\n".join(lines)


@command("sample")
def sample(to: Path = Path()) -> None:
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


@command("trust")
def trust_command(file: Path | None = None, show: bool = False, remove: bool = False) -> None:
    """Trust a settings file that names a server of its own, until its content changes.

    Without it, a file from elsewhere could send your texts and keys to its author.
    """
    if show:
        for known in trusted_files():
            typer.echo(printable(known))
        return
    path = file or find()
    if path is None:
        raise InputError(f"there is no {NAME} in this project: name the file.")
    if remove:
        forget(path)
        typer.echo(printable(f"{path} is no longer trusted."))
        return
    content = content_of(path)
    reasons = reasons_to_ask(path, without_overridden(read_settings(path, content)))
    if not reasons:
        typer.echo(printable(f"{path} needs no trust: it sends nothing to a server of its own."))
        return
    trust(path, content)
    typer.echo(printable(f"{path} {' and '.join(reasons)}: trusted until it changes."))


cache = typer.Typer(no_args_is_help=True, help="Show the size of the cache of replies, or clear it.")
app.add_typer(cache, name="cache")


@command("cache size", cache)
def size(as_json: bool = False) -> None:
    """Show the number of cached replies and their size."""
    with Store() as store:
        found = kept(store)
        if as_json:
            print_json(found)
        else:
            size = f"{_megabytes(found.bytes)}; with all runs {_megabytes(found.file)}"
            typer.echo(f"{count_of(found.replies, 'reply', 'replies')}, {size}")
            typer.echo(f"in {store.path}")


@command("cache clear", cache)
def clear(yes: bool = False) -> None:
    """Delete all cached replies. Runs are kept. Asking the same questions again costs money again."""
    with Store() as store:
        found = kept(store)
        if found.replies and not yes:
            replies = count_of(found.replies, "reply that was", "replies that were")
            typer.confirm(f"Delete {replies} paid for?", abort=True)
        typer.echo(f"{count_of(clear_replies(store), 'reply', 'replies')} deleted")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
