"""The judge protocol, and the table of judges by name."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, Union, runtime_checkable

import msgspec
from msgspec import Struct

from ..core.errors import InputError, UnknownName
from ..core.plumbing.public import public, public_in
from ..core.result import Usage
from .questions import Question, WordProbabilities

T = TypeVar("T")


DEFAULT = "local"
VARIABLE = "HALLUSCOPE_JUDGE"


@public_in("halluscope.judges")
class Answer(Struct, Generic[T], frozen=True, kw_only=True):
    """A judge's answer to a question.

    A judge that writes text returns `reply` and leaves `value` out: the reply is then read by the question.

    Attributes:
        judge: Name of the judge that answered.
        value: The answer.
        prompt: The prompt that was sent.
        reply: The text of the reply.
        truncated: Whether the reply was cut off.
        refused: Whether the judge declined to answer.
        probabilities: The verdicts in the reply, in order: each word, and the probabilities of all words in its place.
        usage: Calls, tokens and cost.
        notes: Notes for the result.
    """

    judge: str
    value: T | None = None
    prompt: str | None = None
    reply: str | None = None
    truncated: bool = False
    refused: bool = False
    probabilities: tuple[WordProbabilities, ...] = ()
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()


@public_in("halluscope.judges")
class Ask(Protocol):
    """The function with which a judge asks another judge. These questions are cached, retried and counted too."""

    def __call__(self, judge: Judge, question: Question[T], /, sample: int | None = None) -> Awaitable[Answer[T]]: ...


@public_in("halluscope.judges")
class Call(Struct, frozen=True):
    """The circumstances in which a question is asked.

    Attributes:
        remark: What was wrong with the previous reply.
        timeout: Seconds that the call may take.
        ask: Function to ask other judges.
        sample: Number of the sample. 0 is the judge's one answer; other numbers ask for another draw, if the judge can
            vary.
        repair: Number of previous replies to this question that could not be used.
        begun: Function to call when the judge starts to work, if questions have to queue. The time before does not
            count as time spent on the case.
    """

    remark: str | None = None
    timeout: float = 60.0
    ask: Ask | None = None
    sample: int = 0
    repair: int = 0
    begun: Callable[[], None] = lambda: None


@public
@runtime_checkable
class Judge(Protocol):
    """Answers questions.

    Attributes:
        name: Name of the judge, as it appears in results.
        window: Most characters of judged text in one question, None for no limit.
        asks: Whether it only passes questions on to other judges. Its answers are then neither cached nor retried.
    """

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int | None: ...

    @property
    def asks(self) -> bool: ...

    def fingerprint(self) -> str:
        """A hash of everything that can change an answer: model, settings, server."""

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        """Answer a question.

        Raises:
            JudgeError: If there is no answer.
        """


JudgeSpec = Union[str, Judge, Callable[..., Any], object, None]
"""A name, a judge, a model with a `complete` method, or a function from prompt to text. None is the default judge."""


_keys_needed: ContextVar[bool] = ContextVar("halluscope_keys_needed", default=True)


class Provider(Struct, frozen=True):
    """A family of judges whose names start with `prefix`.

    `home` is the address of the provider's server, `key` the environment variable with the API key, and `own_server`
    the one with the address of another server, which may need no key. Where `takes_model`, a model may be named.
    """

    prefix: str
    factory: str
    needs_model: bool
    about: str
    home: str = ""
    key: str | None = None
    own_server: str | None = None
    extra: str | None = None
    package: str | None = None
    takes_model: bool = False

    @property
    def ready(self) -> bool:
        """Whether the environment contains what it needs."""
        return self.key is None or any(os.environ.get(name) for name in (self.key, self.own_server) if name)

    def key_from(self, given: str | None) -> str | None:
        """The given key, or else the one in the environment."""
        return (given or os.environ.get(self.key or "") or "").strip() or None


def missing_key(judge: str, variable: str | None, otherwise: str) -> None:
    """Raise the error for a judge without its key, except inside `without_keys`."""
    if _keys_needed.get():
        raise InputError(f"the judge {judge} needs an API key: set {variable} or pass api_key=, {otherwise}.")


@contextmanager
def without_keys() -> Iterator[None]:
    """Create judges without keys, to estimate costs. They are never asked."""
    token = _keys_needed.set(False)
    try:
        yield
    finally:
        _keys_needed.reset(token)


def provider_of(prefix: str) -> Provider:
    return next(provider for provider in PROVIDERS if provider.prefix == prefix)


class Combination(Struct, frozen=True):
    """A judge made of `fewest` to `most` other judges, named like a call. `form` is an example."""

    name: str
    factory: str
    form: str
    about: str
    fewest: int
    most: int | None


class _Table(Struct, frozen=True):
    providers: tuple[Provider, ...]
    combinations: tuple[Combination, ...]


_TABLE = msgspec.json.decode(Path(__file__).with_name("judges.json").read_bytes(), type=_Table)
PROVIDERS, COMBINATIONS = _TABLE.providers, _TABLE.combinations


@public_in("halluscope.judges")
def resolve(spec: JudgeSpec = None, **options: Any) -> Judge:
    """Create the judge that a name, model or function stands for.

    Args:
        spec: A name such as "local" or "openai/gpt-4o", a judge, a model with a `complete` method, or a function from
            prompt to text. By default the name in `HALLUSCOPE_JUDGE`, or else "local".
        **options: Options of a judge given by name, such as `base_url`, `api_key` or `temperature`. With `votes=5`, the
            majority of five samples decides where a chat judge's verdicts have no probability from tokens. With
            `pack=5`, the claims of up to five short cases share a call.

    Returns:
        The judge. One that is given as an object is returned as it is.

    Raises:
        UnknownName: If there is no judge of that name.
        InputError: If `spec` or an option is unusable.

    Example:
        >>> resolve("local").name
        'local'
    """
    if spec is None:
        spec = os.environ.get(VARIABLE) or DEFAULT
    if isinstance(spec, str):
        return _named(spec, options)
    if isinstance(spec, type):
        # Calling its `complete` would pass the prompt as `self`.
        raise InputError(f"{spec.__name__} is a class: pass an instance of it, {spec.__name__}(…).")
    if isinstance(spec, Judge):
        if options:
            raise InputError(
                f"pass the options ({', '.join(options)}) where the judge is created, or pass the judge by name."
            )
        return spec
    if callable(spec) or hasattr(spec, "complete"):
        from_model: Callable[..., Judge] = load("..judges.chat.user_model:from_model")
        return _asked_as(from_model, spec, options)
    raise InputError(
        f"{type(spec).__name__} is not a judge: pass a name such as 'local' or 'openai/gpt-4o', "
        "a function from prompt to text, or an object with a `complete` method."
    )


def is_embedded(judge: Judge) -> bool:
    """Whether it is the embedded judge, which costs nothing and computes locally."""
    return judge.name == DEFAULT and not judge.asks


def _named(name: str, options: dict[str, Any]) -> Judge:
    if "(" in name or ")" in name:
        combined: Callable[..., Judge] = load("..judges.combined.combination_names:combined")
        return combined(name, options)
    prefix, _, model = name.partition("/")
    for provider in PROVIDERS:
        if provider.prefix == prefix:
            factory: Callable[..., Judge] = load(provider.factory)
            if not provider.needs_model:
                if options or (model and not provider.takes_model):
                    what = f"the option {next(iter(options))!r}" if options else f"a model ({model!r})"
                    raise InputError(f"the judge {prefix!r} does not take {what}; leave it out.")
                return factory(model) if model else factory()
            if not model:
                raise InputError(f"the judge {name!r} needs a model: write {prefix}/<model>.")
            return _asked_as(factory, model, options)
    known = [_form(provider) for provider in PROVIDERS] + [combination.form for combination in COMBINATIONS]
    raise UnknownName("judge", name, known, meant=_meant(prefix, model))


_FAMILIES = {"openai": ("gpt", "chatgpt", "o1", "o3", "o4"), "anthropic": ("claude",)}
"""How names of models begin, by their provider."""


def _meant(prefix: str, model: str) -> str:
    """The name of a judge that a wrong name may stand for: its provider misspelt, or left out."""
    if model:
        close = get_close_matches(prefix, [provider.prefix for provider in PROVIDERS if provider.needs_model], n=1)
        return f"{close[0]}/{model}" if close else ""
    provider = next((name for name, starts in _FAMILIES.items() if prefix.lower().startswith(starts)), None)
    return f"{provider}/{prefix}" if provider else ""


def _asked_as(factory: Callable[..., Judge], model: Any, options: dict[str, Any]) -> Judge:
    """Create a judge. The options `pack` and `votes` say how it is asked."""
    pack, votes = options.get("pack"), options.get("votes")
    judge = factory(model, **{name: value for name, value in options.items() if name not in ("pack", "votes")})
    if pack is not None:
        judge = load("..judges.combined.packed_cases:Packed")(judge, pack)
    if votes is not None:
        judge = load("..judges.combined.consistency:Consistent")(judge, votes, if_needed=True)
    return judge


def _form(provider: Provider) -> str:
    return f"{provider.prefix}/<model>" if provider.needs_model else provider.prefix


def load(place: str) -> Any:
    """Import the object at `.module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module, __package__), name)
