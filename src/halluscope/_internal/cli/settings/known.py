"""Every setting there is: its place in the file, its variable, and what it is for."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ...judge import VARIABLE as JUDGE


class Setting(Struct, frozen=True):
    """A setting. `kind` is the type of its value in the file, `example` how `init` writes it there."""

    section: str
    key: str
    variable: str
    kind: type
    example: str
    about: str

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    def exported(self, value: Any) -> str:
        """The value as its variable holds it."""
        if isinstance(value, bool):
            return "1" if value else "0"
        return ";".join(map(str, value)) if isinstance(value, list) else str(value)


SETTINGS = (
    Setting("judge", "name", JUDGE, str, '"local"', "Who judges, one of `halluscope judges`."),
    Setting(
        "judge",
        "base_url",
        "HALLUSCOPE_BASE_URL",
        str,
        '"http://localhost:8000/v1"',
        "The address of an OpenAI-compatible server for that judge.",
    ),
    Setting("judge", "timeout", "HALLUSCOPE_TIMEOUT", float, "120.0", "Seconds for one call."),
    Setting("judge", "deadline", "HALLUSCOPE_DEADLINE", float, "300.0", "Seconds for one question, all tries in all."),
    Setting("judge", "retries", "HALLUSCOPE_RETRIES", int, "12", "How often a failed call is made again."),
    Setting("judge", "repairs", "HALLUSCOPE_REPAIRS", int, "2", "How often an unusable reply is asked for again."),
    Setting(
        "metrics",
        "use",
        "HALLUSCOPE_METRICS",
        list,
        '["hallucination"]',
        "Which metrics `check` and `eval` use, of `halluscope metrics`.",
    ),
    Setting(
        "metrics",
        "threshold",
        "HALLUSCOPE_THRESHOLD",
        float,
        "0.1",
        "Where a score passes; without it every claim has to hold.",
    ),
    Setting(
        "metrics",
        "strict",
        "HALLUSCOPE_STRICT",
        bool,
        "true",
        "true: every claim has to hold. false: the threshold alone decides.",
    ),
    Setting("metrics", "profile", "HALLUSCOPE_PROFILE", str, '"support"', "A profile of `halluscope calibrate`."),
    Setting("run", "gates", "HALLUSCOPE_GATES", list, '["hallucination <= 0.1"]', "What a run of `eval` has to meet."),
    Setting("run", "concurrency", "HALLUSCOPE_CONCURRENCY", int, "32", "Judge calls at once in `eval`."),
    Setting("run", "max_cost", "HALLUSCOPE_MAX_COST", float, "5.0", "Dollars at which `eval` stops."),
    Setting("run", "cache", "HALLUSCOPE_CACHE", bool, "true", "Whether kept replies are used; false asks again."),
    Setting(
        "run",
        "home",
        "HALLUSCOPE_HOME",
        str,
        '".halluscope"',
        "Where everything is kept, seen from the file.",
    ),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}
