"""A judge that is a chat model: it renders questions as prompts and finds out how its server likes to be asked."""

from __future__ import annotations

import hashlib
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct, structs

from ..errors import JudgeRejected, QuestionTooLong
from ..judge import Answer, Call
from ..prompt import Prompt
from ..questions import Question
from ..result import Usage
from .dialect import Dialect, Mode, dialect_of

T = TypeVar("T")

_CHARACTERS_PER_TOKEN = 3
"""On the safe side for English; a question that is too long all the same is split when the server says so."""


_SAMPLING_TEMPERATURE = 0.7
"""For samples of a judge whose own temperature is zero: at zero they would all be one answer."""


class Settings(Struct, frozen=True, kw_only=True):
    """What is sent with every question. Zero temperature and a fixed seed: the same question, the same answer."""

    temperature: float | None = 0.0
    seed: int | None = 0
    max_tokens: int | None = None
    extra: dict[str, Any] = {}
    """More fields for the request's body, as the server documents them."""

    def drawn(self, sample: int) -> Settings:
        """The settings for one of several samples: another seed each, and a temperature that lets them differ."""
        if not sample:
            return self
        warm = self.temperature if self.temperature else _SAMPLING_TEMPERATURE
        return structs.replace(self, temperature=warm, seed=(self.seed or 0) + sample)


class Completion(Struct, frozen=True):
    """What a model wrote."""

    text: str
    usage: Usage = Usage(calls=1, cost=None)
    truncated: bool = False


class ChatModel(Protocol):
    """A model behind a wire format."""

    @property
    def name(self) -> str: ...

    @property
    def server(self) -> str:
        """Where the model is: what is learnt about one server is not believed of another."""
        ...

    @property
    def modes(self) -> tuple[Mode, ...]: ...

    async def complete(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, dialect: Dialect, settings: Settings, timeout: float
    ) -> Completion: ...


class ChatJudge:
    """Asks a chat model. `window` is the model's context window in tokens, where it is known."""

    asks = False

    def __init__(self, model: ChatModel, *, settings: Settings | None = None, window: int | None = None) -> None:
        self.model = model
        self.settings = settings or Settings()
        self._dialect = dialect_of(model.server, model.name, model.modes)
        self._window = None if window is None else max(1, window * _CHARACTERS_PER_TOKEN // 2)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def window(self) -> int | None:
        return self._dialect.window or self._window

    def fingerprint(self) -> str:
        identity = (self.model.name, self.model.server, self.settings)
        return hashlib.sha256(msgspec.msgpack.encode(identity)).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        prompt = question.render()
        if call.remark:
            prompt = structs.replace(prompt, user=f"{prompt.user}\n\n{_again(call.remark)}")
        settings = self.settings.drawn(call.sample)
        while True:
            asked_as = self._dialect
            try:
                completion = await self.model.complete(
                    prompt, question.schema(), question.kind, asked_as, settings, call.timeout
                )
            except QuestionTooLong:
                self._dialect.too_long(question.size)
                raise
            except JudgeRejected as error:
                if not self._dialect.learn(error):
                    raise
                continue
            self._dialect.proven = True
            return Answer(
                judge=self.name,
                prompt=str(prompt),
                reply=completion.text,
                truncated=completion.truncated,
                usage=completion.usage,
            )


def _again(remark: str) -> str:
    return (
        f"An earlier reply to this could not be used: {remark[:500]}\n"
        "Reply again, with the one JSON object described above and no other text."
    )
