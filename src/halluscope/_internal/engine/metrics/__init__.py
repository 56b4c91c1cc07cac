"""The metrics, one file per family, with their prompts beside them."""

from .citations import Citations
from .contradiction import Contradiction
from .faithfulness import Faithfulness, TruthFaithfulness
from .hallucination import Hallucination
from .label import Label
from .registry import METRICS, MetricSpec, register, resolve, split_options
