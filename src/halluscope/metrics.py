"""The metrics, and what a metric of your own needs."""

from ._internal.core.plumbing.public import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
