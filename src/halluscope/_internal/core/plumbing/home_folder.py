"""The folder for runs, replies, profiles and datasets."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import InputError


def home() -> Path:
    """Return HALLUSCOPE_HOME, or else the platform's data folder."""
    chosen = os.environ.get("HALLUSCOPE_HOME")
    try:
        if chosen:
            return Path(chosen).expanduser()
        import platformdirs

        return Path(platformdirs.user_data_dir("halluscope", appauthor=False))
    except (RuntimeError, KeyError) as error:
        named = f"HALLUSCOPE_HOME ({chosen!r}) names a folder" if chosen else "there is no home folder"
        raise InputError(f"{named} of a user that is not known here: set HALLUSCOPE_HOME to a folder.") from error
