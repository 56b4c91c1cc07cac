"""What became of a sentence: what the judge found, and what is shown in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Union

from msgspec import Struct

from ..errors import InputError, UnknownName
from ..plumbing.public import public
from ..verdict import Support, Verdict

Action = Literal["passed", "marked", "replaced", "stopped"]
"""What was done with a sentence."""


@public
class GuardedSentence(Struct, frozen=True, kw_only=True):
    """One sentence of a guarded stream.

    `text` is the sentence as the model wrote it, at `start`:`end` of the original; `before` is what stands between it
    and the sentence before. `shown` is what is passed on in its place. `unchecked` says why the judge did not judge
    it, where it did not. The places in `verdicts` are those of the original. `delay_ms` is how long the sentence was
    held back from the moment it was whole.
    """

    text: str
    start: int
    end: int
    before: str = ""
    shown: str = ""
    action: Action = "passed"
    verdicts: tuple[Verdict, ...] = ()
    unchecked: str | None = None
    delay_ms: float = 0.0

    @property
    def support(self) -> Support | None:
        """The worst of its claims' support, None where it makes no claim that was judged."""
        found = {verdict.support for verdict in self.verdicts}
        return next((support for support in _WORST_FIRST if support in found), None)

    @property
    def reason(self) -> str | None:
        """What is wrong with it, in words."""
        return next((verdict.reason for verdict in self.verdicts if verdict.support is self.support), self.unchecked)


_WORST_FIRST = (Support.CONTRADICTED, Support.UNSUPPORTED, Support.SUPPORTED, Support.NOT_A_CLAIM)

Policy = Union[Literal["pass", "mark", "replace", "stop"], Callable[[GuardedSentence], Union[str, None]]]
"""What becomes of a sentence that does not hold up; a function gives the text to show instead, None to stop."""

REMOVED = "[This sentence is left out: the sources do not support it.]"


def shown_by(policy: Policy, replacement: str) -> Callable[[GuardedSentence], tuple[str | None, Action]]:
    """What the policy shows for a sentence that does not hold up (None: it stops there), and what that is called."""
    if callable(policy):
        return lambda sentence: _chosen(policy(sentence), sentence)
    named: dict[str, Callable[[GuardedSentence], tuple[str | None, Action]]] = {
        "pass": lambda sentence: (sentence.text, "passed"),
        "mark": lambda sentence: (f"{sentence.text} [{sentence.support or 'unchecked'}]", "marked"),
        "replace": lambda sentence: (replacement, "replaced"),
        "stop": lambda sentence: (None, "stopped"),
    }
    if policy not in named:
        raise UnknownName("policy", str(policy), named)
    return named[policy]


def _chosen(text: str | None, sentence: GuardedSentence) -> tuple[str | None, Action]:
    if text is None:
        return None, "stopped"
    if not isinstance(text, str):
        raise InputError(f"the policy returned a {type(text).__name__}: return the text to show, or None to stop.")
    return text, "passed" if text == sentence.text else "replaced"
