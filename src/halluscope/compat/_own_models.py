"""Models of the user's own, written for another tool: asked through that tool's methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from .._internal.core.errors import JudgeError
from .._internal.core.plumbing.user_functions import call as called
from .._internal.core.redaction import keep_attributes_secret
from .._internal.engine.judge import Judge, JudgeSpec
from ._callables import parameters_of

_METHODS = (
    *("agenerate_string", "generate_string", "agenerate_chat_completion", "generate_chat_completion"),  # Opik's
    *("a_generate", "generate"),  # DeepEval's, and its Elixir port's
    *("async_generate_text", "generate_text"),  # Phoenix's
)
_NAMES = ("model_name", "get_model_name", "model", "name")
_JSON_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "null": type(None)}


class AdaptedModel:
    """What our own models have: a name, and a `complete` from prompt and schema to text.

    `options` are for an adapter of DeepEval's Elixir port, whose methods take them after the prompt.
    """

    def __init__(self, model: object, options: Mapping[str, Any] | None = None) -> None:
        self._methods = _methods_of(model)
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
    known = isinstance(model, (str, type, Judge)) or hasattr(model, "complete")
    return model if known or not _methods_of(model) else AdaptedModel(model)


def _methods_of(model: object) -> list[Callable[..., Any]]:
    return [method for name in _METHODS if callable(method := getattr(model, name, None))]


def _pydantic_model(schema: Mapping[str, Any]) -> Any:
    """A Pydantic model with the fields of a JSON schema, as DeepEval's models are given one."""
    from pydantic import create_model

    required = schema.get("required", ())
    fields: dict[str, Any] = {
        name: (_python_type(part), ... if name in required else None) for name, part in schema["properties"].items()
    }
    return create_model("Reply", **fields)


def _python_type(schema: Mapping[str, Any]) -> Any:
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
