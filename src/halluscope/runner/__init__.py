"""Many cases: `evaluate` scores a file, a table or an iterator, and keeps the run."""

from .evaluation import aevaluate, evaluate
from .gate import AdaptiveGate
from .progress import Progress

__all__ = ["AdaptiveGate", "Progress", "aevaluate", "evaluate"]
