"""All settings: their names in the file, their environment variables, and their descriptions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

BASE_URL = "HALLUSCOPE_BASE_URL"
ALERTS, WEBHOOK = "HALLUSCOPE_ALERTS", "HALLUSCOPE_WEBHOOK"
HOME = "HALLUSCOPE_HOME"


class Setting(Struct, frozen=True, kw_only=True):
    """A setting. `kind` is the type of its value, `example` what `init` writes."""

    section: str
    key: str
    kind: type
    example: str
    about: str
    variable: str
    """The environment variable."""

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    def exported(self, value: Any) -> str:
        """Format a value for its environment variable."""
        if isinstance(value, bool):
            return "1" if value else "0"
        return ";".join(map(str, value)) if isinstance(value, list) else str(value)


def _read() -> Iterator[Setting]:
    kinds = {kind.__name__: kind for kind in (bool, float, int, list, str)}
    for section, settings in json.loads(Path(__file__).with_name("settings.json").read_text(encoding="utf-8")).items():
        for key, about in settings.items():
            held = {"variable": f"HALLUSCOPE_{key.upper()}", **about, "kind": kinds[about["kind"]]}
            yield Setting(section=section, key=key, **held)


SETTINGS = tuple(_read())
BY_NAME = {setting.name: setting for setting in SETTINGS}
