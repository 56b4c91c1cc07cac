"""The model behind an agent: it is asked through the driver, so that retries and deadlines are the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from ...case import Case
from ...driver import Driver, Trail
from ...errors import InputError, JudgeError
from ...judge import Answer, Call, Judge, JudgeSpec
from ...judges.chat import ChatJudge, Settings
from ...judges.dialect import Dialect
from ...prompt import Prompt
from ...questions import Question
from ..callables import called
from ..models import judge_of
from .messages import asked, messages_of, text_of

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
    """Answers with what the model wrote, unread."""

    asks = False
    window = None

    def __init__(self, name: str, write: Callable[[Prompt, float], Any]) -> None:
        self.name = name
        self._write = write

    def fingerprint(self) -> str:
        return self.name

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        return Answer(judge=self.name, value=await self._write(question.render(), call.timeout))


class Model:
    """A chat model by name, or a function of one's own from prompt to answer (a text, or messages)."""

    def __init__(self, model: JudgeSpec) -> None:
        complete = getattr(model, "complete", model)
        if not isinstance(model, (str, Judge)) and callable(complete):
            self._writer = _Writer(getattr(complete, "__name__", "own"), _own(complete))
            return
        judge = judge_of(model, documented="openai/gpt-4o")
        if not isinstance(judge, ChatJudge):
            raise InputError(
                f"{judge.name!r} judges and does not write: give the agent a chat model such as 'openai/gpt-4o', "
                "or a function from prompt to answer."
            )
        self._writer = _Writer(judge.name, _chat(judge))

    async def answer(self, instructions: str, input: Any) -> Any:
        """What the model answers."""
        question = _Write(system=instructions, user=_transcript(input))
        found = await Driver(self._writer).ask(self._writer, question, Trail(Case(output="")))
        return found.value


def _chat(judge: ChatJudge) -> Callable[[Prompt, float], Any]:
    async def write(prompt: Prompt, timeout: float) -> str:
        completion = await judge.model.complete(prompt, {}, "write", Dialect(("text",)), _AS_THE_MODEL_LIKES, timeout)
        return completion.text

    return write


def _own(complete: Callable[..., Any]) -> Callable[[Prompt, float], Any]:
    async def write(prompt: Prompt, timeout: float) -> Any:
        answer = await called(complete, str(prompt))
        if answer is None:
            raise JudgeError("the agent's model returned None: return a text, or a list of messages.")
        return answer

    return write


def _transcript(input: Any) -> str:
    """The conversation as one text; a single question stays as it is."""
    messages: Sequence[dict[str, Any]] = messages_of(input) or ()
    if len(messages) <= 1:
        return str(asked(input))
    return "\n\n".join(f"{message.get('role', 'user')}: {text_of(message)}" for message in messages)
