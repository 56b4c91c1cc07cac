"""`cache` says how much is kept, and clears it."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from ...store.removal import clear_replies, kept
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
            typer.echo(f"{found.replies:,} replies, {_megabytes(found.bytes)}; with all runs {_megabytes(found.file)}")
            typer.echo(f"in {store.path}")


@cache.command("clear")
def clear(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> None:
    """Take out all replies. Runs and their results stay; a judge that is asked again is paid again."""
    with kept_store() as store:
        found = kept(store)
        if found.replies and not yes:
            typer.confirm(f"Take out {found.replies:,} replies of judges? They were paid for", abort=True)
        typer.echo(f"{clear_replies(store):,} replies taken out")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
