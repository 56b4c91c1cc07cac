"""Prompts: templates with slots, and the fence that keeps judged text from being read as instructions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct, structs

from .errors import PromptError
from .plumbing.public import public_in

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_DIVIDER = re.compile(r"^---\s*$", re.MULTILINE)


@public_in("halluscope.metrics")
class Prompt(Struct, frozen=True):
    """What a chat model is sent: the standing instructions, and this question's material.

    `code` is the word that the fences of the material carry, and that does not occur in it.
    """

    system: str
    user: str
    code: str = ""

    def with_remark(self, remark: str | None) -> Prompt:
        """The prompt with what was wrong with the last reply. That may quote judged text, so it is fenced like it."""
        if not remark:
            return self
        fenced = render("{{remark}}", {"remark": Material(remark[:500].replace(self.code or "\0", "…"))}).user
        again = (
            "An earlier reply to this could not be used. What was wrong with it, as JSON-encoded material:\n"
            f"{fenced}\nReply again, with the one JSON object described above and no other text."
        )
        return structs.replace(self, user=f"{self.user}\n\n{again}")

    def framed(self) -> Prompt:
        """The prompt that asks for its code in the reply: what a model answers is so told from what it quotes."""
        if not self.code:
            return self
        asked = f'The JSON object of the reply begins with a code, before its other keys: {{"code": "{self.code}", …}}'
        return structs.replace(self, user=f"{self.user}\n\n{asked}")

    def __str__(self) -> str:
        return f"{self.system}\n\n{self.user}" if self.system else self.user


@public_in("halluscope.metrics")
class Material(Struct, frozen=True):
    """Text that is being judged, never obeyed: it goes out as JSON inside a fence."""

    value: Any


def render(template: str, slots: Mapping[str, str | Material]) -> Prompt:
    """Fill a template's `{{slots}}`, each once, so that braces inside the material mean nothing.

    A line of three dashes parts the system message from the user message; without one, everything
    is the user message.
    """
    encoded = {name: _encoded(slot.value) for name, slot in slots.items() if isinstance(slot, Material)}
    code = _seal("\n".join(encoded.values()))

    def filled(name: str) -> str:
        if name not in slots:
            known = ", ".join(sorted(slots))
            raise PromptError(f"the prompt has a slot {{{{{name}}}}} nobody fills; this question has: {known}.")
        return f"<{name}-{code}>\n{encoded[name]}\n</{name}-{code}>" if name in encoded else str(slots[name])

    def message(pieces: list[str]) -> str:
        return "".join([filled(piece) if place % 2 else piece for place, piece in enumerate(pieces)]).strip()

    *system, user = map(message, _messages(template))
    return Prompt(system[0] if system else "", user, code)


@lru_cache(maxsize=256)
def _messages(template: str) -> list[list[str]]:
    """The one or two messages of a template, texts and names of slots by turns: taken apart once for all cases."""
    return [_SLOT.split(message) for message in _DIVIDER.split(template, maxsplit=1)]


def require_slots(name: str, template: str, needed: tuple[str, ...]) -> None:
    """Refuse a replacement prompt that leaves out what the judge has to see."""
    present = set(_SLOT.findall(template))
    missing = [slot for slot in needed if slot not in present]
    if missing:
        wanted = ", ".join(f"{{{{{slot}}}}}" for slot in missing)
        raise PromptError(f"the replacement for prompt {name!r} must contain {wanted}.")


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _seal(material: str) -> str:
    """A word for the fence that does not occur in the material, and is the same for the same material."""
    word = hashlib.sha256(material.encode()).hexdigest()[:12]
    while word in material:
        word = hashlib.sha256(word.encode()).hexdigest()[:12]
    return word
