"""Judges: whoever answers questions, and the one place that turns a name into one."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar, Union, runtime_checkable

from msgspec import Struct

from .errors import InputError, UnknownName
from .plumbing.public import public, public_in
from .questions import Question
from .result import Usage

T = TypeVar("T")

DEFAULT = "local"
VARIABLE = "HALLUSCOPE_JUDGE"


@public_in("halluscope.judges")
class Answer(Struct, Generic[T], frozen=True, kw_only=True):
    """A judge's answer, with the prompt and reply behind it where there were any.

    A judge that works with text leaves `value` out: its `reply` is then read with the question's
    own reader, and refused if it cannot be. `judge` is who decided, where a judge asks others.
    `truncated` says that the reply stops before its end, `refused` that it declines to answer.
    `notes` reach the result.
    """

    judge: str
    value: T | None = None
    prompt: str | None = None
    reply: str | None = None
    truncated: bool = False
    refused: bool = False
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()


@public_in("halluscope.judges")
class Ask(Protocol):
    """How a judge asks another judge: cached, retried and counted like every question."""

    def __call__(self, judge: Judge, question: Question[T], /, sample: int | None = None) -> Awaitable[Answer[T]]: ...


@public_in("halluscope.judges")
class Call(Struct, frozen=True):
    """The circumstances of a question: what was wrong with the last reply, how long there is.

    `sample` tells draws of the same question apart: 0 is the judge's one answer, every other number
    asks a judge that can vary for another draw, which is cached on its own. `repair` counts the
    replies to this question that could not be used.
    """

    remark: str | None = None
    timeout: float = 60.0
    ask: Ask | None = None
    sample: int = 0
    repair: int = 0


@public
@runtime_checkable
class Judge(Protocol):
    """Answers questions. Raises a `JudgeError` where it cannot.

    `window` is how many characters of judged text it can read at once, None for any number.
    `asks` says that it only passes questions on: then nothing is cached or retried around it.
    """

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int | None: ...

    @property
    def asks(self) -> bool: ...

    def fingerprint(self) -> str:
        """Names everything about the judge that can change an answer: model, settings, server."""
        ...

    async def answer(self, question: Question[T], call: Call) -> Answer[T]: ...


JudgeSpec = Union[str, Judge, Callable[..., Any], object, None]
"""A name, a judge, a model with a `complete` method, or a function from prompt to text."""


class Provider(Struct, frozen=True):
    """A family of judges that a name can start with."""

    prefix: str
    factory: str
    needs_model: bool
    about: str
    key: str | None = None
    extra: str | None = None
    package: str | None = None


PROVIDERS = (
    Provider(
        "local",
        ".judges.embedded_judge:EmbeddedJudge",
        False,
        "the model in the package: no key, no network",
    ),
    Provider(
        "openai",
        ".judges.chat.openai:openai_judge",
        True,
        "OpenAI, and every server that speaks its protocol (base_url)",
        key="OPENAI_API_KEY",
    ),
    Provider(
        "anthropic",
        ".judges.chat.anthropic:anthropic_judge",
        True,
        "Anthropic",
        key="ANTHROPIC_API_KEY",
    ),
    Provider(
        "litellm",
        ".judges.chat.litellm:litellm_judge",
        True,
        "every model that LiteLLM takes",
        extra="litellm",
        package="litellm",
    ),
)


class Combination(Struct, frozen=True):
    """A judge made of others, written like a call: `form` shows how. It takes `fewest` to `most` judges."""

    name: str
    factory: str
    form: str
    about: str
    fewest: int
    most: int | None


COMBINATIONS = (
    Combination(
        "cascade",
        ".judges.combined.cascade:Cascade",
        "cascade(local, openai/<model>, low=0.2, high=0.8)",
        "the first decides where it is sure, the second is asked about the rest",
        2,
        2,
    ),
    Combination(
        "panel",
        ".judges.combined.panel:Panel",
        "panel(openai/<model>, anthropic/<model>, local)",
        "the majority of several judges",
        2,
        None,
    ),
    Combination(
        "consistent",
        ".judges.combined.consistency:Consistent",
        "consistent(openai/<model>, n=5)",
        "the majority of several samples of one judge, with its flip rate",
        1,
        1,
    ),
)


@public_in("halluscope.judges")
def resolve(spec: JudgeSpec = None, **options: Any) -> Judge:
    """The judge that `spec` means; without one, `HALLUSCOPE_JUDGE`, else the embedded judge."""
    if spec is None:
        spec = os.environ.get(VARIABLE) or DEFAULT
    if isinstance(spec, str):
        return _named(spec, options)
    if isinstance(spec, type):
        # Its `complete` would take the prompt for `self`.
        raise InputError(f"{spec.__name__} is a class: pass an instance of it, {spec.__name__}(…).")
    if isinstance(spec, Judge):
        if options:
            raise InputError(f"judge options ({', '.join(options)}) go with a judge's name; set them on the judge.")
        return spec
    if callable(spec) or hasattr(spec, "complete"):
        from_model: Callable[..., Judge] = load(".judges.chat.user_model:from_model")
        return from_model(spec, **options)
    raise InputError(
        f"a {type(spec).__name__} is no judge: pass a name such as 'local' or 'openai/gpt-4o', "
        "a function from prompt to text, or an object with a `complete` method."
    )


def is_embedded(judge: Judge) -> bool:
    """Whether it is the embedded judge and no other: it costs nothing, and computes here."""
    return judge.name == DEFAULT and not judge.asks


def _named(name: str, options: dict[str, Any]) -> Judge:
    if "(" in name or ")" in name:
        combined: Callable[..., Judge] = load(".judges.combined.combination_names:combined")
        return combined(name, options)
    prefix, _, model = name.partition("/")
    for provider in PROVIDERS:
        if provider.prefix == prefix:
            factory: Callable[..., Judge] = load(provider.factory)
            if not provider.needs_model:
                if options or model:
                    what = f"the option {next(iter(options))!r}" if options else f"a model ({model!r})"
                    raise InputError(f"the judge {prefix!r} does not take {what}; leave it out.")
                return factory()
            if not model:
                raise InputError(f"the judge {name!r} needs a model: write {prefix}/<model>.")
            return factory(model, **options)
    known = [_form(provider) for provider in PROVIDERS] + [combination.form for combination in COMBINATIONS]
    raise UnknownName("judge", name, known)


def _form(provider: Provider) -> str:
    return f"{provider.prefix}/<model>" if provider.needs_model else provider.prefix


def load(place: str) -> Any:
    """What stands at `.module:name`, imported only now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module, __package__), name)
