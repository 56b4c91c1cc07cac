"""Every model that LiteLLM takes."""

from __future__ import annotations

import os
from typing import Any

from msgspec import Struct, structs

from ...case import clean
from ...errors import HalluscopeError, JudgeError, JudgeUnavailable, MissingExtra, QuestionTooLong
from ...plumbing.public import public_in
from ...prompt import Prompt
from ...redaction import keep_attributes_secret, keep_environment_secret, redacted
from .chat_judge import ChatJudge, ChatSettings, Completion, made_settings
from .dialect import Manner, Mode
from .http import address, asked_to_wait, error_of
from .openai import messages, response_format
from .prices import Price, Tokens, usage_of

_CONNECTION = frozenset(
    "api_base api_key api_version aws_access_key_id aws_secret_access_key aws_session_token aws_region_name "
    "custom_llm_provider extra_headers headers organization vertex_credentials vertex_location vertex_project".split()
)
"""Options that say where and as whom to ask. All others can change the answer, and belong to the settings."""


class LiteLLMModel(Struct, frozen=True, kw_only=True):
    """One model by LiteLLM's name. Its own retries are turned off: ours are the only ones."""

    model: str
    options: dict[str, Any] = {}
    price: Price | None = None

    modes: tuple[Mode, ...] = ("schema", "json", "text")

    @property
    def name(self) -> str:
        return f"litellm/{self.model}"

    @property
    def server(self) -> str:
        return redacted(str(self.options.get("api_base") or "litellm"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, {self.server!r})"

    def fields(self, settings: ChatSettings, manner: Manner) -> dict[str, Any]:
        asked = {"temperature": settings.temperature, "seed": settings.seed, "max_tokens": settings.max_tokens}
        return {key: value for key, value in asked.items() if value is not None and key not in manner.refused}

    async def complete(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, manner: Manner, settings: ChatSettings, timeout: float
    ) -> Completion:
        litellm = _litellm()
        wanted = response_format(manner.mode, schema, kind)
        try:
            response = await litellm.acompletion(
                model=self.model,
                messages=messages(prompt),
                timeout=timeout,
                num_retries=0,
                max_retries=0,
                drop_params=True,
                **({"response_format": wanted} if wanted else {}),
                **self.fields(settings, manner),
                **settings.extra,
                **self.options,
            )
            return self._completion(response)
        except HalluscopeError:
            raise
        except Exception as error:
            raise _translated(error) from error

    def _completion(self, response: Any) -> Completion:
        choice = response.choices[0]
        counted = getattr(response, "usage", None)
        tokens = Tokens.of(getattr(counted, "prompt_tokens", None), getattr(counted, "completion_tokens", None))
        usage = usage_of(None, self.model.rpartition("/")[2], tokens, self.price)
        cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        if self.price is None and cost:
            usage = structs.replace(usage, cost=float(cost))
        declined = getattr(choice.message, "refusal", None)
        refused = bool(declined) or choice.finish_reason == "content_filter"
        text = declined or choice.message.content or ""
        return Completion(clean(str(text)), usage, choice.finish_reason == "length", refused)


@public_in("halluscope.judges")
def litellm_judge(
    model: str, *, price: Price | None = None, window: int | None = None, base_url: str | None = None, **options: Any
) -> ChatJudge:
    """A judge by LiteLLM's name for it. What is no setting of ours goes to LiteLLM as it is."""
    _litellm()
    if base_url:
        address(base_url)  # refused here where it is none, and its password is known from here on
        options["api_base"] = base_url
    keep_attributes_secret(options)
    keep_environment_secret()
    connection = {name: options.pop(name) for name in list(options) if name in _CONNECTION}
    ours = {name: options.pop(name) for name in list(options) if name in ChatSettings.__struct_fields__}
    ours["extra"] = {**ours.get("extra", {}), **options}
    return ChatJudge(
        LiteLLMModel(model=model, options=connection, price=price), settings=made_settings(ours), window=window
    )


def _litellm() -> Any:
    # Else it fetches a table of prices from the network when it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import litellm
    except ImportError as error:
        raise MissingExtra("litellm", "a litellm/… judge") from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


def _translated(error: Exception) -> JudgeError:
    status = getattr(error, "status_code", None)
    said = clean(str(error))
    if not isinstance(status, int):
        return JudgeError(f"LiteLLM raised {type(error).__name__}: {said}")
    if type(error).__name__ == "ContextWindowExceededError":
        return QuestionTooLong("the question does not fit the model's window", status=status, body=said)
    if type(error).__name__ == "APIConnectionError":
        return JudgeUnavailable(f"LiteLLM could not reach the server: {said}")
    headers = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    return error_of(status, said, asked_to_wait(headers or {}))
