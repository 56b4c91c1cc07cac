"""What a metric can ask a judge: one class per question, each with its reply schema and its reader."""

from .base import Passage, Question
from .compare import ComparePassages, PassageVerdict
from .explain import Explain
from .extract import ExtractClaims, ExtractTruths, numbered
from .label import FACTUAL, HALLUCINATED, LabelAnswer, Labelled
from .resolve import ResolveContext
from .verify import Verification, VerifyClaims

__all__ = [
    "FACTUAL",
    "HALLUCINATED",
    "ComparePassages",
    "Explain",
    "ExtractClaims",
    "ExtractTruths",
    "LabelAnswer",
    "Labelled",
    "Passage",
    "PassageVerdict",
    "Question",
    "ResolveContext",
    "Verification",
    "VerifyClaims",
    "numbered",
]
