"""Which judge another tool's name for a model means."""

from __future__ import annotations

import os
import re
from typing import Any

from .._internal import judge as judges
from .._internal.errors import InputError
from .._internal.judge import Judge, JudgeSpec
from ._own_models import adapted

_OURS = frozenset(provider.prefix for provider in judges.PROVIDERS)
_HEAD = re.compile(r"[\w-]+")
_BARE = (
    (re.compile(r"(?:gpt|chatgpt|o\d)\b", re.IGNORECASE), "openai"),
    (re.compile(r"claude\b", re.IGNORECASE), "anthropic"),
)
_GIVEN = {"api_key", "base_url"}
_READY_BY = {"openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"), "anthropic": ("ANTHROPIC_API_KEY",)}


def judge_name(model: str, provider: str | None = None) -> str:
    """Our name for a model: "gpt-4o" is openai/gpt-4o; what is no name of ours goes to LiteLLM."""
    name = model.strip()
    if not name:
        raise InputError("the model's name is empty: pass one such as 'openai/gpt-4o', or 'local'.")
    if provider:
        known = provider.strip(": ").casefold()
        if name.startswith(f"{known}/"):
            name = name[len(known) + 1 :]
        return f"{known}/{name}" if known in _OURS else f"litellm/{known}/{name}"
    head = _HEAD.match(name)
    if "(" in name or (head and head.group() in _OURS):
        return name
    if "/" not in name:
        for pattern, home in _BARE:
            if pattern.match(name):
                return f"{home}/{name}"
    return f"litellm/{name}"


def judge_of(model: JudgeSpec, *, provider: str | None = None, documented: str | None = None, **options: Any) -> Judge:
    """The judge for a model given by name or as an object; `options` are the judge's (base_url, api_key, …).

    Without a model: HALLUSCOPE_JUDGE, then the tool's documented model where its key or address is
    given or set, then our own default, so that everything works without a key. An object that has
    another tool's methods for a model of one's own is asked through them.
    """
    if isinstance(model, str):
        return judges.resolve(judge_name(model, provider), **options)
    if model is None and documented and not os.environ.get(judges.VARIABLE):
        home = documented.partition("/")[0]
        if _GIVEN & options.keys() or any(os.environ.get(variable) for variable in _READY_BY.get(home, ())):
            return judges.resolve(documented, **options)
    return judges.resolve(adapted(model), **options)
