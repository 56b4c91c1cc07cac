"""Models through LiteLLM."""

from __future__ import annotations

import os
from typing import Any

from msgspec import Struct, structs

from ...core.case import clean
from ...core.errors import (
    HalluscopeError,
    InputError,
    JudgeError,
    JudgeRejected,
    JudgeUnavailable,
    MissingExtra,
    QuestionTooLong,
)
from ...core.plumbing.public import public_in
from ...core.redaction import as_cause, keep_attributes_secret, keep_environment_secret, redacted
from ...engine.judge import missing_key
from .chat_judge import ChatJudge, ChatRequest, ChatSettings, Completion, made_settings
from .http import address, error_of_sdk
from .openai import OpenAIModel, messages, optional_fields, response_format
from .prices import Price, Tokens, usage_now, usage_of
from .response_modes import ResponseFormat

_CONNECTION = frozenset(
    "api_base api_key api_version aws_access_key_id aws_secret_access_key aws_session_token aws_region_name "
    "custom_llm_provider extra_headers headers organization vertex_credentials vertex_location vertex_project".split()
)
"""Options of the connection. All others can change the answer and belong to the settings."""

_LOCAL_TABLES = ("LITELLM_LOCAL_MODEL_COST_MAP", "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS")
"""LiteLLM fetches these tables from GitHub, on import and with the first call to a Claude model, unless told not to."""


class LiteLLMModel(Struct, frozen=True, kw_only=True):
    """A model by its LiteLLM name. LiteLLM's own retries are turned off."""

    model: str
    options: dict[str, Any] = {}
    price: Price | None = None

    formats: tuple[ResponseFormat, ...] = ("schema", "json", "text")

    @property
    def name(self) -> str:
        return f"litellm/{self.model}"

    @property
    def server(self) -> str:
        return redacted(str(self.options.get("api_base") or "litellm"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, {self.server!r})"

    def fields(self, request: ChatRequest) -> dict[str, Any]:
        return optional_fields(request)

    async def complete(self, request: ChatRequest, timeout: float) -> Completion:
        litellm = _litellm()
        try:
            response = await litellm.acompletion(
                model=self.model,
                messages=messages(request.prompt),
                timeout=timeout,
                num_retries=0,
                max_retries=0,
                drop_params=True,
                **response_format(request),
                **self.fields(request),
                **request.settings.extra,
                **self.options,
            )
            answer = response.model_dump()
            usage = await usage_of(None, self._short_name, OpenAIModel.tokens(answer), self.price)
            cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
            if self.price is None and cost:
                usage = structs.replace(usage, cost=float(cost))
            return OpenAIModel.completion(answer, usage)
        except HalluscopeError:
            raise
        except Exception as error:
            raise _translated(error, self.model) from as_cause(error)

    @property
    def _short_name(self) -> str:
        return self.model.rpartition("/")[2]

    def priced(self, read: int, written: int) -> float | None:
        return usage_now(None, self._short_name, Tokens(read, written), self.price).cost


@public_in("halluscope.judges")
def litellm_judge(
    model: str, *, price: Price | None = None, window: int | None = None, base_url: str | None = None, **options: Any
) -> ChatJudge:
    """Create a judge from a LiteLLM model name. Needs the extra `litellm`.

    Args:
        model: LiteLLM's name of the model.
        price: Price of the model, if LiteLLM does not know it.
        window: Context window of the model in tokens. Longer questions are split.
        base_url: Address of the server.
        **options: Fields of `ChatSettings`, and options that are passed to LiteLLM unchanged.

    Returns:
        The judge.

    Raises:
        MissingExtra: If LiteLLM is not installed.
        InputError: If `base_url` is unusable.

    Example:
        >>> litellm_judge("gemini/gemini-2.5-flash", api_key="…").name
        'litellm/gemini/gemini-2.5-flash'
    """
    litellm = _litellm()
    if base_url:
        address(base_url)  # refuses an unusable address, and registers its password as a secret
        options["api_base"] = base_url
    keep_attributes_secret(options)
    keep_environment_secret()
    connection = {name: options.pop(name) for name in list(options) if name in _CONNECTION}
    _check_provider(litellm, model, connection)
    ours = {name: options.pop(name) for name in list(options) if name in ChatSettings.__struct_fields__}
    ours["extra"] = {**ours.get("extra", {}), **options}
    return ChatJudge(
        LiteLLMModel(model=model, options=connection, price=price), settings=made_settings(ours), window=window
    )


def _check_provider(litellm: Any, model: str, connection: dict[str, Any]) -> None:
    """Refuse a model whose provider LiteLLM does not know, or whose key is nowhere to be found."""
    try:
        provider = litellm.get_llm_provider(model, connection.get("custom_llm_provider"), connection.get("api_base"))[1]
    except Exception as error:
        known = f"LiteLLM knows no provider for {model!r}"
        raise InputError(f"{known}: write <provider>/<model>, such as gemini/gemini-2.5-flash.") from as_cause(error)
    if connection.keys() & {"api_key", "api_base"} or litellm.api_key or getattr(litellm, f"{provider}_key", None):
        return
    missing = litellm.validate_environment(model)["missing_keys"]
    # Keys go by several names (TOGETHER_API_KEY, TOGETHERAI_API_KEY): any of the provider's will do.
    starts = (*(name[:6] for name in missing), "HF_")
    held = any(name.startswith(starts) and name.endswith(("_KEY", "_TOKEN")) for name in os.environ)
    if missing and not held and all(name.endswith("_API_KEY") for name in missing):
        missing_key(f"litellm/{model}", " or ".join(sorted(missing)), "or use the judge 'local', which needs none")


def _litellm() -> Any:
    for name in _LOCAL_TABLES:
        os.environ.setdefault(name, "True")
    try:
        import litellm
    except ImportError as error:
        raise MissingExtra("litellm", "a litellm/… judge") from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


def _is_ours_to_fix(error: BaseException | None) -> bool:
    """Whether LiteLLM failed before it asked, for want of a key, a package or a setting."""
    while error is not None:
        if type(error).__module__.partition(".")[0] in ("httpx", "aiohttp", "requests"):
            return False
        if isinstance(error, OSError):
            return False
        if isinstance(error, (ImportError, LookupError, TypeError)) or type(error) is ValueError:
            return True
        if type(error).__name__ == "OpenAIError" and "redentials" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _translated(error: Exception, model: str) -> JudgeError:
    status = getattr(error, "status_code", None)
    said = clean(str(error))
    if "locate credentials" in said:  # a cloud's own library looked in files and roles too, so it is asked first
        missing = " and ".join(_litellm().validate_environment(model)["missing_keys"])
        if missing:
            return JudgeRejected(f"there are no credentials for {model!r}: set {missing}")
    if type(error).__name__ == "ContextWindowExceededError":
        return QuestionTooLong("the question does not fit the model's context window", status=status, body=said)
    if isinstance(status, int) and status >= 500 and _is_ours_to_fix(error):
        why = said.splitlines()[0].removeprefix(f"litellm.{type(error).__name__}: ")
        return JudgeRejected(f"LiteLLM failed before it reached the server: {why}")
    if type(error).__name__ == "APIConnectionError":
        return JudgeUnavailable(f"LiteLLM could not reach the server: {said}")
    return error_of_sdk(error) or JudgeError(f"LiteLLM raised {type(error).__name__}: {said}")
