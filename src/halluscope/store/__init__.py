"""One SQLite file that keeps replies, results and runs, so that nothing is paid for twice."""

from .book import Book, Job
from .file import Store, default_path, home
from .reading import Entry, RunInfo, ScorerInfo
from .replies import MemoryReplies, Replies

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
    "home",
]
