"""Every example of the documents runs twice: against a scripted judge, and over HTTP against a server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from halluscope._internal.judges.scripted import ScriptedJudge

from ..helpers.loopback import Loopback
from .world import World


@pytest.fixture(params=["scripted", "http"])
def world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """OpenAI and Anthropic, answering as `world.script` says."""
    made = World()
    if request.param == "scripted":

        def judge(prefix: str) -> Any:
            return lambda model, **_: ScriptedJudge(made.answer_question, name=f"{prefix}/{model}")

        monkeypatch.setattr("halluscope._internal.judges.chat.openai.openai_judge", judge("openai"))
        monkeypatch.setattr("halluscope._internal.judges.chat.anthropic.anthropic_judge", judge("anthropic"))
        yield made
        return
    with Loopback(made.answer_request) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "a key for loopback")
        made.server = server
        yield made
