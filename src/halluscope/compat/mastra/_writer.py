"""The model behind an agent.

A chat model is asked through the driver, so that retries and deadlines are those of every other call. A function
of the user's own is called once: whether it may be called again is not for us to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

from ..._internal.case import Case
from ..._internal.engine.driver import Driver, Trail
from ..._internal.errors import InputError
from ..._internal.judge import Answer, Call, Judge, JudgeSpec
from ..._internal.judges.chat.chat_judge import ChatJudge, Settings
from ..._internal.judges.chat.dialect import Manner
from ..._internal.prompt import Prompt
from ..._internal.questions import Question
from .._callables import called
from .._models import judge_of
from ._messages import asked, messages_of, text_of

T = TypeVar("T")

_AS_THE_MODEL_LIKES = Settings(temperature=None, seed=None)


class _Write(Question[Any], frozen=True, kw_only=True):
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
    """Answers with what the chat model wrote, unread."""

    asks = False
    window = None

    def __init__(self, judge: ChatJudge) -> None:
        self.name = judge.name
        self._model = judge.model

    def fingerprint(self) -> str:
        return self.name

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        completion = await self._model.complete(
            question.render(), {}, question.kind, Manner("text"), _AS_THE_MODEL_LIKES, call.timeout
        )
        return Answer(judge=self.name, value=cast("T", completion.text), usage=completion.usage)


class Model:
    """A chat model by name, or a function of one's own from prompt to answer (a text, or messages)."""

    def __init__(self, model: JudgeSpec) -> None:
        self._own: Callable[..., Any] | None = None
        complete = getattr(model, "complete", model)
        if not isinstance(model, (str, Judge)) and callable(complete):
            self._own = complete
            return
        judge = judge_of(model, documented="openai/gpt-4o")
        if not isinstance(judge, ChatJudge):
            raise InputError(
                f"{judge.name!r} judges and does not write: give the agent a chat model such as 'openai/gpt-4o', "
                "or a function from prompt to answer."
            )
        self._writer = _Writer(judge)

    async def answer(self, instructions: str, input: Any) -> Any:
        """What the model answers."""
        question = _Write(system=instructions, user=_transcript(input))
        if self._own is not None:
            answer = await called(self._own, str(question.render()))
            if answer is None:
                raise InputError("the agent's model returned None: return a text, or a list of messages.")
            return answer
        found = await Driver(self._writer).ask(self._writer, question, Trail(Case(output="")))
        return found.value


def _transcript(input: Any) -> str:
    """The conversation as one text; a single question stays as it is."""
    messages: Sequence[dict[str, Any]] = messages_of(input) or ()
    if len(messages) <= 1:
        return str(asked(input))
    return "\n\n".join(f"{message.get('role', 'user')}: {text_of(message)}" for message in messages)
