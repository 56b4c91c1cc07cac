"""Which judge another tool's model means, by its name or as an object, and the options that all façades take."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from .._internal.core.case import Case
from .._internal.core.errors import InputError, JudgeError
from .._internal.core.plumbing.public import rename_option
from .._internal.core.plumbing.user_functions import call as called
from .._internal.core.redaction import keep_attributes_secret
from .._internal.core.result import Result
from .._internal.engine import judge as judges
from .._internal.engine.driver import Driver, HasFlow, RetryPolicy
from .._internal.engine.judge import Judge, JudgeSpec
from .._internal.engine.metric import is_number
from ._callables import parameters_of, refuse_unknown, snake

_METHODS = (
    ("agenerate_string", "generate_string"),  # Opik's
    ("agenerate_chat_completion", "generate_chat_completion"),
    ("a_generate", "generate"),  # DeepEval's, and its Elixir port's
    ("async_generate_text", "generate_text"),  # Phoenix's
)
_NAMES = ("model_name", "get_model_name", "model", "name")
_JSON_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "null": type(None)}


_OURS = frozenset(provider.prefix for provider in judges.PROVIDERS) - {"ollama", "vllm"}
"""Without those by which the peers mean LiteLLM's providers."""

_HEAD = re.compile(r"[\w-]+")

_BARE = (
    (re.compile(r"(?:gpt|chatgpt|o\d)\b", re.IGNORECASE), "openai"),
    (re.compile(r"claude\b", re.IGNORECASE), "anthropic"),
)

_GIVEN = {"api_key", "base_url"}

_STOP = {"stop": "stop_sequences"}

OPTIONS = tuple("api_key base_url extra headers max_tokens retry_policy price seed temperature timeout window".split())
"""What may be given for the judge, whatever tool the caller comes from."""

_MAY_BE_NONE = ("seed", "temperature")
"""Of which None says something: that the server is sent none."""


class DeclaredModel:
    """A model that another tool's code declares by name, with the options that go with every call."""

    model_name: str
    options: dict[str, Any]

    @classmethod
    def of(cls, given: Mapping[Any, Any]) -> DeclaredModel:
        """Mastra's form: `{"id": "openai/gpt-4o", "url": …, "apiKey": …, "headers": …}`, or with `providerId` and
        `modelId`. At a `url` is a server with OpenAI's API."""
        named = {snake(str(name)): value for name, value in given.items()}
        name = named.pop("id", None) or f"{named.pop('provider_id', '')}/{named.pop('model_id', '')}"
        unknown = [key for key in named if key not in ("url", "api_key", "headers")]
        if unknown or not isinstance(name, str) or not name.strip("/"):
            raise InputError("a model given as an object has `id`, and may have `url`, `apiKey` and `headers`.")
        made = cls.__new__(cls)
        made.model_name = f"openai/{name.partition('/')[2] or name}" if named.get("url") else name
        made.options = {{"url": "base_url"}.get(key, key): value for key, value in named.items()}
        return made


class AdaptedModel:
    """What our own models have: a name, and a `complete` from prompt and schema to text.

    `options` are for an adapter of DeepEval's Elixir port, whose methods take them after the prompt.
    """

    def __init__(self, model: object, options: Mapping[str, Any] | None = None) -> None:
        self._methods = [method for pair in _METHODS for name in pair if callable(method := getattr(model, name, None))]
        self._options = dict(options or {})
        self.name = _name_of(model)
        keep_attributes_secret(getattr(model, "__dict__", {}))

    async def complete(self, prompt: str, schema: dict[str, Any]) -> Any:
        """The model's answer, by the first of its methods that is implemented."""
        for method in self._methods:
            try:
                return _text_of(await called(method, *self._arguments(method, prompt, schema)))
            except NotImplementedError:
                continue
        raise JudgeError(f"{self.name} implements none of its methods: give it one that returns the reply.")

    def _arguments(self, method: Callable[..., Any], prompt: str, schema: dict[str, Any]) -> list[Any]:
        first: Any = [{"role": "user", "content": prompt}] if "chat_completion" in method.__name__ else prompt
        second = next((p for p in parameters_of(method)[1:2] if p.kind is p.POSITIONAL_OR_KEYWORD), None)
        if second is not None and second.name == "schema":
            return [first, _pydantic_model(schema)]
        return [first, self._options] if second is not None and second.default is second.empty else [first]


def adapted(model: JudgeSpec) -> JudgeSpec:
    """The model, in a form that we can ask."""
    if (
        model is None
        or isinstance(model, (str, type, DeclaredModel))
        or hasattr(model, "complete")
        or isinstance(model, Judge)
    ):
        return model
    return AdaptedModel(model) if any(callable(getattr(model, n, None)) for pair in _METHODS for n in pair) else model


def _pydantic_model(schema: Mapping[str, Any]) -> Any:
    """A Pydantic model with the fields of a JSON schema, as DeepEval's models are given one."""
    from pydantic import create_model

    required = schema.get("required", ())
    fields: dict[str, Any] = {
        name: (_python_type(part), ... if name in required else None) for name, part in schema["properties"].items()
    }
    return create_model("Reply", **fields)


def _python_type(schema: Mapping[str, Any]) -> Any:
    from typing import Literal

    if schema.get("enum"):
        return Literal[tuple(schema["enum"])]
    if schema.get("type") == "array":
        return list[_python_type(schema.get("items", {}))]  # type: ignore[misc]
    if schema.get("properties"):
        return _pydantic_model(schema)
    kind = schema.get("type")
    return _JSON_TYPES.get(kind, Any) if isinstance(kind, str) else Any


def _text_of(answer: Any) -> Any:
    """The text of what tools' models return: with what it cost, as a message, or as a Pydantic model."""
    if isinstance(answer, tuple) and answer:
        if answer[0] == "error":
            raise JudgeError(f"the model failed: {answer[1:]}")
        answer = answer[1] if answer[0] == "ok" else answer[0]
    if isinstance(answer, Mapping) and "content" in answer:
        return answer["content"]
    return answer.model_dump_json() if hasattr(answer, "model_dump_json") else answer


def _name_of(model: object) -> str:
    for name in _NAMES:
        held = getattr(model, name, None)
        try:
            known = held() if callable(held) else held
        except (NotImplementedError, TypeError):
            continue
        if isinstance(known, str) and known:
            return known
    return type(model).__name__


_KNOWN: dict[str, Any] = json.loads(Path(__file__).with_name("providers.json").read_text(encoding="utf-8"))
"""LiteLLM's names for providers that Phoenix, Mastra, Opik or DeepEval call something else, and fields of requests."""

REQUEST_FIELDS = tuple(_KNOWN["request_fields"].split())
"""Fields of a request beside ours that providers document. They are sent as they are."""

_NOT_ANTHROPICS = frozenset(_KNOWN["not_anthropics"].split())
"""Those that Anthropic does not have: they are left out, as LiteLLM does."""

CONNECTION_FIELDS = tuple(_KNOWN["connection_fields"].split())
"""Where and as whom LiteLLM asks: Azure, Bedrock and Vertex need more than an address and a key."""


def judge_name(model: str, provider: str | None = None) -> str:
    """Our name for a model: "gpt-4o" is openai/gpt-4o; what is no name of ours goes to LiteLLM."""
    name = model.strip()
    if not name:
        raise InputError("the model's name is empty: pass one such as 'openai/gpt-4o', or 'local'.")
    if provider:
        known = provider.strip(": ").casefold().replace("_openai", "-openai")
        return _at_home(known, name.removeprefix(f"{known}/"))
    head = _HEAD.match(name)
    if "(" in name or (head and head.group() in _OURS):
        return name
    if "/" not in name:
        return next((f"{home}/{name}" for pattern, home in _BARE if pattern.match(name)), f"litellm/{name}")
    return _at_home(*name.split("/", 1))


def _at_home(provider: str, model: str) -> str:
    home = _KNOWN["litellm_names"].get(provider, provider)
    model = model.removeprefix(f"{home}/")
    return f"{home}/{model}" if home in _OURS else f"litellm/{home}/{model}"


def judge_of(model: JudgeSpec, *, provider: str | None = None, documented: str | None = None, **options: Any) -> Judge:
    """The judge for a model given by name or as an object; `options` are the judge's (base_url, api_key, …).

    Without a model: HALLUSCOPE_JUDGE, then the tool's documented model where its key or address is
    given or set, then our own default, so that everything works without a key. An object that has
    another tool's methods for a model of one's own is asked through them.
    """
    if isinstance(model, str):
        name = judge_name(model, provider)
        return judges.resolve(name, **_as_request(name.partition("/")[0], options))
    if model is None and documented and not os.environ.get(judges.VARIABLE):
        home = documented.partition("/")[0]
        if _GIVEN & options.keys() or any(provider.ready for provider in judges.PROVIDERS if provider.prefix == home):
            return judges.resolve(documented, **options)
    return judges.resolve(adapted(model), **options)


def _as_request(provider: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options with further request fields in `extra`, for a provider that is asked directly."""
    fields = {name: value for name, value in options.items() if name in REQUEST_FIELDS}
    if provider not in ("openai", "anthropic") or not fields.keys() | ({"organization"} & options.keys()):
        return options
    rest = {name: value for name, value in options.items() if name not in fields}
    if provider == "anthropic":
        fields = {_STOP.get(name, name): value for name, value in fields.items() if name not in _NOT_ANTHROPICS}
    elif "organization" in rest:
        rest["headers"] = {"openai-organization": str(rest.pop("organization")), **rest.get("headers", {})}
    return {**rest, "extra": {**fields, **rest.get("extra", {})}}


ACCEPTED = (*OPTIONS, "patience", *REQUEST_FIELDS, *CONNECTION_FIELDS)
"""All that a judge of some provider takes, and the former name of `retry_policy`."""


class Judging:
    """A model as the caller names it. Its judge is made when it is first needed, so that no key is missed before.

    `timeout` is how many seconds one question may take, with all its retries; `retry_policy` says it more finely.
    The other options go to the judge: `base_url`, `api_key`, `seed`, `temperature`, …
    """

    def __init__(
        self,
        model: JudgeSpec = None,
        options: Mapping[str, Any] | None = None,
        *,
        provider: str | None = None,
        documented: str | None = None,
    ) -> None:
        given = {name: value for name, value in (options or {}).items() if value is not None or name in _MAY_BE_NONE}
        rename_option(given, "patience", "retry_policy")
        if isinstance(model, Mapping):
            model = DeclaredModel.of(model)
        if isinstance(model, DeclaredModel):
            given = {**model.options, **given}
            model = model.model_name
        self.model = model
        self.provider = provider
        self.retry_policy = _retry_policy(given.pop("timeout", None), given.pop("retry_policy", None))
        self.options = given
        self._documented = documented

    @cached_property
    def judge(self) -> Judge:
        """The judge."""
        return judge_of(self.model, provider=self.provider, documented=self._documented, **self.options)

    async def score(self, metric: HasFlow, case: Case, judge: Judge | None = None) -> Result:
        """The result of the metric on the case, by this judge or by one made from it."""
        return await Driver(judge or self.judge, retry_policy=self.retry_policy).score(metric, case)


class Judged:
    """What has a judge."""

    _judging: Judging

    @property
    def judge(self) -> Judge:
        """The judge, made when it is first needed: what has one can be declared and described where no key is set."""
        return self._judging.judge


def taken_out(options: dict[str, Any]) -> dict[str, Any]:
    """The judge's options, taken out of those of a scorer or metric."""
    return {name: options.pop(name) for name in ACCEPTED if name in options}


def only_known(options: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    """Refuse an option that neither the caller's object nor its judge has."""
    refuse_unknown(f"{what} has no option", options, (*known, *OPTIONS), ACCEPTED)


def _retry_policy(timeout: Any, retry_policy: Any) -> RetryPolicy | None:
    if retry_policy is not None and not isinstance(retry_policy, RetryPolicy):
        raise InputError(f"retry_policy is a {type(retry_policy).__name__}: pass a halluscope.RetryPolicy.")
    if timeout is None:
        return retry_policy
    if retry_policy is not None:
        raise InputError("timeout and retry_policy are both given: set the time-out in the retry_policy.")
    if not is_number(timeout) or timeout <= 0:
        raise InputError(f"the timeout must be a number of seconds above 0, not {timeout!r}.")
    return RetryPolicy(deadline=float(timeout), timeout=float(timeout))
