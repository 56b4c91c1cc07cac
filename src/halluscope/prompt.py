"""Prompts: templates with slots, and the fence that keeps judged text from being read as instructions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from .errors import PromptError

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_DIVIDER = re.compile(r"^---\s*$", re.MULTILINE)


class Prompt(Struct, frozen=True):
    """What a chat model is sent: the standing instructions, and this question's material."""

    system: str
    user: str

    def __str__(self) -> str:
        return f"{self.system}\n\n{self.user}" if self.system else self.user


class Data(Struct, frozen=True):
    """Text that is being judged, never obeyed: it goes out as JSON inside a fence."""

    value: Any


def render(template: str, slots: Mapping[str, str | Data]) -> Prompt:
    """Fill a template's `{{slots}}`, each once, so that braces inside the material mean nothing.

    A line of three dashes parts the system message from the user message; without one, everything
    is the user message.
    """
    seal = _seal(slots)

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in slots:
            known = ", ".join(sorted(slots))
            raise PromptError(f"the prompt has a slot {{{{{name}}}}} nobody fills; this question has: {known}.")
        slot = slots[name]
        if isinstance(slot, str):
            return slot
        return f"<{name}-{seal}>\n{_encoded(slot.value)}\n</{name}-{seal}>"

    parts = _DIVIDER.split(template, maxsplit=1)
    filled = [_SLOT.sub(fill, part).strip() for part in parts]
    return Prompt("", filled[0]) if len(filled) == 1 else Prompt(filled[0], filled[1])


def require_slots(name: str, template: str, needed: tuple[str, ...]) -> None:
    """Refuse a replacement prompt that leaves out what the judge has to see."""
    present = set(_SLOT.findall(template))
    missing = [slot for slot in needed if slot not in present]
    if missing:
        wanted = ", ".join(f"{{{{{slot}}}}}" for slot in missing)
        raise PromptError(f"the replacement for prompt {name!r} must contain {wanted}.")


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _seal(slots: Mapping[str, str | Data]) -> str:
    """A word for the fence that does not occur in the material, and is the same for the same material."""
    material = "\n".join(_encoded(slot.value) for slot in slots.values() if isinstance(slot, Data))
    seal = hashlib.sha256(material.encode()).hexdigest()[:12]
    while seal in material:
        seal = hashlib.sha256(seal.encode()).hexdigest()[:12]
    return seal
