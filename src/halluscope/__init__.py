"""halluscope tells whether a language model's output is grounded in the context it was given.

Every name is loaded on first use, so importing the package is cheap. `__init__.pyi` lists the names.
"""

import os as _os

from ._internal.core.plumbing.public import lazy_names
from ._internal.core.version import __version__ as __version__

# onnxruntime reads this once, when it is imported, by whomever; child processes inherit it.
_os.environ["ORT_DISABLE_TELEMETRY"] = "1"

_MOVED = {
    "AsyncGuarded": "halluscope.live",
    "BadRow": "halluscope.runs",
    "CannotJudge": "halluscope.errors",
    "CaseChange": "halluscope.runs",
    "CaseError": "halluscope.errors",
    "ContextFailed": "halluscope.errors",
    "DataError": "halluscope.errors",
    "DeadlineExceeded": "halluscope.errors",
    "Entry": "halluscope.runs",
    "Exchange": "halluscope.judges",
    "FetchError": "halluscope.errors",
    "Figures": "halluscope.proof",
    "Guarded": "halluscope.live",
    "GuardedSentence": "halluscope.live",
    "JudgeRefused": "halluscope.errors",
    "JudgeRejected": "halluscope.errors",
    "JudgeRun": "halluscope.proof",
    "JudgeThrottled": "halluscope.errors",
    "JudgeUnavailable": "halluscope.errors",
    "JudgeUnreachable": "halluscope.errors",
    "Judged": "halluscope.proof",
    "KindFigures": "halluscope.proof",
    "Loaded": "halluscope.proof",
    "MetricComparison": "halluscope.runs",
    "MetricSummary": "halluscope.runs",
    "MissingExtra": "halluscope.errors",
    "MissingParameters": "halluscope.errors",
    "Mistake": "halluscope.proof",
    "ModelFileError": "halluscope.errors",
    "Mutant": "halluscope.proof",
    "NothingToJudge": "halluscope.errors",
    "Patience": "halluscope:RetryPolicy",
    "Problem": "halluscope.proof",
    "PromptError": "halluscope.errors",
    "QuestionTooLong": "halluscope.errors",
    "ReplyError": "halluscope.errors",
    "ReplyTruncated": "halluscope.errors",
    "ReportSource": "halluscope.runs",
    "RunFailed": "halluscope.errors",
    "RunInfo": "halluscope.runs",
    "ScoreMapping": "halluscope.proof",
    "ScorerInfo": "halluscope.runs",
    "StoreDamaged": "halluscope.errors",
    "StoreError": "halluscope.errors",
    "StressFigures": "halluscope.proof",
    "StressRow": "halluscope.proof",
    "Tried": "halluscope.proof",
    "UnknownName": "halluscope.errors",
    "WriteError": "halluscope.errors",
    "probability_of": "halluscope.proof",
    "run_judge": "halluscope.proof",
    "write_results": "halluscope.runs",
}
"""Names that this module had before, and the module that has them now."""

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__, _MOVED)
