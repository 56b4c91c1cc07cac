"""What a metric can ask a judge: one class per question, each with its reply schema and its reader."""

from .compare import ComparePassages, PassageVerdict
from .explain import Explain
from .extract import ExtractClaims, ExtractTruths, numbered
from .label_answer import FACTUAL, HALLUCINATED, LabelAnswer, Labelled
from .question import Passage, Question, distinct
from .resolve_context import ResolveContext
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
    "distinct",
    "numbered",
]
