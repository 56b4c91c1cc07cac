"""Prompts with Phoenix's slots: `{input}`, as its document writes them, or `{{input}}`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Union

from msgspec import Struct

from ..._internal.errors import InputError, PromptError
from ..._internal.metric import packaged_prompt

SLOTS = ("input", "output", "context", "examples")
_SLOT = re.compile(r"\{\{\s*(\w+)\s*\}\}|\{(\w+)\}")
_EXAMPLES = re.compile(r"\n*Examples of other cases[^\n]*\n\{\{examples\}\}")

PromptLike = Union[str, "PromptTemplate", Sequence[Mapping[str, str]]]
"""A text, a template, or messages with `role` and `content`."""


class PromptTemplate(Struct, frozen=True):
    """A prompt with slots for `input`, `output` and `context`."""

    template: Any

    @property
    def variables(self) -> list[str]:
        """The slots, each once, in order."""
        return list(dict.fromkeys(a or b for a, b in _SLOT.findall(self.text) if (a or b) in SLOTS))

    @property
    def text(self) -> str:
        """The prompt as one text; the system's messages come first, with a line of dashes behind them."""
        if isinstance(self.template, str):
            return self.template
        if not isinstance(self.template, Sequence) or not all(isinstance(m, Mapping) for m in self.template):
            raise PromptError("a prompt template is a text, or a list of messages with role and content.")
        system = [str(m.get("content", "")) for m in self.template if m.get("role") in ("system", "developer")]
        others = [str(m.get("content", "")) for m in self.template if m.get("role") not in ("system", "developer")]
        return "\n---\n".join("\n\n".join(part) for part in (system, others) if part)

    def format(self, **values: Any) -> str:
        """The prompt with these values in its slots, each filled once."""
        missing = [name for name in self.variables if name not in values and name != "examples"]
        if missing:
            raise InputError(f"the prompt has a slot {missing[0]!r} and no value for it.")

        def fill(match: re.Match[str]) -> str:
            name = match.group(1) or match.group(2)
            return str(values.get(name, "")) if name in SLOTS else match.group()

        return _SLOT.sub(fill, self.text)


def made_template(given: PromptLike) -> PromptTemplate:
    """The template that was given, in whatever form."""
    return given if isinstance(given, PromptTemplate) else PromptTemplate(given)


def as_ours(template: PromptTemplate) -> str:
    """The prompt with our own slots. Braces around anything else, such as JSON, stay as they are."""

    def slot(match: re.Match[str]) -> str:
        name = match.group(1) or match.group(2)
        return f"{{{{{name}}}}}" if name in SLOTS else match.group()

    return _SLOT.sub(slot, template.text)


def _packaged() -> PromptTemplate:
    """Our prompt for the label of an answer, in Phoenix's form, without the place for examples."""
    ours = _EXAMPLES.sub("", packaged_prompt("label", "label_query"))
    return PromptTemplate(re.sub(r"\{\{(\w+)\}\}", r"{\1}", ours))


HALLUCINATION_PROMPT_TEMPLATE = _packaged()
"""The prompt that the evaluators use: change it, and pass it back as `prompt_template`."""
