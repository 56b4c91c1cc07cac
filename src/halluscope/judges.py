"""The judges, and what a judge of your own needs."""

from ._internal.core.plumbing.public import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__, {"Manner": "halluscope.judges:ResponseMode"})
