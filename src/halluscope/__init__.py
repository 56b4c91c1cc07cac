"""halluscope tells whether a language model's output holds up against the context it was given.

Importing it is cheap: every name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .version import __version__

if TYPE_CHECKING:
    from .case import Case
    from .errors import HalluscopeError
    from .judge import Judge
    from .metric import Metric
    from .result import Outcome, Result, Usage
    from .runner import aevaluate, evaluate
    from .runs import Run
    from .scorer import (
        Contradiction,
        Faithfulness,
        Hallucination,
        Label,
        Scorer,
        TruthFaithfulness,
        acheck,
        check,
    )
    from .verdict import Claim, Evidence, Support, Verdict

_HOMES = {
    "Case": "case",
    "Claim": "verdict",
    "Contradiction": "scorer",
    "Evidence": "verdict",
    "Faithfulness": "scorer",
    "Hallucination": "scorer",
    "HalluscopeError": "errors",
    "Judge": "judge",
    "Label": "scorer",
    "Metric": "metric",
    "Outcome": "result",
    "Result": "result",
    "Run": "runs",
    "Scorer": "scorer",
    "Support": "verdict",
    "TruthFaithfulness": "scorer",
    "Usage": "result",
    "Verdict": "verdict",
    "acheck": "scorer",
    "aevaluate": "runner",
    "check": "scorer",
    "evaluate": "runner",
}

__all__ = [
    "Case",
    "Claim",
    "Contradiction",
    "Evidence",
    "Faithfulness",
    "Hallucination",
    "HalluscopeError",
    "Judge",
    "Label",
    "Metric",
    "Outcome",
    "Result",
    "Run",
    "Scorer",
    "Support",
    "TruthFaithfulness",
    "Usage",
    "Verdict",
    "__version__",
    "acheck",
    "aevaluate",
    "check",
    "evaluate",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'halluscope' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
