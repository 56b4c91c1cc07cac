"""The same scores on a Ray cluster (extra `ray`) or on Spark (extra `spark`)."""

from ._internal.core.plumbing.public import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
