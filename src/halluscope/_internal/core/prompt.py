"""Prompts: templates with slots, and the fence around judged text, so that it is not read as instructions."""

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
    """What a chat model is sent.

    Attributes:
        system: The system message with the instructions.
        user: The user message with the material.
        code: A word in the fences around the material, which does not occur in the material.
    """

    system: str
    user: str
    code: str = ""

    def with_remark(self, remark: str | None) -> Prompt:
        """Add what was wrong with the last reply. It is fenced, because it may quote judged text."""
        if not remark:
            return self
        fenced = render("{{remark}}", {"remark": Material(remark[:500].replace(self.code or "\0", "…"))}).user
        again = (
            "An earlier reply to this could not be used. What was wrong with it, as JSON-encoded material:\n"
            f"{fenced}\nReply again, with the one JSON object described above and no other text."
        )
        return structs.replace(self, user=f"{self.user}\n\n{again}")

    def framed(self) -> Prompt:
        """Ask for the code in the reply, to tell the model's answer from text that it quotes."""
        if not self.code:
            return self
        asked = f'The JSON object of the reply begins with a code, before its other keys: {{"code": "{self.code}", …}}'
        return structs.replace(self, user=f"{self.user}\n\n{asked}")

    def __str__(self) -> str:
        return f"{self.system}\n\n{self.user}" if self.system else self.user


@public_in("halluscope.metrics")
class Material(Struct, frozen=True):
    """Judged text, which is sent as JSON inside a fence.

    Attributes:
        value: The text, or data that JSON can hold.
    """

    value: Any


def render(template: str, slots: Mapping[str, str | Material]) -> Prompt:
    """Fill the `{{slots}}` of a template in one pass, so that braces in the material have no effect."""
    encoded = {
        name: msgspec.json.encode(slot.value).decode() for name, slot in slots.items() if isinstance(slot, Material)
    }
    everything = "\n".join(encoded.values())

    def filled(name: str, code: str) -> str:
        if name not in slots:
            known = ", ".join(sorted(slots))
            raise PromptError(f"the prompt has a slot {{{{{name}}}}} that does not exist; this question has: {known}.")
        return f"<{name}-{code}>\n{encoded[name]}\n</{name}-{code}>" if name in encoded else str(slots[name])

    def message(pieces: list[str]) -> tuple[str, str]:
        # The last text is usually the one that differs. Without it in the code, providers can cache all before it.
        texts = [encoded[name] for name in pieces[1::2] if name in encoded]
        code = code_for(everything, "\n".join(texts[:-1] or texts))
        filled_in = [filled(piece, code) if place % 2 else piece for place, piece in enumerate(pieces)]
        return "".join(filled_in).strip(), code

    *system, (user, code) = map(message, _messages(template))
    return Prompt(system[0][0] if system else "", user, code)


@lru_cache(maxsize=256)
def _messages(template: str) -> list[list[str]]:
    """Split a template at its line of dashes into messages, and these into texts and names of slots, in turn."""
    return [_SLOT.split(message) for message in _DIVIDER.split(template, maxsplit=1)]


def require_slots(name: str, template: str, needed: tuple[str, ...]) -> None:
    """Raise `PromptError` if a replacement prompt lacks a slot."""
    present = set(_SLOT.findall(template))
    missing = [slot for slot in needed if slot not in present]
    if missing:
        wanted = ", ".join(f"{{{{{slot}}}}}" for slot in missing)
        raise PromptError(f"the replacement for prompt {name!r} must contain {wanted}.")


def code_for(material: str, seed: str | None = None) -> str:
    """Return a word that does not occur in the material. It is always the same for the same seed and material."""
    word = hashlib.sha256((material if seed is None else seed).encode()).hexdigest()[:12]
    while word in material:
        word = hashlib.sha256(word.encode()).hexdigest()[:12]
    return word
