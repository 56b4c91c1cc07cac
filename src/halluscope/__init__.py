"""halluscope tells whether a language model's output holds up against the context it was given.

Importing it is cheap: every name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._internal.version import __version__

if TYPE_CHECKING:
    from ._internal.case import Case
    from ._internal.datasets.sample_data import sample
    from ._internal.errors import HalluscopeError
    from ._internal.judge import Judge
    from ._internal.metric import Metric
    from ._internal.metrics import Contradiction, Faithfulness, Hallucination, Label, TruthFaithfulness
    from ._internal.metrics.check import acheck, check
    from ._internal.result import Outcome, Result, Usage
    from ._internal.runner import aevaluate, evaluate
    from ._internal.runs import Run
    from ._internal.verdict import Claim, Evidence, Support, Verdict

_HOMES = {
    "Case": "case",
    "Claim": "verdict",
    "Contradiction": "metrics",
    "Evidence": "verdict",
    "Faithfulness": "metrics",
    "Hallucination": "metrics",
    "HalluscopeError": "errors",
    "Judge": "judge",
    "Label": "metrics",
    "Metric": "metric",
    "Outcome": "result",
    "Result": "result",
    "Run": "runs",
    "Support": "verdict",
    "TruthFaithfulness": "metrics",
    "Usage": "result",
    "Verdict": "verdict",
    "acheck": "metrics.check",
    "aevaluate": "runner",
    "check": "metrics.check",
    "evaluate": "runner",
    "sample": "datasets.sample_data",
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
    "Support",
    "TruthFaithfulness",
    "Usage",
    "Verdict",
    "__version__",
    "acheck",
    "aevaluate",
    "check",
    "evaluate",
    "sample",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'halluscope' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"._internal.{home}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
