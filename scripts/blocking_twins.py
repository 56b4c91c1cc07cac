"""Shows `check = sync.blocking(acheck, "check")` in the API reference as the function that it is.

Griffe, which reads the code for mkdocstrings, sees an assignment: no signature and no docstring (see mkdocs.yml).
"""

from __future__ import annotations

import re
from typing import Any

import griffe

TWIN = re.compile(r"\bblocking\((\w+), ")


class BlockingTwins(griffe.Extension):
    """Gives each of them what its asynchronous twin has."""

    def on_members(self, *, obj: griffe.Object, **_: Any) -> None:
        """Of a module or a class, once all that is in it is known."""
        for name, member in list(obj.members.items()):
            of = TWIN.search(str(member.value)) if isinstance(member, griffe.Attribute) else None
            twin = obj.members.get(of[1]) if of else None
            if not isinstance(twin, griffe.Function):
                continue
            made = griffe.Function(
                name, lineno=member.lineno, endlineno=member.endlineno, parameters=twin.parameters, returns=twin.returns
            )
            made.docstring = twin.docstring
            obj.set_member(name, made)
