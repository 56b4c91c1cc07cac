"""What operating systems do not have in common."""

from __future__ import annotations

import sys

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork, no pty and no signals to send")
