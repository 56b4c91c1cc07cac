"""What has been learnt about how a server wants to be asked, kept for as long as the process lives."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from ...errors import JudgeRejected
from ...plumbing.public import public_in
from .http import words_of_error

Mode = Literal["schema", "json", "text"]

_FORMAT = re.compile(r"response_format|json_schema|json_object|json mode|structured|guided|grammar|tool", re.IGNORECASE)
_COUNT = re.compile(r"\d{3,}")
_SMALLEST_WINDOW = 200
_ROOM_FOR_REPLY = 0.8
"""The share of a window that a question may fill."""

_known: dict[tuple[str, str], Dialect] = {}


@public_in("halluscope.judges")
class Manner(Struct, frozen=True):
    """One way of asking: how the reply's form is asked for, and which fields are left out."""

    mode: Mode
    refused: frozenset[str] = frozenset()


class Dialect:
    """How one model on one server takes questions.

    Replies are asked for by JSON schema, then in JSON mode, then as plain text: the first that the
    server accepts. Fields it refuses are left out, and a question it calls too long sets the window.
    """

    def __init__(self, modes: tuple[Mode, ...]) -> None:
        self._modes = modes
        self.manner = Manner(modes[0])
        self.window: int | None = None
        self.proven: set[Mode] = set()
        """Modes in which a question was answered: there a refusal is about something else."""

    def learn(self, error: JudgeRejected, asked: Manner, sent: Collection[str]) -> bool:
        """Whether there is now another way to ask than `asked`, which was refused; `sent` are its optional fields."""
        if error.status not in (400, 404, 415, 422, 500, 501):
            return False
        complaint = words_of_error(error.body or "")
        refused = {field for field in sent if re.search(rf"\b{field}\b", complaint)}
        if refused:
            self.manner = Manner(self.manner.mode, self.manner.refused | refused)
        elif error.status != 404 and (_FORMAT.search(complaint) or asked.mode not in self.proven):
            self._step_down(asked.mode)
        return self.manner != asked

    def _step_down(self, refused: Mode) -> None:
        """Go on to the next mode, unless another question that was refused at the same time did so already."""
        place = self._modes.index(refused) + 1
        if self.manner.mode == refused and place < len(self._modes):
            self.manner = Manner(self._modes[place], self.manner.refused)

    def too_long(self, size: int, prompt: int, complaint: str) -> None:
        """A question with `size` characters of judged text, `prompt` in all, was too long: ask for less from now on.

        Most servers say how many tokens they take and how many there were; else a quarter less is tried.
        """
        limit = size * 3 // 4
        counts = sorted({int(count) for count in _COUNT.findall(complaint)})
        if len(counts) > 1 and counts[-2] > counts[-1] // 50:
            characters = prompt * counts[-2] / counts[-1] * _ROOM_FOR_REPLY
            limit = min(limit, int(characters) - (prompt - size))
        limit = max(_SMALLEST_WINDOW, limit)
        self.window = limit if self.window is None else min(self.window, limit)


def dialect_of(server: str, model: str, modes: tuple[Mode, ...]) -> Dialect:
    """The dialect of a model on a server, shared by all judges that ask it."""
    return _known.setdefault((server, model), Dialect(modes))


def forget() -> None:
    """Start anew with every server."""
    _known.clear()
