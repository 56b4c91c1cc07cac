"""Bespoke-MiniCheck, Granite Guardian and Patronus Lynx, each in the format that its model card documents."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pytest

import halluscope
from halluscope import InputError, Outcome, RetryPolicy, Support
from halluscope._internal.core.errors import ReplyError
from halluscope._internal.judges.specialised.formats import FORMATS
from halluscope.judges import ChatJudge, ollama_judge, resolve

from .serving_models import Models

PASSAGES = ["The tower was built in 1889 and is 300 metres high.", "It stands in Paris."]
OUTPUT = "The tower is 300 metres high. It is 200 metres wide."
QUESTION = "How large is the tower?"
QUICK = RetryPolicy(deadline=20.0, timeout=10.0, first_wait=0.01)

MODELS = [
    "ollama/bespoke-minicheck",
    "vllm/bespokelabs/Bespoke-MiniCheck-7B",
    "ollama/granite3-guardian:8b",
    "ollama/ibm/granite3.3-guardian:8b",
    "ollama/granite4.1-guardian",
    "vllm/ibm-granite/granite-guardian-3.2-5b",
    "vllm/ibm-granite/granite-guardian-3.3-8b",
    "vllm/ibm-granite/granite-guardian-4.1-8b",
    "vllm/PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct",
]


@pytest.fixture
def server() -> Iterator[Models]:
    with Models() as models:
        yield models


@pytest.mark.parametrize("name", MODELS)
def test_each_claim_is_supported_or_not_with_a_probability(name: str, server: Models) -> None:
    judge = resolve(name, base_url=server.url)
    result = halluscope.check(OUTPUT, PASSAGES, QUESTION, metric="faithfulness", judge=judge)
    assert [verdict.support for verdict in result.verdicts] == [Support.SUPPORTED, Support.UNSUPPORTED]
    assert [round(verdict.confidence or 0, 6) for verdict in result.verdicts] == [0.9, 0.9]
    assert (result.score, result.judge, result.usage.calls) == (0.5, name, 2)
    assert result.usage.cost == 0.0


@pytest.mark.parametrize("name", MODELS)
def test_an_answer_as_a_whole(name: str, server: Models) -> None:
    judge = resolve(name, base_url=server.url)
    result = halluscope.check("It is 200 metres high.", PASSAGES, QUESTION, metric="label", judge=judge)
    assert (result.label, round(result.probability or 0, 6)) == ("hallucinated", 0.9)


def test_minicheck_on_ollama_has_its_system_prompt_in_the_model_file_and_elsewhere_in_the_request(
    server: Models,
) -> None:
    for name, roles in (("ollama/bespoke-minicheck", ["user"]), ("vllm/Bespoke-MiniCheck-7B", ["system", "user"])):
        halluscope.check("It is 300 metres high.", PASSAGES, metric="label", judge=name, base_url=server.url)
        asked = server.asked.pop()
        assert [message.role for message in asked.messages] == roles
        assert asked.messages[-1].content == f"Document: {PASSAGES[0]}\n\n{PASSAGES[1]}\nClaim: It is 300 metres high."
        assert (asked.temperature, asked.max_tokens) == (0.0, 5)


def test_granite_guardian_takes_documents_as_each_version_wants_them(server: Models) -> None:
    def asked(name: str) -> tuple[list[str], int]:
        halluscope.check("It is 300 metres high.", PASSAGES, QUESTION, metric="label", judge=name, base_url=server.url)
        call = server.asked.pop()
        return [message.role for message in call.messages], len(call.documents or ())

    assert asked("ollama/granite3-guardian") == (["system", "context", "assistant"], 0)
    assert asked("ollama/granite4.1-guardian")[0] == ["system", "document 1", "document 2", "user", "assistant"]
    assert asked("vllm/granite-guardian-3.2-5b") == (["context", "assistant"], 0)
    assert asked("vllm/granite-guardian-3.3-8b") == (["user", "assistant"], 2)
    assert asked("vllm/granite-guardian-4.1-8b") == (["user", "assistant", "user"], 2)


def test_lynx_gives_its_reasoning_and_a_text_cannot_fill_a_slot_of_its_prompt(server: Models) -> None:
    name = "vllm/PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct"
    text = "The {question} is 200 metres high."
    result = halluscope.check(text, PASSAGES, QUESTION, metric="label", judge=name, base_url=server.url)
    assert result.reason is not None and "The height is checked." in result.reason
    assert f"ANSWER:\n{text}\n" in server.asked[0].messages[0].content


def test_without_log_probabilities_there_is_a_verdict_and_no_confidence(server: Models) -> None:
    server.with_logprobs = False
    judge = ollama_judge("bespoke-minicheck", base_url=server.url)
    result = halluscope.check(OUTPUT, PASSAGES, metric="faithfulness", judge=judge)
    assert (result.score, [verdict.confidence for verdict in result.verdicts]) == (0.5, [None, None])


def test_a_server_that_refuses_log_probabilities_is_asked_without_them(server: Models) -> None:
    server.knows_logprobs = False
    judge = ollama_judge("bespoke-minicheck", base_url=server.url)
    assert halluscope.check(OUTPUT, PASSAGES, metric="faithfulness", judge=judge).score == 0.5
    assert not server.asked[0].logprobs


def test_a_model_that_is_still_loading_is_asked_again(server: Models) -> None:
    server.fails = 3
    judge = ollama_judge("bespoke-minicheck", base_url=server.url)
    result = halluscope.check(OUTPUT, PASSAGES, metric="faithfulness", judge=judge, retry_policy=QUICK)
    assert result.score == 0.5


def test_a_cascade_without_a_network(server: Models) -> None:
    name = "cascade(local, ollama/bespoke-minicheck, low=0, high=1)"
    result = halluscope.check(OUTPUT, PASSAGES, metric="faithfulness", judge=name, base_url=server.url)
    assert [verdict.judge for verdict in result.verdicts] == ["ollama/bespoke-minicheck"] * 2
    assert result.score == 0.5


def test_what_such_a_model_cannot_tell_is_said(server: Models) -> None:
    judge = ollama_judge("bespoke-minicheck", base_url=server.url)
    result = halluscope.check(OUTPUT, PASSAGES, metric="contradiction", judge=judge)
    assert result.outcome is Outcome.UNJUDGEABLE or result.failure is not None
    assert "not whether it is contradicted" in str(result.failure.message if result.failure else result.reason)


def test_other_models_on_ollama_are_general_chat_models() -> None:
    judge = resolve("ollama/qwen3")
    assert isinstance(judge, ChatJudge) and judge.name == "ollama/qwen3"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("0.0.0.0:11500", "http://127.0.0.1:11500/v1"),
        ("gpu.test", "http://gpu.test:11434/v1"),
        ("https://gpu.test/ollama/", "https://gpu.test/ollama/v1"),
    ],
)
def test_ollama_is_where_its_variable_says(host: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    judge = resolve("ollama/qwen3")
    assert isinstance(judge, ChatJudge) and judge.model.server == address


@pytest.mark.parametrize("name", ["hhem", "lettucedetect"])
def test_a_model_in_this_process_names_its_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for missing in ("torch", "lettucedetect"):
        monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(
        ImportError, match=rf"the judge {name} needs an optional package: pip install 'halluscope\[{name}"
    ):
        resolve(name)


def test_an_option_for_one_that_takes_none_is_an_error() -> None:
    with pytest.raises(InputError, match="does not take the option 'base_url'"):
        resolve("hhem", base_url="http://127.0.0.1")


@pytest.mark.parametrize(
    "model, reply, supported",
    [
        ("minicheck", "Yes", True),
        ("minicheck", " no.\n", False),
        ("minicheck", "I would not say yes", None),
        ("minicheck", "Yes? Hardly", None),
        ("minicheck", "Not yes", None),
        ("granite-guardian", "No\n<confidence> High </confidence>", True),
        ("granite-guardian", "<think>x</think>\n<score> yes </score>", False),
        ("granite-guardian", "The text says <score>no</score>. <score>yes</score>", None),
        ("granite-guardian", "There is no", None),
        ("lynx", '{"REASONING": ["x"], "SCORE": "FAIL"}', False),
        ("lynx", "It differs.\nSCORE: PASS", True),
        ("lynx", "SCORE: not PASS", None),
        ("lynx", "SCORE: PASS? No.", None),
        ("lynx", "SCORE: PASS would be wrong. SCORE: FAIL", None),
    ],
)
def test_only_a_clear_word_counts(model: str, reply: str, supported: bool | None) -> None:
    format = next(one for one in FORMATS if re.search(one.matches, model))
    if supported is None:
        with pytest.raises(ReplyError):
            format.read(reply)
    else:
        assert format.read(reply).supported is supported
