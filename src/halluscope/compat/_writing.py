"""A chat model that writes: it answers a prompt freely, where a judge answers questions.

It is asked through the driver, so that retries and deadlines are those of every other call. A function of the
user's own is called once: whether it may be called again is not for us to say.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, TypeVar, cast

from .._internal.case import Case
from .._internal.engine.driver import Driver, Trail
from .._internal.errors import InputError
from .._internal.judge import Answer, Call, Judge, JudgeSpec
from .._internal.judges.chat.chat_judge import ChatJudge, ChatSettings
from .._internal.judges.chat.dialect import Manner
from .._internal.plumbing.threads import in_thread
from .._internal.prompt import Prompt
from .._internal.questions import Question
from ._callables import called
from ._judging import Judging
from ._own_models import adapted
from ._streaming import deltas

T = TypeVar("T")

_SETTINGS = ("temperature", "seed", "max_tokens", "extra")


class Write(Question[Any], frozen=True, kw_only=True):
    """A free answer to a conversation."""

    kind: ClassVar[str] = "write"
    answer_type: ClassVar[Any] = Any

    system: str
    user: str

    def render(self) -> Prompt:
        return Prompt(self.system, self.user)

    @property
    def size(self) -> int:
        return 0


class _Writer:
    """Answers with what the chat model wrote, unread. Unless told, the model is as warm as it likes."""

    asks = False
    window = None

    def __init__(self, judge: ChatJudge, options: Mapping[str, Any]) -> None:
        self.name = judge.name
        self.model = judge.model
        told = {name: options[name] for name in _SETTINGS if name in options}
        self.settings = ChatSettings(**{"temperature": None, "seed": None, **told})

    def fingerprint(self) -> str:
        return self.name

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        completion = await self.model.complete(
            question.render(), {}, question.kind, Manner("text"), self.settings, call.timeout
        )
        return Answer(judge=self.name, value=cast("T", completion.text), usage=completion.usage)


class Model:
    """A chat model by name, or a model of one's own from prompt to answer (a text, or messages)."""

    def __init__(self, model: JudgeSpec, options: Mapping[str, Any] | None = None) -> None:
        self.own: Callable[..., Any] | None = None
        held = adapted(model)
        complete = getattr(held, "complete", held)
        if not isinstance(held, (str, Judge)) and callable(complete):
            if options:
                raise InputError(
                    f"the option {next(iter(options))!r} goes with a model's name: set it on your own model."
                )
            self.own = complete
            return
        judging = Judging(model, options, documented="openai/gpt-4o")
        judge = judging.judge
        if not isinstance(judge, ChatJudge):
            raise InputError(
                f"{judge.name!r} judges and does not write: give the agent a chat model such as 'openai/gpt-4o', "
                "or a function from prompt to answer."
            )
        self.writer = _Writer(judge, judging.options)
        self._driver = Driver(self.writer, patience=judging.patience)

    async def answer(self, instructions: str, prompt: str) -> Any:
        """What the model answers."""
        question = Write(system=instructions, user=prompt)
        if self.own is not None:
            answer = await called(self.own, str(question.render()))
            if answer is None:
                raise InputError("the model returned None: return a text, or a list of messages.")
            if isinstance(answer, (AsyncIterator, Iterator)):
                return "".join([piece async for piece in _pieces_of(answer)])
            return answer
        return (await self._driver.ask(self.writer, question, Trail(Case(output="")))).value

    async def stream(self, instructions: str, prompt: str) -> AsyncGenerator[str, None]:
        """The answer piece by piece, where the model gives it so."""
        question = Write(system=instructions, user=prompt)
        if self.own is None:
            patience = self._driver.patience
            pieces = deltas(self.writer.model, question.render(), self.writer.settings, patience.timeout)
        else:
            pieces = _pieces_of(await called(self.own, str(question.render())))
        async for piece in pieces:
            yield piece


async def _pieces_of(answer: Any) -> AsyncGenerator[str, None]:
    """What a model of one's own returned: a text, or a generator of pieces."""
    if isinstance(answer, str):
        yield answer
    elif isinstance(answer, AsyncIterator):
        async for piece in answer:
            yield str(piece)
    elif isinstance(answer, Iterator):
        while (piece := await in_thread(partial(next, answer, None))) is not None:
            yield str(piece)
    else:
        raise InputError(f"the model returned a {type(answer).__name__}: to stream, return a text or yield its pieces.")
