"""What a server supports, learnt from its errors and remembered while the process runs."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from ...core.errors import JudgeRejected
from ...core.plumbing.public import public_in
from .http import words_of_error

ResponseFormat = Literal["schema", "json", "text"]

_FORMAT = re.compile(r"response_format|json_schema|json_object|json mode|structured|guided|grammar|tool", re.IGNORECASE)
_LOG_PROBABILITIES = re.compile(r"log.?prob", re.IGNORECASE)
_COUNT = re.compile(r"\d{3,}")
_SMALLEST_WINDOW = 200
_ROOM_FOR_REPLY = 0.8
"""Largest share of a window that a question may fill."""

_known: dict[tuple[str, str], ServerFeatures] = {}


@public_in("halluscope.judges")
class ResponseMode(Struct, frozen=True):
    """How a server is asked.

    Attributes:
        format: How the form of the reply is requested: by JSON schema, in JSON mode, or in the prompt.
        refused: Fields that are left out of requests.
    """

    format: ResponseFormat
    refused: frozenset[str] = frozenset()


class ServerFeatures:
    """What one model on one server supports: the form of replies, optional fields, and the window."""

    def __init__(self, formats: tuple[ResponseFormat, ...]) -> None:
        self._formats = formats
        self.mode = ResponseMode(formats[0])
        self.window: int | None = None
        self.proven: set[ResponseFormat] = set()
        """Formats in which a question was answered. If one of these is refused, the reason is something else."""

    def learn(self, error: JudgeRejected, asked: ResponseMode, sent: Collection[str]) -> bool:
        """Learn from a refused request. Return whether there is another mode to try.

        `asked` is the mode that was refused, `sent` are the optional fields of the request.
        """
        if error.status not in (400, 404, 415, 422, 500, 501):
            return False
        complaint = words_of_error(error.body or "")
        refused = {field for field in sent if re.search(rf"\b{field}\b", complaint)}
        if _LOG_PROBABILITIES.search(complaint):
            refused |= {"logprobs", "top_logprobs"}.intersection(sent)
        if refused:
            self.mode = ResponseMode(self.mode.format, self.mode.refused | refused)
        elif error.status != 404 and (_FORMAT.search(complaint) or asked.format not in self.proven):
            following = self._formats[self._formats.index(asked.format) + 1 :]
            if following and self.mode.format == asked.format:  # another refused question may already have changed it
                self.mode = ResponseMode(following[0], self.mode.refused)
        return self.mode != asked

    def too_long(self, size: int, prompt: int, complaint: str) -> None:
        """Reduce the window after a question with `size` characters of judged text, in a prompt of `prompt` characters.

        Most servers report their limit and the number of tokens; otherwise it becomes a quarter smaller.
        """
        limit = size * 3 // 4
        counts = sorted({int(count) for count in _COUNT.findall(complaint)})
        if len(counts) > 1 and counts[-2] > counts[-1] // 50:
            characters = prompt * counts[-2] / counts[-1] * _ROOM_FOR_REPLY
            limit = min(limit, int(characters) - (prompt - size))
        limit = max(_SMALLEST_WINDOW, limit)
        self.window = limit if self.window is None else min(self.window, limit)


def features_of(server: str, model: str, formats: tuple[ResponseFormat, ...]) -> ServerFeatures:
    """The features of a model on a server, shared by all its judges."""
    return _known.setdefault((server, model), ServerFeatures(formats))


def forget() -> None:
    _known.clear()
