"""Opik's Hallucination metric.

from halluscope.compat.opik import Hallucination

Hallucination().score(input="…", output="…", context=["…"]).value
"""

from .._facade import facade

__getattr__, __all__ = facade(__name__)
