"""Prompts with Phoenix's slots: `{input}`, as its document writes them, or `{{input}}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from msgspec import Struct, structs

from ..._internal.core.errors import InputError, PromptError
from ..._internal.engine.metric import packaged_prompt

SLOTS = ("input", "output", "context", "examples")
_SINGLE = r"\{(?!(?:true|false|null|None)\})([^\W\d]\w*)\}"
_EXAMPLES = re.compile(r"\n*Examples of other cases[^\n]*\n\{\{examples\}\}")
_SYSTEM = ("system", "developer")


class TemplateFormat(str, Enum):
    """How slots are written: `{{name}}`, or `{name}` where doubled braces stand for single ones."""

    MUSTACHE = "mustache"
    F_STRING = "f-string"


_SLOT_OF = {
    None: re.compile(r"\{\{\s*(\w+)\s*\}\}|" + _SINGLE),
    TemplateFormat.MUSTACHE: re.compile(r"\{\{\s*([^{}]+?)\s*\}\}()"),
    TemplateFormat.F_STRING: re.compile(r"()(?:\{\{|\}\}|" + _SINGLE + ")"),
}


class PromptTemplate(Struct, frozen=True):
    """A prompt with slots, `{name}` or `{{name}}`. Unless the format is given it is read from the prompt."""

    template: Any
    template_format: Any = None

    def __post_init__(self) -> None:
        if not self.template:
            raise PromptError("a prompt template must not be empty.")
        if self.template_format is not None:
            word = str(getattr(self.template_format, "value", self.template_format)).casefold().replace("_", "-")
            if word not in [known.value for known in TemplateFormat]:
                raise PromptError(f"there is no template format {word!r}: use 'mustache' or 'f-string'.")
            structs.force_setattr(self, "template_format", TemplateFormat(word))

    @property
    def variables(self) -> list[str]:
        """The slots, each once, in order."""
        found: list[str] = []
        self._put(self.text, lambda name: found.append(name) or "")  # type: ignore[func-returns-value]
        return list(dict.fromkeys(found))

    @property
    def text(self) -> str:
        """The prompt as one text; the system's messages come first, with a line of dashes behind them."""
        if isinstance(self.template, str):
            return self.template
        if not isinstance(self.template, Sequence) or not all(isinstance(m, Mapping) for m in self.template):
            raise PromptError("a prompt template is a text, or a list of messages with role and content.")
        system = [str(m.get("content", "")) for m in self.template if _role(m) in _SYSTEM]
        others = [str(m.get("content", "")) for m in self.template if _role(m) not in _SYSTEM]
        return "\n---\n".join("\n\n".join(part) for part in (system, others) if part)

    def format(self, **values: Any) -> str:
        """The prompt with these values in its slots, each filled once."""
        missing = [name for name in self.variables if name not in values and name != "examples"]
        if missing:
            raise InputError(f"the prompt has a slot {missing[0]!r} and no value for it.")
        return self._filled(self.text, values)

    def render(self, variables: Mapping[str, Any]) -> list[dict[str, str]]:
        """The prompt as messages, with these values in its slots."""
        self.format(**variables)
        if isinstance(self.template, str):
            return [{"role": "user", "content": self._filled(self.template, variables)}]
        return [{"role": _role(m), "content": self._filled(str(m["content"]), variables)} for m in self.template]

    def as_ours(self) -> str:
        """The prompt with our own slots. Braces around anything else, such as JSON, stay as they are."""
        return self._put(self.text, lambda name: f"{{{{{name}}}}}")

    def _filled(self, text: str, values: Mapping[str, Any]) -> str:
        return self._put(text, lambda name: str(values.get(name, "")))

    def _put(self, text: str, filled: Callable[[str], str]) -> str:
        """The text with what each slot is filled with."""
        slot = _SLOT_OF[self.template_format]
        doubled = self.template_format is None and any(match[1] for match in slot.finditer(self.text))

        def put(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            if not name:  # doubled braces of an f-string
                return match[0][0]
            # A word in single braces is no slot where the prompt's slots have two.
            return match[0] if doubled and not match[1] and name not in SLOTS else filled(name)

        return slot.sub(put, text)


def made_template(given: Any) -> PromptTemplate:
    """The template that was given, in whatever form, also as an object of Phoenix's own."""
    return given if isinstance(given, PromptTemplate) else PromptTemplate(getattr(given, "template", given))


def as_messages(prompt: Any) -> tuple[str, str]:
    """A finished prompt, a text or messages, as the system's text and the user's."""
    system, dashes, user = (
        made_template(prompt).text.partition("\n---\n") if not isinstance(prompt, str) else ("", "", prompt)
    )
    return (system, user) if dashes else ("", system or user)


def _role(message: Mapping[str, Any]) -> str:
    role = message.get("role", "user")
    return str(getattr(role, "value", role))


def _packaged() -> PromptTemplate:
    """Our prompt for the label of an answer, in Phoenix's form, without the place for examples."""
    ours = _EXAMPLES.sub("", packaged_prompt("label", "label_query"))
    return PromptTemplate(re.sub(r"\{\{(\w+)\}\}", r"{\1}", ours))


HALLUCINATION_PROMPT_TEMPLATE = _packaged()
"""The prompt that the evaluators use: change it, and pass it back as `prompt_template`."""
