"""halluscope tells whether a language model's output holds up against the context it was given.

Importing it is cheap: every name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._internal.plumbing.public import loaded_late
from ._internal.version import __version__

if TYPE_CHECKING:
    from ._internal.case import Case
    from ._internal.datasets.sample_data import sample
    from ._internal.engine.reply_turns import ReplyCache
    from ._internal.engine.retrying import Patience
    from ._internal.errors import (
        CannotJudge,
        CaseError,
        ContextFailed,
        DataError,
        DeadlineExceeded,
        FetchError,
        HalluscopeError,
        InputError,
        JudgeError,
        JudgeRefused,
        JudgeRejected,
        JudgeThrottled,
        JudgeUnavailable,
        JudgeUnreachable,
        MissingExtra,
        MissingParameters,
        ModelFileError,
        NothingToJudge,
        PromptError,
        QuestionTooLong,
        ReplyError,
        ReplyTruncated,
        RunFailed,
        StoreDamaged,
        StoreError,
        UnknownName,
        WriteError,
    )
    from ._internal.figures.comparison import CaseChange, Comparison, MetricComparison
    from ._internal.guard.guard import guard
    from ._internal.guard.guarded_sentence import GuardedSentence
    from ._internal.guard.guarded_streams import AsyncGuarded, Guarded
    from ._internal.judge import Judge
    from ._internal.measuring.bench import (
        BenchReport,
        Figures,
        JudgeRun,
        KindFigures,
        LabelledCase,
        Loaded,
        bench,
        load_set,
        run_judge,
    )
    from ._internal.measuring.bench.bench_report import Mistake, Problem
    from ._internal.measuring.bench.judge_run import Judged
    from ._internal.measuring.calibration.fitting import calibrate
    from ._internal.measuring.calibration.profile import Profile, ScoreMapping, probability_of
    from ._internal.measuring.stress import (
        Mutant,
        StressFigures,
        StressReport,
        StressRow,
        Tried,
        astress,
        mutants,
        stress,
    )
    from ._internal.metric import Metric
    from ._internal.metrics import Citations, Contradiction, Faithfulness, Hallucination, Label, TruthFaithfulness
    from ._internal.metrics.check import acheck, check
    from ._internal.pytest_plugin import assert_faithful, assert_no_hallucination
    from ._internal.report import ReportSource, write_report, write_results
    from ._internal.result import Exchange, Failure, Outcome, Result, Usage
    from ._internal.runner import aevaluate, evaluate
    from ._internal.runs import MetricSummary, Run, Summary, all_runs
    from ._internal.stats.agreement import cohen_kappa, krippendorff_alpha
    from ._internal.stats.interval import Interval
    from ._internal.store import Entry, RunInfo, ScorerInfo, Store
    from ._internal.store.run_reader import BadRow
    from ._internal.verdict import Claim, Evidence, Support, Verdict, Vote

__all__ = [
    "AsyncGuarded",
    "BadRow",
    "BenchReport",
    "CannotJudge",
    "Case",
    "CaseChange",
    "CaseError",
    "Citations",
    "Claim",
    "Comparison",
    "ContextFailed",
    "Contradiction",
    "DataError",
    "DeadlineExceeded",
    "Entry",
    "Evidence",
    "Exchange",
    "Failure",
    "Faithfulness",
    "FetchError",
    "Figures",
    "Guarded",
    "GuardedSentence",
    "Hallucination",
    "HalluscopeError",
    "InputError",
    "Interval",
    "Judge",
    "JudgeError",
    "JudgeRefused",
    "JudgeRejected",
    "JudgeRun",
    "JudgeThrottled",
    "JudgeUnavailable",
    "JudgeUnreachable",
    "Judged",
    "KindFigures",
    "Label",
    "LabelledCase",
    "Loaded",
    "Metric",
    "MetricComparison",
    "MetricSummary",
    "MissingExtra",
    "MissingParameters",
    "Mistake",
    "ModelFileError",
    "Mutant",
    "NothingToJudge",
    "Outcome",
    "Patience",
    "Problem",
    "Profile",
    "PromptError",
    "QuestionTooLong",
    "ReplyCache",
    "ReplyError",
    "ReplyTruncated",
    "ReportSource",
    "Result",
    "Run",
    "RunFailed",
    "RunInfo",
    "ScoreMapping",
    "ScorerInfo",
    "Store",
    "StoreDamaged",
    "StoreError",
    "StressFigures",
    "StressReport",
    "StressRow",
    "Summary",
    "Support",
    "Tried",
    "TruthFaithfulness",
    "UnknownName",
    "Usage",
    "Verdict",
    "Vote",
    "WriteError",
    "__version__",
    "acheck",
    "aevaluate",
    "all_runs",
    "assert_faithful",
    "assert_no_hallucination",
    "astress",
    "bench",
    "calibrate",
    "check",
    "cohen_kappa",
    "evaluate",
    "guard",
    "krippendorff_alpha",
    "load_set",
    "mutants",
    "probability_of",
    "run_judge",
    "sample",
    "stress",
    "write_report",
    "write_results",
]

__getattr__, __dir__ = loaded_late(
    __name__,
    {
        "case": "Case",
        "datasets.sample_data": "sample",
        "engine.reply_turns": "ReplyCache",
        "engine.retrying": "Patience",
        "errors": (
            "CannotJudge CaseError ContextFailed DataError DeadlineExceeded FetchError HalluscopeError InputError "
            "JudgeError JudgeRefused JudgeRejected JudgeThrottled JudgeUnavailable JudgeUnreachable "
            "MissingExtra MissingParameters ModelFileError NothingToJudge PromptError QuestionTooLong "
            "ReplyError ReplyTruncated RunFailed StoreDamaged StoreError UnknownName WriteError"
        ),
        "guard.guard": "guard",
        "guard.guarded_sentence": "GuardedSentence",
        "guard.guarded_streams": "AsyncGuarded Guarded",
        "judge": "Judge",
        "measuring.bench": "BenchReport Figures JudgeRun KindFigures Loaded LabelledCase bench load_set run_judge",
        "measuring.bench.bench_report": "Mistake Problem",
        "measuring.bench.judge_run": "Judged",
        "measuring.calibration.fitting": "calibrate",
        "measuring.calibration.profile": "Profile ScoreMapping probability_of",
        "measuring.stress": "Mutant StressFigures StressReport StressRow Tried astress mutants stress",
        "metric": "Metric",
        "metrics": "Citations Contradiction Faithfulness Hallucination Label TruthFaithfulness",
        "metrics.check": "acheck check",
        "pytest_plugin": "assert_faithful assert_no_hallucination",
        "report": "ReportSource write_report write_results",
        "result": "Exchange Failure Outcome Result Usage",
        "runner": "aevaluate evaluate",
        "runs": "MetricSummary Run Summary all_runs",
        "figures.comparison": "CaseChange Comparison MetricComparison",
        "stats.agreement": "cohen_kappa krippendorff_alpha",
        "stats.interval": "Interval",
        "store": "Entry RunInfo ScorerInfo Store",
        "store.run_reader": "BadRow",
        "verdict": "Claim Evidence Support Verdict Vote",
    },
)
