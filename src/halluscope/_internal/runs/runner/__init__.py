"""`evaluate`: scores a dataset and stores the run."""

from .evaluation import aevaluate, evaluate
from .progress import Progress
from .throttle import AdaptiveThrottle

__all__ = ["AdaptiveThrottle", "Progress", "aevaluate", "evaluate"]
