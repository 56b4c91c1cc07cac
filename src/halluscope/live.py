"""Live scoring: metrics attached to whatever answers, and all that goes with it: one import line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._internal.plumbing.public import loaded_late

if TYPE_CHECKING:
    from ._internal.live.counts import Counts
    from ._internal.live.live import Answering, Live
    from ._internal.live.live_answer import LiveAnswer
    from ._internal.live.retrieval import retrieved, retriever

__all__ = ["Answering", "Counts", "Live", "LiveAnswer", "retrieved", "retriever"]

__getattr__, __dir__ = loaded_late(
    __name__,
    {
        "live.counts": "Counts",
        "live.live": "Answering Live",
        "live.live_answer": "LiveAnswer",
        "live.retrieval": "retrieved retriever",
    },
)
