"""The log: one line for a request, and no secret in any line, whoever writes it."""

from __future__ import annotations

import logging
import sys

from ...plumbing.loggers import logger
from ...redaction import redacted

LOG = logger("server")


class Redacting(logging.Formatter):
    """Takes secrets out of the whole line, a traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))


def start_logging(level: str = "INFO") -> None:
    """Everything that is logged in this process goes to standard error, without secrets."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Redacting("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for noisy in ("uvicorn.error", "mcp", "asyncio"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLogger().level))
