"""Refuse files that git hosts do not accept: GitHub warns above 50 MB and refuses 100 MB."""

from __future__ import annotations

import sys
from pathlib import Path

MOST = 50_000_000


def too_large(paths: list[Path]) -> list[Path]:
    """The files with more than `MOST` bytes."""
    return [path for path in paths if path.is_file() and path.stat().st_size > MOST]


def main() -> None:
    found = too_large([Path(name) for name in sys.argv[1:]])
    if found:
        raise SystemExit(
            f"larger than {MOST / 1e6:g} MB: {', '.join(map(str, found))}. Split it, or keep it out of git."
        )


if __name__ == "__main__":
    main()
