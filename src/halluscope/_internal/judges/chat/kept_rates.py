"""Rates that were found in the price table once, in a file: a run that finds its own there need not load the table.

The table is Python code that builds itself out of pydantic's classes, and the package loads an HTTP client with it: a
quarter of a second of a run's first one. Nothing of it can be had for less, short of reading another package's private
files. So what was found is kept for as long as the same version of the table is installed. Whatever is wrong with the
file, it is as if there were none: the table is asked, and the file written anew.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from ...errors import InputError, WriteError
from ...plumbing.home_folder import home
from ...plumbing.loggers import logger
from ...plumbing.whole_file import replacing

_log = logger("judge")

_FILE = "prices.json"
_MOST = 64
"""Models in the file, the latest: a server on this machine may have another port every time."""

_Dollars = Annotated[float, Meta(ge=0)]


class PricedModel(Struct, frozen=True, array_like=True):
    """A model, and where it is asked."""

    provider: str | None
    model: str
    server: str | None


class Rates(Struct, frozen=True):
    """US dollars for a token: one that is read, one that the server has read before, one that is written."""

    read: _Dollars
    again: _Dollars
    written: _Dollars


class _Kept(Struct, frozen=True):
    """The file. A model without rates is one that the table does not know."""

    table: str
    models: list[tuple[PricedModel, Rates | None]]


def kept_rates() -> dict[PricedModel, Rates | None]:
    """What is known of the table that is installed; None stands for a model that it does not have."""
    table = _installed()
    if table is None:
        return {}
    try:
        kept = msgspec.json.decode((home() / _FILE).read_bytes(), type=_Kept)
    except (OSError, InputError, msgspec.MsgspecError):
        return {}
    return dict(kept.models) if kept.table == table else {}


def keep_rates(asked: PricedModel, rates: Rates | None) -> None:
    """Write down what the table says, where there is a place for it.

    Of two processes at once the last to write stands: what the other one found is looked for again another time.
    """
    table = _installed()
    if table is None:
        return
    latest = list({**kept_rates(), asked: rates}.items())[-_MOST:]
    try:
        with replacing(home() / _FILE) as file:
            file.write(msgspec.json.encode(_Kept(table, latest)))
    except (InputError, WriteError) as error:
        _log.debug("the price of %s is not kept: %s", asked.model, error)


@cache
def _installed() -> str | None:
    """The table that is installed, by the folder beside it that names its version; None where there is no such folder.

    `importlib.metadata` says the same, and takes ten milliseconds to load.
    """
    found = find_spec("genai_prices")
    if found is None or found.origin is None:
        return None
    named = list(Path(found.origin).parents[1].glob("genai_prices-*.dist-info"))
    return named[0].name if len(named) == 1 else None
