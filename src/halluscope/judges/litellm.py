"""Every model that LiteLLM takes."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ..errors import JudgeUnavailable, MissingExtra
from ..prompt import Prompt
from ..result import Usage
from .chat import ChatJudge, Completion, Settings
from .dialect import Dialect, Mode
from .http import error_of, seconds
from .openai import made_settings
from .prices import Price, usage_of


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
        return str(self.options.get("api_base") or self.options.get("base_url") or "litellm")

    async def complete(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, dialect: Dialect, settings: Settings, timeout: float
    ) -> Completion:
        litellm = _litellm()
        asked: dict[str, Any] = {
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
        }
        asked = {key: value for key, value in asked.items() if value is not None and key not in dialect.refused}
        if dialect.mode == "schema":
            described = {"name": kind, "strict": True, "schema": schema}
            asked["response_format"] = {"type": "json_schema", "json_schema": described}
        elif dialect.mode == "json":
            asked["response_format"] = {"type": "json_object"}
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        try:
            response = await litellm.acompletion(
                model=self.model,
                messages=messages if prompt.system else messages[1:],
                timeout=timeout,
                num_retries=0,
                max_retries=0,
                drop_params=True,
                **asked,
                **settings.extra,
                **self.options,
            )
        except Exception as error:
            raise _translated(error) from error
        return self._completion(response)

    def _completion(self, response: Any) -> Completion:
        choice = response.choices[0]
        counted = getattr(response, "usage", None)
        read = getattr(counted, "prompt_tokens", None)
        written = getattr(counted, "completion_tokens", None)
        usage = usage_of(None, self.model.rpartition("/")[2], read, written, self.price)
        cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        if self.price is None and cost is not None:
            usage = Usage(1, usage.input_tokens, usage.output_tokens, float(cost))
        return Completion(str(choice.message.content or ""), usage, choice.finish_reason == "length")


def litellm_judge(
    model: str, *, price: Price | None = None, window: int | None = None, base_url: str | None = None, **options: Any
) -> ChatJudge:
    """A judge by LiteLLM's name for it. What is no setting of ours goes to LiteLLM as it is."""
    _litellm()
    ours = {name: options.pop(name) for name in list(options) if name in Settings.__struct_fields__}
    if base_url:
        options["api_base"] = base_url
    return ChatJudge(
        LiteLLMModel(model=model, options=options, price=price), settings=made_settings(ours), window=window
    )


def _litellm() -> Any:
    try:
        import litellm
    except ImportError as error:
        raise MissingExtra("litellm", "a litellm/… judge") from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


def _translated(error: Exception) -> Exception:
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return JudgeUnavailable(f"LiteLLM failed: {error}")
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    return error_of(status, str(error), seconds(headers.get("retry-after")))
