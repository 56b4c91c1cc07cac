"""Prints what the changelog says of a release, or says why the tag cannot be released.

python scripts/release_notes.py v0.2.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def notes(tag: str, version: str, changelog: str) -> str:
    """The section of the changelog; SystemExit where tag, version and changelog do not agree."""
    if tag != f"v{version}":
        raise SystemExit(f"The tag is {tag}, but version.py says {version}: tag v{version}, or change the version.")
    section = re.search(
        rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE
    )
    if section is None:
        raise SystemExit(f'CHANGELOG.md has no section "## {version} (YYYY-MM-DD)": write one, and tag anew.')
    text = section[2].strip()
    if not text:
        raise SystemExit(f"CHANGELOG.md says nothing about {version}: a release changes something.")
    return text


def version() -> str:
    """What would be released. Read, not imported: that needs no environment."""
    text = (ROOT / "src" / "halluscope" / "_internal" / "core" / "version.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    if found is None:
        raise SystemExit("_internal/version.py has no __version__.")
    return found[1]


def main() -> None:
    """Of the tag that is given."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(notes(sys.argv[1], version(), (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
