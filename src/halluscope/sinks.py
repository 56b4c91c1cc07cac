"""Sending scores to the observability tools that have the traces."""

from ._internal.core.plumbing.public import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
