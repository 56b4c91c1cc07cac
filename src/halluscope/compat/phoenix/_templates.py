"""Prompts with Phoenix's slots: `{input}`, as its document writes them, or `{{input}}`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..._internal.core.errors import InputError, PromptError
from ..._internal.engine.metric import packaged_prompt

SLOTS = ("input", "output", "context", "examples")
_SLOT = re.compile(r"\{\{\s*(\w+)\s*\}\}|\{(?!(?:true|false|null|None)\})([^\W\d]\w*)\}")
_EXAMPLES = re.compile(r"\n*Examples of other cases[^\n]*\n\{\{examples\}\}")
_SYSTEM = ("system", "developer")


class PromptTemplate(Struct, frozen=True):
    """A prompt with slots, `{name}` or `{{name}}`. The format is read from the prompt."""

    template: Any
    template_format: Any = None

    def __post_init__(self) -> None:
        if not self.template:
            raise PromptError("a prompt template must not be empty.")

    @property
    def variables(self) -> list[str]:
        """The slots, each once, in order."""
        found = [self._slot(match) for match in _SLOT.finditer(self.text)]
        return list(dict.fromkeys(name for name in found if name))

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
        return _SLOT.sub(lambda match: f"{{{{{name}}}}}" if (name := self._slot(match)) else match.group(), self.text)

    def _filled(self, text: str, values: Mapping[str, Any]) -> str:
        return _SLOT.sub(
            lambda match: str(values.get(name, "")) if (name := self._slot(match)) else match.group(), text
        )

    def _slot(self, match: re.Match[str]) -> str | None:
        """The slot's name; None for a word in single braces where the prompt's slots have two."""
        doubled, single = match.groups()
        if single and single not in SLOTS and any(m.group(1) for m in _SLOT.finditer(self.text)):
            return None
        return doubled or single


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
