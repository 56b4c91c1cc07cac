"""`cache` says how much is kept, and clears it."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from ...store.removal import clear_replies, kept
from ...text.counting import count_of
from ..app import app
from ..open_store import kept_store

cache = typer.Typer(no_args_is_help=True, help="Replies of judges that are kept: count them, clear them.")
app.add_typer(cache, name="cache")


@cache.command("size")
def size(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say how many replies are kept, and how much room they take."""
    with kept_store() as store:
        found = kept(store)
        if as_json:
            typer.echo(msgspec.json.encode(found).decode())
        else:
            room = f"{_megabytes(found.bytes)}; with all runs {_megabytes(found.file)}"
            typer.echo(f"{count_of(found.replies, 'reply', 'replies')}, {room}")
            typer.echo(f"in {store.path}")


@cache.command("clear")
def clear(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> None:
    """Take out all replies. Runs and their results stay; a judge that is asked again is paid again."""
    with kept_store() as store:
        found = kept(store)
        if found.replies and not yes:
            paid_for = count_of(found.replies, "reply of a judge, which was", "replies of judges, which were")
            typer.confirm(f"Take out {paid_for} paid for?", abort=True)
        typer.echo(f"{count_of(clear_replies(store), 'reply', 'replies')} taken out")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
