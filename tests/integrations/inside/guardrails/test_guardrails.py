from __future__ import annotations

import asyncio
from typing import Any

import pytest
from guardrails import Guard
from guardrails.errors import ValidationError
from litellm import ModelResponse
from litellm.exceptions import GuardrailRaisedException
from nemoguardrails import LLMRails, RailsConfig

from halluscope import InputError
from halluscope.integrations.guardrails_ai import Groundedness
from halluscope.integrations.litellm_proxy import GroundednessGuardrail
from halluscope.integrations.nemo_guardrails import CORRECTING_FLOW, FLOW, register

PASSAGE = "The tower was built in 1889 and is 300 metres high."
RIGHT, WRONG, REFUSAL = "It is 300 metres high.", "The tower is 200 metres high.", "I cannot answer that."
MESSAGES = [{"role": "system", "content": PASSAGE}, {"role": "user", "content": "How high is the tower?"}]


def through(text: str, **options: Any) -> str:
    guardrail = GroundednessGuardrail(guardrail_name="groundedness", event_hook="post_call", default_on=True, **options)
    response = ModelResponse(choices=[{"message": {"role": "assistant", "content": text}}])
    passed = asyncio.run(guardrail.async_post_call_success_hook({"messages": MESSAGES}, None, response))
    return str(passed.choices[0].message.content)


def test_the_proxy_blocks_marks_or_passes() -> None:
    assert through(RIGHT) == RIGHT
    with pytest.raises(GuardrailRaisedException, match="300 metres"):
        through(WRONG)
    assert through(WRONG, on_fail="mark").startswith(f"{WRONG}\n\n[not grounded in the context: ")
    assert through(REFUSAL) == REFUSAL
    with pytest.raises(GuardrailRaisedException, match="refusal"):
        through(REFUSAL, block_unscored=True)
    assert through(WRONG, on_fail="repair") == "The tower is 300 metres high."
    assert through(RIGHT, on_fail="repair") == RIGHT
    assert through(REFUSAL, on_fail="mark", block_unscored=True).startswith(f"{REFUSAL}\n\n[not checked: no score")
    with pytest.raises(InputError, match="'block', 'mark' or 'repair'"):
        through(RIGHT, on_fail="shout")


def test_rails_pass_what_is_grounded_and_what_has_no_context() -> None:
    settings = "models: []\nrails:\n  output:\n    flows:\n      - halluscope groundedness\n"
    rails = LLMRails(RailsConfig.from_content(colang_content=FLOW, yaml_content=settings))
    register(rails)

    def said(text: str, chunks: list[str]) -> str:
        talk = [
            {"role": "context", "content": {"relevant_chunks_sep": chunks}},
            {"role": "user", "content": "How high is the tower?"},
            {"role": "assistant", "content": text},
        ]
        return str(rails.generate(messages=talk, options={"rails": ["output"]}).response[0]["content"])

    assert said(RIGHT, [PASSAGE]) == RIGHT
    assert said(WRONG, [PASSAGE]) != WRONG
    assert said(WRONG, []) == WRONG


@pytest.mark.parametrize(
    ("on_fail", "shown"),
    [("repair", "The tower is 300 metres high."), ("mark", f"{WRONG}\n\n[not grounded in the context: ")],
)
def test_rails_mark_or_repair_an_answer(on_fail: Any, shown: str) -> None:
    settings = "models: []\nrails:\n  output:\n    flows:\n      - halluscope corrected answer\n"
    rails = LLMRails(RailsConfig.from_content(colang_content=CORRECTING_FLOW, yaml_content=settings))
    register(rails, on_fail=on_fail)
    talk = [
        {"role": "context", "content": {"relevant_chunks_sep": [PASSAGE]}},
        {"role": "user", "content": "How high is the tower?"},
        {"role": "assistant", "content": WRONG},
    ]
    said = str(rails.generate(messages=talk, options={"rails": ["output"]}).response[0]["content"])
    assert said.startswith(shown)


def test_the_validator_repairs_a_text() -> None:
    outcome = Guard().use(Groundedness(on_fail="fix")).validate(WRONG, metadata={"context": [PASSAGE]})
    assert outcome.validated_output == "The tower is 300 metres high."


def test_the_validator_names_the_spans_that_fail() -> None:
    text = f"The tower was built in 1889. {WRONG}"
    outcome = Guard().use(Groundedness(on_fail="noop")).validate(text, metadata={"context": [PASSAGE]})
    (span,) = outcome.validation_summaries[0].error_spans
    assert text[span.start : span.end] == WRONG
    with pytest.raises(ValidationError):
        Guard().use(Groundedness(on_fail="exception")).validate(WRONG, metadata={"context": [PASSAGE]})
