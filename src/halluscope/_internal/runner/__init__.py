"""Many cases: `evaluate` scores a file, a table or an iterator, and keeps the run."""

from .evaluation import aevaluate, evaluate
from .progress import Progress
from .throttle import AdaptiveThrottle

__all__ = ["AdaptiveThrottle", "Progress", "aevaluate", "evaluate"]
