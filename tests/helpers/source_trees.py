"""The syntax trees of our own files."""

from __future__ import annotations

import ast
from pathlib import Path


def tree_of(path: Path) -> ast.Module:
    """A file's tree.

    Python before 3.11.9 counts the depth of a tree once for all threads, so that parsing can fail while another thread
    (of a library that an earlier test has loaded) parses too; it is then tried again.
    """
    text = path.read_text(encoding="utf-8")
    for _ in range(5):
        try:
            return ast.parse(text)
        except SystemError:
            continue
    return ast.parse(text)
