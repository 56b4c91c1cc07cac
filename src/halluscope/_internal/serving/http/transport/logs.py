"""Logging of the server. Secrets are redacted from every line."""

from __future__ import annotations

import logging
import sys

from ....core.plumbing.loggers import logger
from ....core.redaction import redacted

LOG = logger("server")


class Redacting(logging.Formatter):
    """Redacts secrets from the whole line, including tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))


def start_logging(level: str = "INFO") -> None:
    """Log everything in this process to stderr, without secrets."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Redacting("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for noisy in ("uvicorn.error", "mcp", "asyncio"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLogger().level))
