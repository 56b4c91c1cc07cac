"""The metrics, and all that one of your own needs: one import line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._internal.plumbing.public import loaded_late

if TYPE_CHECKING:
    from ._internal.case import Case
    from ._internal.metric import Metric, PromptSpec
    from ._internal.metrics import (
        METRICS,
        Citations,
        Contradiction,
        Faithfulness,
        Hallucination,
        Label,
        MetricSpec,
        TruthFaithfulness,
        register,
        resolve,
    )
    from ._internal.metrics.claimwise import ClaimMetric, Verified
    from ._internal.prompt import Material, Prompt
    from ._internal.questions import (
        ComparePassages,
        Explain,
        ExtractClaims,
        ExtractTruths,
        LabelAnswer,
        Labelled,
        Passage,
        PassageVerdict,
        Question,
        ResolveContext,
        Verification,
        VerifyClaims,
    )
    from ._internal.questions.flow import AnswerMissing, Finding, Flow, ask, ask_all
    from ._internal.result import Direction, Failure, Outcome
    from ._internal.verdict import Claim, Evidence, Support, Verdict

__all__ = [
    "METRICS",
    "AnswerMissing",
    "Case",
    "Citations",
    "Claim",
    "ClaimMetric",
    "ComparePassages",
    "Contradiction",
    "Direction",
    "Evidence",
    "Explain",
    "ExtractClaims",
    "ExtractTruths",
    "Failure",
    "Faithfulness",
    "Finding",
    "Flow",
    "Hallucination",
    "Label",
    "LabelAnswer",
    "Labelled",
    "Material",
    "Metric",
    "MetricSpec",
    "Outcome",
    "Passage",
    "PassageVerdict",
    "Prompt",
    "PromptSpec",
    "Question",
    "ResolveContext",
    "Support",
    "TruthFaithfulness",
    "Verdict",
    "Verification",
    "Verified",
    "VerifyClaims",
    "ask",
    "ask_all",
    "register",
    "resolve",
]

__getattr__, __dir__ = loaded_late(
    __name__,
    {
        "case": "Case",
        "metric": "Metric PromptSpec",
        "metrics": (
            "METRICS Citations Contradiction Faithfulness Hallucination Label MetricSpec TruthFaithfulness "
            "register resolve"
        ),
        "metrics.claimwise": "ClaimMetric Verified",
        "prompt": "Material Prompt",
        "questions": (
            "ComparePassages Explain ExtractClaims ExtractTruths LabelAnswer Labelled Passage "
            "PassageVerdict Question ResolveContext Verification VerifyClaims"
        ),
        "questions.flow": "AnswerMissing Finding Flow ask ask_all",
        "result": "Direction Failure Outcome",
        "verdict": "Claim Evidence Support Verdict",
    },
)
