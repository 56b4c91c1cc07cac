"""The loggers of the package, below the name `halluscope`. API keys are removed from all records."""

from __future__ import annotations

import logging

from ..redaction import redacted

_ALL = "halluscope"

logging.getLogger(_ALL).addHandler(logging.NullHandler())  # otherwise warnings are printed to stderr


def logger(part: str) -> logging.Logger:
    """Return the logger of a part of the package, such as `halluscope.judge`."""
    found = logging.getLogger(f"{_ALL}.{part}")
    found.addFilter(_without_secrets)
    return found


def _without_secrets(record: logging.LogRecord) -> bool:
    """Remove secrets from a record before handlers get it."""
    record.msg, record.args = redacted(record.getMessage()), ()
    if record.exc_info:
        traceback = logging.Formatter().formatException(record.exc_info)
        if redacted(traceback) != traceback:
            record.exc_text, record.exc_info = redacted(traceback), None
    return True
