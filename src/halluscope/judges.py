"""The judges, and all that one of your own needs: one import line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._internal.plumbing.public import loaded_late

if TYPE_CHECKING:
    from ._internal.judge import Answer, Ask, Call, Judge, JudgeSpec, resolve
    from ._internal.judges.chat.anthropic import anthropic_judge
    from ._internal.judges.chat.chat_judge import ChatJudge, ChatModel, ChatSettings, Completion
    from ._internal.judges.chat.dialect import Manner
    from ._internal.judges.chat.litellm import litellm_judge
    from ._internal.judges.chat.openai import openai_judge
    from ._internal.judges.chat.prices import Price
    from ._internal.judges.combined.cascade import Cascade
    from ._internal.judges.combined.consistency import Consistent
    from ._internal.judges.combined.panel import Panel
    from ._internal.judges.combined.vote_agreement import (
        Agreement,
        Disagreement,
        FlipRates,
        agreement,
        disagreements,
        flip_rates,
    )
    from ._internal.judges.embedded_judge import EmbeddedJudge
    from ._internal.judges.replay import MissingRecording, Recorded, Recording, ReplayJudge
    from ._internal.judges.scripted import ScriptedJudge
    from ._internal.measuring.bench.cascade_curve import Band, Doubt, band_chart, band_svg, bands, doubts, frontier
    from ._internal.prompt import Prompt
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
        Verification,
        VerifyClaims,
    )
    from ._internal.result import Usage
    from ._internal.verdict import Claim, Evidence, Support, Verdict, Vote

__all__ = [
    "Agreement",
    "Answer",
    "Ask",
    "Band",
    "Call",
    "Cascade",
    "ChatJudge",
    "ChatModel",
    "ChatSettings",
    "Claim",
    "ComparePassages",
    "Completion",
    "Consistent",
    "Disagreement",
    "Doubt",
    "EmbeddedJudge",
    "Evidence",
    "Explain",
    "ExtractClaims",
    "ExtractTruths",
    "FlipRates",
    "Judge",
    "JudgeSpec",
    "LabelAnswer",
    "Labelled",
    "Manner",
    "MissingRecording",
    "Panel",
    "Passage",
    "PassageVerdict",
    "Price",
    "Prompt",
    "Question",
    "Recorded",
    "Recording",
    "ReplayJudge",
    "ScriptedJudge",
    "Support",
    "Usage",
    "Verdict",
    "Verification",
    "VerifyClaims",
    "Vote",
    "agreement",
    "anthropic_judge",
    "band_chart",
    "band_svg",
    "bands",
    "disagreements",
    "doubts",
    "flip_rates",
    "frontier",
    "litellm_judge",
    "openai_judge",
    "resolve",
]

__getattr__, __dir__ = loaded_late(
    __name__,
    {
        "judge": "Answer Ask Call Judge JudgeSpec resolve",
        "judges.chat.anthropic": "anthropic_judge",
        "judges.chat.chat_judge": "ChatJudge ChatModel ChatSettings Completion",
        "judges.chat.dialect": "Manner",
        "judges.chat.litellm": "litellm_judge",
        "judges.chat.openai": "openai_judge",
        "judges.chat.prices": "Price",
        "judges.combined.cascade": "Cascade",
        "judges.combined.consistency": "Consistent",
        "judges.combined.panel": "Panel",
        "judges.combined.vote_agreement": "Agreement Disagreement FlipRates agreement disagreements flip_rates",
        "judges.embedded_judge": "EmbeddedJudge",
        "judges.replay": "MissingRecording Recorded Recording ReplayJudge",
        "judges.scripted": "ScriptedJudge",
        "measuring.bench.cascade_curve": "Band Doubt band_chart band_svg bands doubts frontier",
        "questions": (
            "ComparePassages Explain ExtractClaims ExtractTruths LabelAnswer Labelled Passage "
            "PassageVerdict Question Verification VerifyClaims"
        ),
        "prompt": "Prompt",
        "result": "Usage",
        "verdict": "Claim Evidence Support Verdict Vote",
    },
)
