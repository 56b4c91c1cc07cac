"""A judge that is a chat model: it renders questions as prompts and finds out how its server likes to be asked."""

from __future__ import annotations

import hashlib
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct, structs

from ...errors import InputError, JudgeRejected, QuestionTooLong
from ...judge import Answer, Call
from ...plumbing.public import public_in
from ...prompt import Prompt
from ...questions import Question
from ...result import Usage
from .dialect import Manner, Mode, dialect_of
from .http import words_of_error
from .prices import Tokens, usage_of

T = TypeVar("T")

_CHARACTERS_PER_TOKEN = 3
"""On the safe side for English; a question that is too long all the same is split when the server says so."""

_SAMPLING_TEMPERATURE = 0.7
"""For samples of a judge whose own temperature is zero: at zero they would all be one answer."""

_FAR = 1000
"""Between the seeds of repairs: farther than anybody draws samples."""


@public_in("halluscope.judges")
class ChatSettings(Struct, frozen=True, kw_only=True):
    """What is sent with every question. Zero temperature and a fixed seed: the same question, the same answer."""

    temperature: float | None = 0.0
    seed: int | None = 0
    max_tokens: int | None = None
    extra: dict[str, Any] = {}
    """More fields for the request's body, as the server documents them."""

    def drawn(self, sample: int, repair: int = 0) -> ChatSettings:
        """The settings for one of several samples: another seed each, and a temperature that lets them differ.

        The same goes for a second repair: the first has changed the prompt by its remark, but asked
        once more in the same way the model would say the same again.
        """
        if not sample and repair < 2:
            return self
        warm = self.temperature if self.temperature else _SAMPLING_TEMPERATURE
        return structs.replace(self, temperature=warm, seed=(self.seed or 0) + sample + _FAR * max(0, repair - 1))


def made_settings(given: dict[str, Any]) -> ChatSettings:
    """Settings from keyword arguments; an unknown one is the caller's mistake."""
    unknown = [name for name in given if name not in ChatSettings.__struct_fields__]
    if unknown:
        known = ", ".join(ChatSettings.__struct_fields__)
        raise InputError(f"a chat judge has no setting {unknown[0]!r}; it takes: {known}.")
    return ChatSettings(**given)


@public_in("halluscope.judges")
class Completion(Struct, frozen=True):
    """What a model wrote, and whether it was cut short or declined."""

    text: str
    usage: Usage = Usage(calls=1, cost=None)
    truncated: bool = False
    refused: bool = False


@public_in("halluscope.judges")
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

    def fields(self, settings: ChatSettings, manner: Manner) -> dict[str, Any]:
        """The fields of a request that the server may refuse without refusing the question."""
        ...

    async def complete(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, manner: Manner, settings: ChatSettings, timeout: float
    ) -> Completion: ...


@public_in("halluscope.judges")
class ChatJudge:
    """Asks a chat model. `window` is the model's context window in tokens, where it is known."""

    asks = False

    def __init__(self, model: ChatModel, *, settings: ChatSettings | None = None, window: int | None = None) -> None:
        self.model = model
        self.settings = settings or ChatSettings()
        self._dialect = dialect_of(model.server, model.name, model.modes)
        self._window = None if window is None else max(1, window * _CHARACTERS_PER_TOKEN // 2)

    def priced(self, read: int, written: int) -> float | None:
        """What a call with so many tokens costs, in dollars; None where the price is not known."""
        model: Any = self.model
        named = getattr(model, "model", None)
        if named is None:
            return None
        provider, price = getattr(model, "provider", None), getattr(model, "price", None)
        short = named if provider else named.rpartition("/")[2]
        return usage_of(provider, short, Tokens(read, written), price, getattr(model, "base_url", None)).cost

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def window(self) -> int | None:
        known = [window for window in (self._dialect.window, self._window) if window is not None]
        return min(known, default=None)

    def fingerprint(self) -> str:
        identity = (self.model.name, self.model.server, self.settings)
        return hashlib.sha256(msgspec.msgpack.encode(identity, enc_hook=repr)).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        rendered = question.prompt.with_remark(call.remark)
        settings = self.settings.drawn(call.sample, call.repair)
        dialect, at_first = self._dialect, self._dialect.manner
        while True:
            manner = dialect.manner
            # A server that keeps to a schema gives nothing but the reply, so that nothing has to be told apart in it.
            prompt = rendered if manner.mode == "schema" and not call.repair else rendered.framed()
            try:
                completion = await self.model.complete(
                    prompt, question.schema(), question.kind, manner, settings, call.timeout
                )
            except QuestionTooLong as error:
                dialect.too_long(question.size, len(str(prompt)), words_of_error(error.body or ""))
                raise
            except JudgeRejected as error:
                if dialect.learn(error, manner, self.model.fields(settings, manner)):
                    continue
                if not dialect.proven:
                    # No way of asking was to the server's liking: what it refused was something else.
                    dialect.manner = at_first
                raise
            dialect.proven.add(manner.mode)
            return Answer(
                judge=self.name,
                prompt=str(prompt),
                reply=completion.text,
                truncated=completion.truncated,
                refused=completion.refused,
                usage=completion.usage,
            )
