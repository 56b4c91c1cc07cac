"""Fingerprints of source code. Stored results are reused only if the code behind them has not changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType

_TEXT_OR_COMMENT = re.compile(
    r'''"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*'''
)
_COMMENT = "\0"
"""Placeholder for a comment."""
_IMPORT = re.compile(r"^[ \t]*from (\.+)([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_NAME = re.compile(r"\w+")
_DATA = re.compile(r'"([\w-]+\.(?:json|txt))"')
"""The name of a data file beside the code."""


def code_behind(things: Iterable[object]) -> str:
    """Return a hash of the code of the objects' classes, and of everything their modules import from the package."""
    digest = hashlib.blake2b(digest_size=16)
    starts: set[Path] = set()
    for code in (code for thing in things for kind in type(thing).__mro__ for code in _codes(kind)):
        path = Path(code.co_filename)
        if path.is_file():
            starts.add(path)
        else:  # defined in a notebook
            digest.update(code.co_code + repr(code.co_consts).encode())
    for part in sorted(_read(path)[0] for path in _reached(starts)):
        digest.update(part)
    return digest.hexdigest()


def _codes(kind: type) -> Iterator[CodeType]:
    for held in vars(kind).values():
        function = held.fget if isinstance(held, property) else getattr(held, "__func__", held)
        if isinstance(function, FunctionType):
            yield function.__code__


def _reached(starts: set[Path]) -> set[Path]:
    reached: set[Path] = set()
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += _read(path)[1]
    return reached


@cache
def _read(path: Path) -> tuple[bytes, frozenset[Path]]:
    """Return a hash of a file without comments and blank lines and of its data, and the files that it imports."""
    source = path.read_text(encoding="utf-8", errors="replace")
    marked = source
    if "#" in source:
        marked = _TEXT_OR_COMMENT.sub(lambda found: _COMMENT if found[0][0] == "#" else found[0], source)
    bare = "".join([piece.rstrip(" \t") for piece in marked.split(_COMMENT)])
    code = "\n".join([line for line in bare.splitlines() if line.strip()])
    imported = {file for dots, module, names in _IMPORT.findall(code) for file in _files(path, dots, module, names)}
    digest = hashlib.blake2b(code.encode(errors="replace"), digest_size=16)
    for data in map(path.with_name, _DATA.findall(code)):
        digest.update(data.read_bytes() if data.is_file() else b"")
    return digest.digest(), frozenset(imported)


def _files(path: Path, dots: str, module: str, names: str) -> Iterator[Path]:
    base = path.parents[len(dots) - 1].joinpath(*module.split(".") if module else ())
    file = base.with_name(f"{base.name}.py")
    if file.is_file():
        yield file
        return
    for target in (base / "__init__", *(base / name for name in _NAME.findall(names))):
        for file in (target.with_name(f"{target.name}.py"), target / "__init__.py"):
            if file.is_file():
                yield file
