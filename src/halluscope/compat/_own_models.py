"""A model of one's own, written for another tool: it is asked through the methods which that tool calls."""

from __future__ import annotations

from typing import Any

from .._internal.judge import Judge, JudgeSpec
from .._internal.redaction import keep_attributes_secret
from ._callables import called

_METHODS = (
    ("agenerate_string", "generate_string"),  # Opik's
    ("a_generate", "generate"),  # DeepEval's
    ("async_generate_text", "generate_text"),  # Phoenix's
)
_NAMES = ("model_name", "get_model_name", "model", "name")


class DeclaredModel:
    """A model that another tool's code declares by name, with the options that go with every call."""

    model_name: str
    options: dict[str, Any]


class _Adapted:
    """What our own models have: a name, and a `complete` from prompt to text."""

    def __init__(self, model: object, awaited: str, plain: str) -> None:
        self._model = model
        self._awaited = awaited
        self._plain = plain
        self.name = _name_of(model)
        keep_attributes_secret(getattr(model, "__dict__", {}))

    async def complete(self, prompt: str) -> Any:
        """The model's answer. One that only has the method of the asynchronous kind in name is asked the other way."""
        method = getattr(self._model, self._awaited, None)
        if callable(method):
            try:
                return _text_of(await called(method, prompt))
            except NotImplementedError:
                pass
        return _text_of(await called(getattr(self._model, self._plain), prompt))


def adapted(model: JudgeSpec) -> JudgeSpec:
    """The model, in a form that we can ask."""
    if (
        model is None
        or isinstance(model, (str, type, DeclaredModel))
        or hasattr(model, "complete")
        or isinstance(model, Judge)
    ):
        return model
    for awaited, plain in _METHODS:
        if callable(getattr(model, awaited, None)) or callable(getattr(model, plain, None)):
            return _Adapted(model, awaited, plain)
    return model


def _text_of(answer: Any) -> Any:
    """DeepEval's own models return the text and what it cost."""
    return answer[0] if isinstance(answer, tuple) and answer else answer


def _name_of(model: object) -> str:
    for name in _NAMES:
        held = getattr(model, name, None)
        try:
            known = held() if callable(held) else held
        except TypeError:
            continue
        if isinstance(known, str) and known:
            return known
    return type(model).__name__
