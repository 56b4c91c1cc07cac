"""What a metric is: a frozen declaration, and a flow of questions that ends in a finding."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec import Struct, structs

from .case import Case
from .engine.scorer import Scorer
from .errors import InputError, PromptError, UnknownName
from .plumbing.public import public, public_in
from .prompt import require_slots
from .questions.flow import Finding, Flow
from .result import Direction, reaches
from .verdict import Support, Verdict

_METRICS = Path(__file__).parent / "metrics"


@public_in("halluscope.metrics")
class PromptSpec(Struct, frozen=True):
    """A prompt a metric uses: its name, and the slots a replacement must keep."""

    name: str
    needs: tuple[str, ...]


@public
class Metric(Struct, Scorer, frozen=True, kw_only=True):
    """A metric and its options. Nothing about a case or a judge is ever stored on it.

    An output passes when every claim holds: `threshold` lets a share through that does not, but never a
    contradicted one, unless `strict` is False and the score alone decides. With `strict` every claim has
    to hold, whatever the threshold. `prompts` replaces prompts by name, `examples` the few-shot examples;
    `more_examples` adds to them.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    formula: ClassVar[str]
    direction: ClassVar[Direction]
    uses: ClassVar[tuple[PromptSpec, ...]] = ()

    threshold: float = None  # type: ignore[assignment]
    """The best score there is, unless set."""
    strict: bool | None = None
    include_reason: bool = True
    prompts: Mapping[str, str] = {}
    examples: tuple[dict[str, Any], ...] | None = None
    more_examples: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.threshold is None:
            structs.force_setattr(self, "threshold", self.best)
        known = {spec.name: spec for spec in self.uses}
        if not isinstance(self.prompts, Mapping):
            raise InputError(f"the prompts of {self.name!r} must be a dictionary from name to text.")
        for name, text in self.prompts.items():
            if name not in known:
                raise UnknownName(f"prompt of metric {self.name!r} called", name, known)
            if not isinstance(text, str):
                raise PromptError(f"the replacement for prompt {name!r} is a {type(text).__name__}: pass its text.")
            require_slots(name, text, known[name].needs)
        for option in ("examples", "more_examples"):
            given = getattr(self, option) or ()
            if not isinstance(given, (list, tuple)) or not all(isinstance(example, Mapping) for example in given):
                raise InputError(f"the {option} of {self.name!r} must be a list of dictionaries.")
        if not is_number(self.threshold):
            raise InputError(f"the threshold of {self.name!r} must be a number, not {self.threshold!r}.")

    def flow(self, case: Case) -> Flow[Finding]:
        """Ask what has to be asked about the case, and say what was found."""
        raise NotImplementedError

    def prompt(self, name: str) -> str:
        """The text of one of the metric's prompts."""
        return self.prompts.get(name) or packaged_prompt(self.name, name)

    def shots(self) -> tuple[dict[str, Any], ...]:
        """The few-shot examples, the user's or ours."""
        ours = packaged_examples(self.name) if self.examples is None else self.examples
        return tuple(ours) + tuple(self.more_examples)

    @property
    def best(self) -> float:
        """The best score that an output can have."""
        return 0.0 if self.direction == "lower" else 1.0

    def passes(self, score: float, verdicts: tuple[Verdict, ...]) -> bool:
        """Whether the output passes: its label says the same."""
        if self.strict and any(not v.support.holds for v in verdicts):
            return False
        if self.strict is None and any(v.support is Support.CONTRADICTED for v in verdicts):
            return False
        return reaches(score, self.direction, self.threshold)

    @property
    def version(self) -> str:
        """Names what was chosen for it: options, prompts and examples. The code behind it is followed by a run."""
        texts = [(spec.name, self.prompt(spec.name)) for spec in self.uses]
        return _version(msgspec.msgpack.encode((self.name, self, texts, self.shots())))


def is_number(value: object) -> bool:
    """Whether an option is a number that scores can be compared with."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


@lru_cache(maxsize=256)
def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


@cache
def packaged_prompt(metric: str, name: str) -> str:
    """The prompt that comes with the package: the metric's own, or the one that metrics share."""
    own = _METRICS / "prompts" / metric / f"{name}.txt"
    shared = _METRICS / "prompts" / f"{name}.txt"
    return (own if own.exists() else shared).read_text(encoding="utf-8")


@cache
def packaged_examples(metric: str) -> tuple[dict[str, Any], ...]:
    """The few-shot examples that come with the package, none for most metrics."""
    path = _METRICS / "prompts" / metric / "examples.json"
    if not path.exists():
        return ()
    return tuple(msgspec.json.decode(path.read_bytes(), type=list[dict[str, Any]]))
