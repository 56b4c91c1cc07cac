"""A checked sentence: its verdicts, and what is shown in its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Union

from msgspec import Struct

from ...core.errors import InputError, UnknownName
from ...core.plumbing.public import public_in
from ...core.repair import RepairEdit
from ...core.verdict import Support, Verdict

Action = Literal["passed", "marked", "replaced", "repaired", "stopped"]
"""How a sentence was handled."""


@public_in("halluscope.live")
class GuardedSentence(Struct, frozen=True, kw_only=True):
    """One sentence of a guarded stream.

    Attributes:
        text: The sentence as the model wrote it.
        start: Index of its first character in the original text.
        end: Index after its last character.
        before: The text between the previous sentence and this one.
        shown: The text to show in its place.
        action: "passed", "marked", "replaced", "repaired" or "stopped".
        verdicts: The verdicts on its claims, with offsets in the original text.
        edits: The changes of a repair, with offsets in the original text.
        unchecked: Why it was not judged.
        delay_ms: Milliseconds between the end of the sentence and its output.
    """

    text: str
    start: int
    end: int
    before: str = ""
    shown: str = ""
    action: Action = "passed"
    verdicts: tuple[Verdict, ...] = ()
    edits: tuple[RepairEdit, ...] = ()
    unchecked: str | None = None
    delay_ms: float = 0.0

    @property
    def support(self) -> Support | None:
        """The worst support of its claims. None without a judged claim."""
        found = {verdict.support for verdict in self.verdicts}
        return next((support for support in _WORST_FIRST if support in found), None)

    @property
    def reason(self) -> str | None:
        """The reason of the worst verdict."""
        return next((verdict.reason for verdict in self.verdicts if verdict.support is self.support), self.unchecked)


_WORST_FIRST = (Support.CONTRADICTED, Support.UNSUPPORTED, Support.SUPPORTED, Support.NOT_A_CLAIM)

PolicyFunction = Callable[[GuardedSentence], Union[str, Awaitable[Union[str, None]], None]]
"""Returns the text to show instead of a flagged sentence, or None to stop. Asynchronous ones need an async stream."""

Policy = Union[Literal["pass", "mark", "replace", "repair", "stop"], PolicyFunction]
"""How to handle flagged sentences."""

Decision = tuple[Union[str, None], Action]
"""The text to show (None stops the stream), and the name of the action."""

REMOVED = "[This sentence is left out: the sources do not support it.]"


def decided_by_name(policy: str, sentence: GuardedSentence, replacement: str) -> Decision:
    decisions: dict[str, Decision] = {
        "pass": (sentence.text, "passed"),
        "mark": (f"{sentence.text} [{sentence.support or 'unchecked'}]", "marked"),
        "replace": (replacement, "replaced"),
        "repair": (sentence.shown, "repaired") if sentence.edits else (replacement, "replaced"),
        "stop": (None, "stopped"),
    }
    if policy not in decisions:
        raise UnknownName("policy", str(policy), decisions)
    return decisions[policy]


def decided_by_function(text: object, sentence: GuardedSentence) -> Decision:
    """The decision of a policy function, from what it returned for a flagged sentence."""
    if text is None:
        return None, "stopped"
    if not isinstance(text, str):
        raise InputError(f"the policy returned a {type(text).__name__}: return the text to show, or None to stop.")
    return text, "passed" if text == sentence.text else "replaced"


def passed_on(sentence: GuardedSentence) -> str:
    """What is passed on of a sentence: of one that a repair removed, not even the list marker before it."""
    removed = sentence.action == "repaired" and not sentence.shown
    return "" if removed or sentence.action == "stopped" else sentence.before + sentence.shown
