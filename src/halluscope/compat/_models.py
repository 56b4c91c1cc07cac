"""Which judge another tool's model means, by its name or as an object, and the options that all façades take."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from .._internal.core.case import Case
from .._internal.core.errors import InputError
from .._internal.core.plumbing.public import rename_option
from .._internal.core.result import Result
from .._internal.engine import judge as judges
from .._internal.engine.driver import Driver, HasFlow, RetryPolicy
from .._internal.engine.judge import Judge, JudgeSpec
from .._internal.engine.metric import is_number
from ._callables import refuse_unknown, snake
from ._own_models import adapted

_OURS = frozenset(provider.prefix for provider in judges.PROVIDERS) - {"ollama", "vllm"}
"""Without those by which the peers mean LiteLLM's providers."""
_HEAD = re.compile(r"[\w-]+")
_BARE = (
    (re.compile(r"(?:gpt|chatgpt|o\d)\b", re.IGNORECASE), "openai"),
    (re.compile(r"claude\b", re.IGNORECASE), "anthropic"),
)
_GIVEN = {"api_key", "base_url"}
_STOP = {"stop": "stop_sequences"}
_MAY_BE_NONE = ("seed", "temperature")
"""Of which None says something: that the server is sent none."""

_KNOWN: dict[str, Any] = json.loads(Path(__file__).with_name("providers.json").read_text(encoding="utf-8"))
OPTIONS = tuple(_KNOWN["options"].split())
"""What may be given for the judge, whatever tool the caller comes from."""
_REQUEST_FIELDS = frozenset(_KNOWN["request_fields"].split())
"""Fields of a request beside ours that providers document. They are sent as they are."""
_NOT_ANTHROPICS = frozenset(_KNOWN["not_anthropics"].split())
"""Those that Anthropic does not have: they are left out, as LiteLLM does."""
_ACCEPTED = (*OPTIONS, "patience", *_REQUEST_FIELDS, *_KNOWN["connection_fields"].split())
"""All that a judge of some provider takes, and the former name of `retry_policy`."""


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
        home = judges.provider_of(documented.partition("/")[0])
        if home.ready or _GIVEN & options.keys():
            return judges.resolve(documented, **_as_request(home.prefix, options))
    return judges.resolve(adapted(model), **options)


def _as_request(provider: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options with further request fields in `extra`, for a provider that is asked directly."""
    fields = {name: value for name, value in options.items() if name in _REQUEST_FIELDS}
    if provider not in ("openai", "anthropic") or not fields.keys() | ({"organization"} & options.keys()):
        return options
    rest = {name: value for name, value in options.items() if name not in fields}
    if provider == "anthropic":
        fields = {_STOP.get(name, name): value for name, value in fields.items() if name not in _NOT_ANTHROPICS}
    elif "organization" in rest:
        rest["headers"] = {"openai-organization": str(rest.pop("organization")), **rest.get("headers", {})}
    return {**rest, "extra": {**fields, **rest.get("extra", {})}}


class Judging:
    """A model as the caller names it, and its options. Its judge is made when it is first needed.

    The judge's options are taken out of `options`; what is left there must be in `own`, or else `what` is said to have
    no such option. `timeout` is how many seconds one question may take, with all its retries; `retry_policy` says it
    more finely. `own` is None where all options are the judge's.
    """

    def __init__(
        self,
        model: Any = None,
        options: dict[str, Any] | None = None,
        what: str = "the model",
        own: Iterable[str] | None = (),
        *,
        provider: str | None = None,
        documented: str = "openai/gpt-4o",
    ) -> None:
        options = {} if options is None else options
        if own is not None:
            refuse_unknown(f"{what} has no option", options, (*own, *OPTIONS), _ACCEPTED)
        taken = {name: options.pop(name) for name in (*options,) if own is None or name in _ACCEPTED}
        self.given = {name: value for name, value in taken.items() if value is not None or name in _MAY_BE_NONE}
        rename_option(self.given, "patience", "retry_policy")
        if isinstance(model, Mapping):
            model = _declared(model)
        if isinstance(model, Judging):
            self.given = {**model.given, **self.given}
            model, provider, documented = model.model, model.provider, model.documented
        self.model: Any = model
        self.provider = provider
        self.documented = documented
        self.options = dict(self.given)
        self.retry_policy = _retry_policy(self.options.pop("timeout", None), self.options.pop("retry_policy", None))

    @cached_property
    def judge(self) -> Judge:
        """The judge."""
        return judge_of(self.model, provider=self.provider, documented=self.documented, **self.options)

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


def check_keys(scorers: Iterable[Any]) -> None:
    """Make the judges of ours among these, so that a missing key is found out before anything is paid for."""
    for scorer in scorers:
        if isinstance(scorer, Judged):
            _ = scorer.judge


def _declared(given: Mapping[Any, Any]) -> Judging:
    """Mastra's form of a model: `{"id": "openai/gpt-4o", "url": …, "apiKey": …, "headers": …}`, or with `providerId`
    and `modelId`. At a `url` is a server with OpenAI's API."""
    named = {snake(str(name)): value for name, value in given.items()}
    name = named.pop("id", None) or f"{named.pop('provider_id', '')}/{named.pop('model_id', '')}"
    unknown = [key for key in named if key not in ("url", "api_key", "headers")]
    if unknown or not isinstance(name, str) or not name.strip("/"):
        raise InputError("a model given as an object has `id`, and may have `url`, `apiKey` and `headers`.")
    named["base_url"] = named.pop("url", None)
    return Judging(f"openai/{name.partition('/')[2] or name}" if named["base_url"] else name, named)


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
