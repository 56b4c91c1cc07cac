"""Benchmarks, calibration and stress tests of judges, and the values they return."""

from ._internal.core.plumbing.public import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
