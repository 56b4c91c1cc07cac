"""Opik's models: of one's own, and LiteLLM's; and what it says of tracking and reasons."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, ReplyError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.opik import Hallucination, LiteLLMChatModel, OpikBaseModel

from ..helpers.loopback import Features, Loopback

FACTUAL = '{"verdict": "factual", "reason": ["It is in the context.", "Nothing else is said."]}'
ROW = {"input": "q", "output": "The tower is tall.", "context": ["The tower is tall."]}


class Mine(OpikBaseModel):
    def __init__(self, reply: str = FACTUAL) -> None:
        super().__init__("mine")
        self.reply = reply
        self.prompts: list[str] = []

    def generate_string(self, input: str, **kwargs: Any) -> str:
        self.prompts.append(input)
        return self.reply


class Awaited(Mine):
    async def agenerate_string(self, input: str, **kwargs: Any) -> str:
        self.prompts.append(f"awaited: {input}")
        return self.reply


class Ducks:
    """Not a subclass: it only has the method."""

    def generate_string(self, input: str, response_format: Any = None) -> str:
        return FACTUAL


async def test_models_of_ones_own_are_asked_through_their_own_method() -> None:
    mine, awaited = Mine(), Awaited()
    result = Hallucination(model=mine).score(**ROW)
    assert (result.value, result.details.judge if result.details else None) == (0.0, "mine")
    assert "The tower is tall." in mine.prompts[0]
    assert (await Hallucination(model=awaited).ascore(**ROW)).value == 0.0
    assert [prompt.startswith("awaited: ") for prompt in awaited.prompts] == [True]
    assert Hallucination(model=Ducks()).score(**ROW).value == 0.0


def test_a_model_of_ones_own_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ReplyError):
        Hallucination(model=Mine("perhaps")).score(**ROW)


def test_litellms_models_by_name(server: Loopback) -> None:
    server.features = Features(key="a key that is long enough")
    model = LiteLLMChatModel(
        model_name="openai/my-model",
        api_base=server.base_url,
        api_key="a key that is long enough",
        temperature=0.5,
        seed=3,
        num_retries=7,
        timeout=30,
    )
    assert Hallucination(model=model).score(**ROW).value == 0.0
    sent = server.calls[0].asked.body
    assert (sent["model"], sent["temperature"], sent["seed"]) == ("my-model", 0.5, 3)
    assert Hallucination(model=model, seed=4).score(**ROW).value == 0.0
    assert server.calls[1].asked.body["seed"] == 4, "what the metric is given counts more"


def test_other_names_go_to_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, dict[str, Any]]] = []

    def litellm(model: str, **options: Any) -> Any:
        made.append((model, options))
        return ScriptedJudge({"label": FACTUAL}, name=f"litellm/{model}")

    monkeypatch.setattr("halluscope._internal.judges.chat.litellm.litellm_judge", litellm)
    model = LiteLLMChatModel("gemini/gemini-2.0-flash", top_p=0.9)
    assert Hallucination(model=model).score(**ROW).value == 0.0
    assert made == [("gemini/gemini-2.0-flash", {"top_p": 0.9})]


async def test_litellms_models_write_too(server: Loopback) -> None:
    server.answer = lambda asked: "a reply"
    model = LiteLLMChatModel("openai/m", api_base=server.base_url)
    assert model.generate_string("a prompt") == "a reply"
    assert await model.agenerate_string("a prompt") == "a reply"
    assert server.calls[0].asked.body["messages"] == [{"role": "user", "content": "a prompt"}]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (FACTUAL, "['It is in the context.', 'Nothing else is said.']"),
        ('{"verdict": "factual", "reason": ["One."]}', "['One.']"),
        ('{"verdict": "factual", "reason": "A sentence."}', "A sentence."),
        ('{"verdict": "factual", "reason": []}', None),
        ('{"verdict": "factual", "reason": ["It\'s so."]}', '["It\'s so."]'),
    ],
)
def test_reasons_are_kept_as_the_models_list_renders_them(reply: str, reason: str | None) -> None:
    assert Hallucination(model=Mine(reply)).score(**ROW).reason == reason


def test_tracking_is_kept_and_a_project_goes_with_it() -> None:
    judge = ScriptedJudge({})
    plain = Hallucination(judge)
    assert (plain.track, plain.project_name) == (True, None)
    named = Hallucination(judge, project_name="towers")
    assert (named.track, named.project_name) == (True, "towers")
    assert Hallucination(judge, track=False).track is False
    with pytest.raises(InputError, match="project_name"):
        Hallucination(judge, track=False, project_name="towers")
    with pytest.raises(InputError, match="temprature"):
        Hallucination(judge, temprature=0)
