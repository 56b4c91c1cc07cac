"""What a metric can ask a judge: one class per question, with its JSON schema and the code that reads replies."""

from .compare import ComparePassages
from .edits import ProposedEdit, ProposeEdits
from .explain import Explain, ResolveContext
from .extract import ExtractClaims, ExtractTruths, numbered
from .label_answer import FACTUAL, HALLUCINATED, LabelAnswer, Labelled
from .question import Passage, Question, WordProbabilities, distinct
from .verify import VerdictQuestion, Verification, VerifyClaims
