"""Options that both serving commands take, and the settings that they make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...judge import DEFAULT
from ...service.limits import Limits
from ..options import judge_options

if TYPE_CHECKING:
    from ...server.settings import ServerSettings

DEFAULTS = Limits()

Host = Annotated[str, typer.Option(help="The address to listen on; any but loopback needs a token.")]
TokenFile = Annotated[
    Path | None, typer.Option(help="A file with the token that clients have to send; else HALLUSCOPE_TOKEN.")
]
MostBytes = Annotated[int, typer.Option("--max-body", min=1, help="Bytes of a request.")]
MostClaims = Annotated[int, typer.Option("--max-claims", min=1, help="Claims of one output.")]
MostSeconds = Annotated[float, typer.Option("--timeout", min=0.001, help="Seconds that a request may take.")]
MostAtOnce = Annotated[int, typer.Option("--queue", min=1, help="Requests under way at once; one more is told 429.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")]
LogLevel = Annotated[str, typer.Option(help="debug, info, warning or error.")]


def settings_of(
    host: str, port: int, judges: list[str] | None, base_url: str | None, token_file: Path | None, limits: Limits
) -> ServerSettings:
    """The settings that the options mean; raises where the extra is missing."""
    from ...server.settings import ServerSettings, token_from

    return ServerSettings(
        host=host,
        port=port,
        token=token_from(token_file),
        judges=tuple(judges or ()),
        judge_options=judge_options(base_url, next((name for name in judges or () if name != DEFAULT), None)),
        limits=limits,
    )
