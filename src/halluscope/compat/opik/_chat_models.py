"""Opik's classes for models: one to subclass for a model of one's own, and one that names a model of LiteLLM's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._internal.core.plumbing import sync
from .._asking import written
from .._models import Judging

_OTHER_NAMES = {"api_base": "base_url"}
_NOT_OURS = ("num_retries", "max_retries")
"""LiteLLM's own retries: ours are the only ones."""


class OpikBaseModel:
    """A model of your own, with one of these methods: the first that is there is asked.

    Args:
        model_name: Name in results.
    """

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    async def agenerate_string(self, input: str, **kwargs: Any) -> str:
        """The reply's text, from a prompt."""
        raise NotImplementedError

    def generate_string(self, input: str, **kwargs: Any) -> str:
        """The same, called in a thread."""
        raise NotImplementedError

    async def agenerate_chat_completion(self, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
        """The reply as a message, from messages."""
        raise NotImplementedError

    def generate_chat_completion(self, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
        """The same, called in a thread."""
        raise NotImplementedError


class LiteLLMChatModel(Judging):
    """A model by the name that LiteLLM has for it. OpenAI's and Anthropic's are asked directly.

    Args:
        model_name: Name of the model.
        must_support_arguments: Taken, and does nothing.
        track: Taken, and does nothing.
        completion_kwargs: What goes with every call: `api_base`, `api_key`, `temperature`, `seed`, `timeout`, …

    Example:
        >>> Hallucination(model=LiteLLMChatModel("gpt-4o", temperature=0.1))
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
        super().__init__(model_name, {name: given[name] for name in given if name not in _NOT_OURS}, own=None)

    async def agenerate_string(self, /, input: str, **kwargs: Any) -> str:
        """The model's reply to a prompt."""
        return str(await written(self, "", input))

    generate_string = sync.blocking_method(agenerate_string, "generate_string")
