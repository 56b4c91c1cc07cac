"""Opik's classes for models: one to subclass for a model of one's own, and one that names a model of LiteLLM's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ..._internal.plumbing import sync
from .._own_models import DeclaredModel
from .._writing import Model

_OTHER_NAMES = {"api_base": "base_url"}
_NOT_OURS = ("num_retries", "max_retries")
"""LiteLLM's own retries: ours are the only ones."""


class OpikBaseModel(ABC):
    """A model of your own: `generate_string` takes a prompt and returns the text of the reply."""

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    @abstractmethod
    def generate_string(self, input: str, **kwargs: Any) -> str:
        """The reply to a prompt."""

    async def agenerate_string(self, input: str, **kwargs: Any) -> str:
        """The same, awaited. Where it is not there, `generate_string` is called in a thread."""
        raise NotImplementedError


class LiteLLMChatModel(DeclaredModel):
    """A model by the name that LiteLLM has for it. OpenAI's and Anthropic's are asked directly.

    `completion_kwargs` go with every call: `api_base`, `api_key`, `temperature`, `seed`, `timeout`, …
    """

    def __init__(
        self,
        model_name: str = "gpt-4o",
        must_support_arguments: Sequence[str] | None = None,
        track: bool = True,
        **completion_kwargs: Any,
    ) -> None:
        self.model_name = model_name
        self.track = track
        given = {_OTHER_NAMES.get(name, name): value for name, value in completion_kwargs.items()}
        self.options = {name: value for name, value in given.items() if name not in _NOT_OURS}

    async def agenerate_string(self, /, input: str, **kwargs: Any) -> str:
        """The model's reply to a prompt."""
        return str(await Model(self).answer("", input))

    generate_string = sync.blocking_method(agenerate_string, "generate_string")
