"""A model that says what a test wants it to say, whichever way it is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from halluscope._internal.core.prompt import Material
from halluscope._internal.engine.questions import Question

from ..helpers.loopback import Loopback, Reply
from ..helpers.oracle import Asked, oracle

Answering = Any
"""A reply, or a function from the material of a question to one."""


@dataclass
class World:
    """`script` has, for each kind of question, a reply or a function of the question's material."""

    script: dict[str, Answering] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    server: Loopback | None = None

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.asked]

    def answer_question(self, question: Question[Any]) -> Any:
        material = {name: slot.value for name, slot in question.slots().items() if isinstance(slot, Material)}
        return self._reply(question.kind, material)

    def answer_request(self, asked: Asked) -> Any:
        self.models.append(str(asked.body["model"]))
        return self._reply(
            "write" if asked.kind == "unknown" else asked.kind, asked.material or {"prompt": asked.prompt}
        )

    def _reply(self, kind: str, material: dict[str, Any]) -> Any:
        self.asked.append((kind, material))
        answering = self.script[kind]
        return answering(material) if callable(answering) else answering


def verdicts(**by_words: tuple[str, str]) -> Callable[[dict[str, Any]], Reply]:
    """Verdicts for the claims whose text holds a word: verdict and reason."""

    def answer(material: dict[str, Any]) -> Reply:
        found = []
        for claim in material["claims"]:
            word = next(word for word in by_words if word in claim["statement"])
            verdict, reason = by_words[word]
            found.append({"statement": claim["statement"], "verdict": verdict, "reason": reason})
        return {"verdicts": found}

    return answer


__all__ = ["Asked", "World", "oracle", "verdicts"]
