"""What has been learnt about how a server wants to be asked, kept for as long as the process lives."""

from __future__ import annotations

import re
from typing import Literal

from ..errors import JudgeRejected

Mode = Literal["schema", "json", "text"]

_OPTIONAL = ("temperature", "seed", "max_tokens", "max_completion_tokens", "top_p")
_FORMAT = re.compile(r"response_format|json_schema|json_object|json mode|structured|guided|grammar|tool", re.IGNORECASE)

_known: dict[tuple[str, str], Dialect] = {}


class Dialect:
    """How one model on one server takes questions.

    Replies are asked for by JSON schema, then in JSON mode, then as plain text: the first that the
    server accepts. Fields it refuses are left out, and a question it calls too long sets the window.
    """

    def __init__(self, modes: tuple[Mode, ...]) -> None:
        self._modes = list(modes)
        self.refused: set[str] = set()
        self.window: int | None = None
        self.proven = False
        """Whether a question in this mode has been answered: then a refusal is about something else."""

    @property
    def mode(self) -> Mode:
        return self._modes[0]

    def learn(self, error: JudgeRejected) -> bool:
        """Whether the refusal taught something that makes another try worth while."""
        if error.status not in (400, 404, 415, 422, 500, 501):
            return False
        body = error.body or ""
        for field in _OPTIONAL:
            if field not in self.refused and re.search(rf"\b{field}\b", body):
                self.refused.add(field)
                return True
        if len(self._modes) > 1 and (_FORMAT.search(body) or not self.proven) and error.status != 404:
            self._modes.pop(0)
            return True
        return False

    def too_long(self, size: int) -> None:
        """A question with this much judged text was too long: ask for less from now on."""
        limit = max(1, size * 3 // 4)
        self.window = limit if self.window is None else min(self.window, limit)


def dialect_of(server: str, model: str, modes: tuple[Mode, ...]) -> Dialect:
    """The dialect of a model on a server, shared by all judges that ask it."""
    return _known.setdefault((server, model), Dialect(modes))


def forget() -> None:
    """Start anew with every server."""
    _known.clear()
