"""A prompt of the user's own, put to a chat model: for JSON of a given form, or for a free answer.

A model is asked through the driver, so that retries and deadlines are those of every other call. A function of the
user's own is called once: whether it may be called again is not for us to say.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, ClassVar, TypeVar, cast

import msgspec
from msgspec import structs

from .._internal.core.case import Case
from .._internal.core.errors import InputError, ReplyError
from .._internal.core.plumbing.user_functions import call as called
from .._internal.core.prompt import Prompt, code_for
from .._internal.core.redaction import redacted
from .._internal.engine.driver import Driver, Trail
from .._internal.engine.judge import Answer, Call, Judge
from .._internal.engine.questions import Question
from .._internal.judges.chat.chat_judge import ChatJudge, ChatRequest
from .._internal.judges.chat.response_modes import ResponseMode, ServerFeatures
from ._models import Judging
from ._own_models import adapted

T = TypeVar("T")


class Asked(Question[Any], frozen=True, kw_only=True):
    """The prompt, the JSON schema of the reply, and what reads it; `reads_word` reads a reply without JSON.

    Without a schema the reply is free text.
    """

    kind: ClassVar[str] = "step"
    answer_type: ClassVar[Any] = Any

    system: str
    user: str
    form: dict[str, Any] = {}
    reads: Callable[[Any], Any] = lambda data: data
    reads_word: Callable[[str], Any] | None = None

    def schema(self) -> dict[str, Any]:
        return self.form

    def render(self) -> Prompt:
        if not self.form:
            return Prompt(self.system, self.user)
        form = msgspec.json.encode(self.form).decode()
        user = f"{self.user}\n\nReply with one JSON value and no other text. Its schema: {form}"
        return Prompt(self.system, user, code_for(user) if self.form.get("type") == "object" else "")

    def read(self, data: Any) -> Any:
        missing = [key for key in self.form.get("required", ()) if not isinstance(data, Mapping) or key not in data]
        if missing:
            raise ReplyError(f'the reply must be an object with "{missing[0]}"')
        try:
            return self.reads(data)
        except (msgspec.MsgspecError, TypeError, ValueError) as error:
            raise ReplyError(f"the reply has not the form that was asked for: {error}") from error

    def read_text(self, text: str) -> Any:
        return super().read_text(text) if self.reads_word is None else self.reads_word(text.strip())

    @property
    def size(self) -> int:
        return len(self.user) if self.form else 0


async def ask(judging: Judging, question: Asked, trail: Trail | None = None, judge: Judge | None = None) -> Any:
    """The value of the model's reply, by this judge or by the caller's."""
    judge = judge or judging.judge
    driver = Driver(judge, retry_policy=judging.retry_policy)
    return (await driver.ask(judge, question, trail or Trail(Case(output="")))).value


def by_prompt_alone(judge: Judge) -> Judge:
    """The same judge, which is told the form of its replies in the prompt and in no field of the request."""
    if isinstance(judge, ChatJudge):
        judge = copy.copy(judge)
        judge._features = ServerFeatures(("text",))
    return judge


class _Writer(ChatJudge):
    """Answers with what the chat model wrote, unread."""

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        mode = ResponseMode("text")
        request = ChatRequest(
            prompt=question.render(), schema={}, kind=question.kind, mode=mode, settings=self.settings
        )
        completion = await self.model.complete(request, call.timeout)
        return Answer(judge=self.name, value=cast("T", redacted(completion.text)), usage=completion.usage)


async def written(judging: Judging, instructions: str, prompt: str) -> Any:
    """What a chat model, or a function of the user's own from prompt to answer (a text, or messages), answers."""
    question = Asked(system=instructions, user=prompt)
    model = adapted(judging.model)
    complete = getattr(model, "complete", model)
    if not isinstance(model, (str, Judge)) and callable(complete):
        if judging.given:
            given = next(iter(judging.given))
            raise InputError(f"the option {given!r} goes with a model's name: set it on your own model.")
        answer = await called(complete, str(question.render()))
        if answer is None or isinstance(answer, (AsyncIterator, Iterator)):
            raise InputError(f"the model returned a {type(answer).__name__}: return a text, or a list of messages.")
        return answer
    judge = judging.judge
    if not isinstance(judge, ChatJudge):
        raise InputError(
            f"{judge.name!r} judges and does not write: give the agent a chat model such as 'openai/gpt-4o', "
            "or a function from prompt to answer."
        )
    unset = {name: None for name in ("temperature", "seed") if name not in judging.given}
    settings = structs.replace(judge.settings, logprobs=False, **unset)  # unless told, as warm as the model likes
    return await ask(judging, question, judge=_Writer(judge.model, settings=settings))
