"""Files that are there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from ..errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` once all is written to it.

    Until then, and for good where the writing fails, what was there before stays.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file in it.")
        unfinished = path.with_name(f".{path.name[:40]}.{token_hex(6)}.part")
        path.parent.mkdir(parents=True, exist_ok=True)
        file = unfinished.open("xb")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
    try:
        with file:
            yield file
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
