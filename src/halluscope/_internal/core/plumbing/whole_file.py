"""Writing files atomically."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from ..errors import InputError, WriteError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends without an error.

    If writing fails, the old file stays. Devices and pipes are written to directly.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file in it.")
        target = path.resolve() if path.is_symlink() else path
        special = target.exists() and not target.is_file()
        unfinished = target if special else target.with_name(f".{target.name[:40]}.{token_hex(6)}.part")
        target.parent.mkdir(parents=True, exist_ok=True)
        file = unfinished.open("wb" if special else "xb")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
    try:
        with file:
            yield file
        if not special:
            unfinished.replace(target)
    except BaseException as error:
        if not special:
            unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(unfinished)):
            kept = "" if special else " The old file is unchanged."
            raise WriteError(f"{path} cannot be written: {error.strerror or error}.{kept}") from error
        raise
