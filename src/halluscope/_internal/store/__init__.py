"""One SQLite file that keeps replies, results and runs, so that nothing is paid for twice."""

from .database import Store, default_path
from .reply_cache import MemoryReplies, Replies
from .run_reader import Entry, RunInfo, ScorerInfo
from .run_writer import Book, Job

__all__ = [
    "Book",
    "Entry",
    "Job",
    "MemoryReplies",
    "Replies",
    "RunInfo",
    "ScorerInfo",
    "Store",
    "default_path",
]
