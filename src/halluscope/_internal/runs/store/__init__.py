"""The store: a SQLite file with replies, results and runs, so that nothing is paid for twice."""

from .database import Store, default_path
from .reply_cache import MemoryReplies, Replies
from .run_reader import Entry, RunInfo, ScorerInfo
from .run_writer import Job, RunWriter

__all__ = ["Entry", "Job", "MemoryReplies", "Replies", "RunInfo", "RunWriter", "ScorerInfo", "Store", "default_path"]
