"""The package's loggers, all under the name `halluscope`: silent until somebody listens."""

from __future__ import annotations

import logging

_ALL = "halluscope"

logging.getLogger(_ALL).addHandler(logging.NullHandler())  # else warnings would go to stderr unasked


def logger(part: str) -> logging.Logger:
    """The logger of a part of the package, such as `halluscope.judge`."""
    return logging.getLogger(f"{_ALL}.{part}")
