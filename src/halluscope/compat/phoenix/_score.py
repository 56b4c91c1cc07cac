"""What an evaluator gives, and what an evaluator is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
from msgspec import Struct, structs

TAKEN = ("input_tokens", "output_tokens", "total_tokens", "cost")
"""What a score's metadata says of the calls it took."""


class Score(Struct, frozen=True):
    """One score. 1.0 is factual; score and label are None where there was nothing to score."""

    name: str | None = None
    score: float | None = None
    label: str | None = None
    explanation: str | None = None
    metadata: dict[str, Any] = {}
    source: str | None = "llm"
    direction: str = "maximize"

    @property
    def kind(self) -> str | None:
        """What newer versions of Phoenix call the source."""
        return self.source

    def __repr__(self) -> str:
        """The score as the document prints it: what it took is in `metadata`, and not in the way."""
        shown = {name: value for name, value in self.metadata.items() if name not in TAKEN}
        fields = {**structs.asdict(self), "metadata": shown}
        return f"Score({', '.join(f'{name}={value!r}' for name, value in fields.items())})"

    def to_dict(self) -> dict[str, Any]:
        """The score as plain data, without what is empty."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in data.items() if value is not None}

    def pretty_print(self, indent: int = 2) -> None:
        """Print the score as JSON."""
        print(json.dumps(self.to_dict(), indent=indent, ensure_ascii=False))  # noqa: T201 - that is what it is for


class Evaluator(Protocol):
    """What scores the rows of a frame: ours, and your own."""

    @property
    def name(self) -> str: ...

    async def async_evaluate(self, eval_input: Mapping[str, Any]) -> list[Score]: ...
