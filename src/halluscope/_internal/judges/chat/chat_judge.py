"""The judge that sends questions to a chat model, and adapts to what its server supports."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct, structs

from ...core.errors import InputError, JudgeRejected, QuestionTooLong, did_you_mean
from ...core.plumbing.public import public_in
from ...core.prompt import Prompt
from ...core.result import Usage
from ...engine.judge import Answer, Call
from ...engine.questions import Question
from .http import words_of_error
from .response_modes import ResponseFormat, ResponseMode, features_of
from .verdict_probabilities import Token, verdict_probabilities

T = TypeVar("T")

_CHARACTERS_PER_TOKEN = 3
"""A safe estimate for English. If a question is still too long, it is split when the server says so."""

_SAMPLING_TEMPERATURE = 0.7
"""For samples of a judge whose own temperature is zero, which would all be equal."""

_REPAIR_SEED_STEP = 1000
"""Between the seeds of repairs: larger than any number of samples."""


UNKNOWN = Usage(calls=1, cost=None)
"""The usage of a call if the server reports no tokens."""


@public_in("halluscope.judges")
class ChatSettings(Struct, frozen=True, kw_only=True):
    """The settings of a chat model. By default, equal questions get equal answers.

    Attributes:
        temperature: Temperature, None to send none.
        seed: Seed, None to send none.
        max_tokens: Most tokens of a reply.
        logprobs: Whether to ask for the log-probabilities of tokens. Verdicts have a probability from them.
        extra: More fields for the body of the request, as documented by the server.
    """

    temperature: float | None = 0.0
    seed: int | None = 0
    max_tokens: int | None = None
    logprobs: bool = True
    extra: dict[str, Any] = {}

    def drawn(self, sample: int, repair: int = 0) -> ChatSettings:
        """The settings for one of several samples: a different seed, and a temperature at which samples can differ.

        The same applies from the second repair on: with an unchanged prompt, the model would repeat its reply.
        """
        if not sample and repair < 2:
            return self
        warm = self.temperature if self.temperature else _SAMPLING_TEMPERATURE
        return structs.replace(
            self, temperature=warm, seed=(self.seed or 0) + sample + _REPAIR_SEED_STEP * max(0, repair - 1)
        )


_PASSED_APART = ("base_url", "api_key", "headers", "price", "window", "response_limit", "votes")
"""Options of a chat judge that are no settings of the model."""


def made_settings(given: dict[str, Any]) -> ChatSettings:
    """Create settings from keyword arguments. Raise `InputError` for an unknown one."""
    unknown = [name for name in given if name not in ChatSettings.__struct_fields__]
    if unknown:
        known = (*_PASSED_APART, *ChatSettings.__struct_fields__)
        more = did_you_mean(unknown[0], known) or f"; it takes: {', '.join(ChatSettings.__struct_fields__)}."
        raise InputError(f"a chat judge has no setting {unknown[0]!r}{more}")
    return ChatSettings(**given)


@public_in("halluscope.judges")
class Completion(Struct, frozen=True):
    """The response of a chat model.

    Attributes:
        text: The text of the reply.
        usage: Calls, tokens and cost.
        truncated: Whether the reply was cut off.
        refused: Whether the model declined to answer.
        tokens: The tokens of the reply with their probabilities, if the server reports them.
    """

    text: str
    usage: Usage = UNKNOWN
    truncated: bool = False
    refused: bool = False
    tokens: tuple[Token, ...] = ()


@public_in("halluscope.judges")
class ChatRequest(Struct, frozen=True, kw_only=True):
    """What a chat model is asked.

    Attributes:
        prompt: The prompt.
        schema: The JSON schema of the reply.
        kind: The kind of question, which names the schema.
        mode: How the form of the reply is requested.
        settings: Temperature, seed and other settings.
    """

    prompt: Prompt
    schema: dict[str, Any]
    kind: str
    mode: ResponseMode
    settings: ChatSettings


@public_in("halluscope.judges")
class ChatModel(Protocol):
    """A chat model behind an API, for `ChatJudge`.

    Attributes:
        name: Name of the model, as it appears in results.
        server: The server. What is learnt about one server does not apply to another.
        formats: The formats in which replies can be requested, the best first.
    """

    @property
    def name(self) -> str: ...

    @property
    def server(self) -> str: ...

    @property
    def formats(self) -> tuple[ResponseFormat, ...]: ...

    def fields(self, request: ChatRequest) -> dict[str, Any]:
        """The optional fields of a request, which a server may not support."""

    async def complete(self, request: ChatRequest, timeout: float) -> Completion:
        """Ask the model, or raise `JudgeError`."""


@public_in("halluscope.judges")
class ChatJudge:
    """Asks a chat model.

    Args:
        model: The model.
        settings: Temperature, seed and other settings.
        window: Context window of the model in tokens. Longer questions are split.
    """

    asks = False

    def __init__(self, model: ChatModel, *, settings: ChatSettings | None = None, window: int | None = None) -> None:
        self.model = model
        self.settings = settings or ChatSettings()
        self._features = features_of(model.server, model.name, model.formats)
        self._window = None if window is None else max(1, window * _CHARACTERS_PER_TOKEN // 2)

    def priced(self, read: int, written: int) -> float | None:
        """The price of a call in US dollars, None if it is not known."""
        priced: Callable[[int, int], float | None] | None = getattr(self.model, "priced", None)
        return None if priced is None else priced(read, written)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def window(self) -> int | None:
        known = [window for window in (self._features.window, self._window) if window is not None]
        return min(known, default=None)

    def fingerprint(self) -> str:
        identity = (self.model.name, self.model.server, self.settings)
        return hashlib.sha256(msgspec.msgpack.encode(identity, enc_hook=repr)).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        rendered = question.prompt.with_remark(call.remark)
        settings = self.settings.drawn(call.sample, call.repair)
        if not question.vocabulary:
            settings = structs.replace(settings, logprobs=False)
        features, at_first = self._features, self._features.mode
        while True:
            mode = features.mode
            # With a schema, the reply is one JSON value: it needs no code to be found in other text.
            prompt = rendered if mode.format == "schema" and not call.repair else rendered.framed()
            request = ChatRequest(
                prompt=prompt, schema=question.schema(), kind=question.kind, mode=mode, settings=settings
            )
            try:
                completion = await self._completion(question, call, request)
            except QuestionTooLong as error:
                features.too_long(question.size, len(str(prompt)), words_of_error(error.body or ""))
                raise
            except JudgeRejected as error:
                if features.learn(error, mode, self.model.fields(request)):
                    continue
                if not features.proven:
                    # The server refused every mode: the reason is something else.
                    features.mode = at_first
                raise
            features.proven.add(mode.format)
            return Answer(
                judge=self.name,
                prompt=str(prompt),
                reply=completion.text,
                truncated=completion.truncated,
                refused=completion.refused,
                probabilities=verdict_probabilities(completion.tokens, question.vocabulary),
                usage=completion.usage,
            )

    async def _completion(self, question: Question[Any], call: Call, request: ChatRequest) -> Completion:
        return await self.model.complete(request, call.timeout)
