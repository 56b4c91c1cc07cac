"""Which judge another tool's name for a model means."""

from __future__ import annotations

import pytest

from halluscope._internal.core.errors import InputError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat._models import judge_name, judge_of


@pytest.mark.parametrize(
    ("model", "provider", "name"),
    [
        ("openai/gpt-4o", None, "openai/gpt-4o"),
        ("gpt-4o", None, "openai/gpt-4o"),
        ("gpt-4o-mini", None, "openai/gpt-4o-mini"),
        ("chatgpt-4o-latest", None, "openai/chatgpt-4o-latest"),
        ("o1", None, "openai/o1"),
        ("claude-3-haiku-20240307", None, "anthropic/claude-3-haiku-20240307"),
        ("anthropic/claude-3-haiku-20240307", None, "anthropic/claude-3-haiku-20240307"),
        ("local", None, "local"),
        (" local ", None, "local"),
        ("litellm/ollama/llama3", None, "litellm/ollama/llama3"),
        ("ollama/llama3", None, "litellm/ollama/llama3"),
        ("gemini/gemini-2.0-flash", None, "litellm/gemini/gemini-2.0-flash"),
        ("openrouter/openai/gpt-4o", None, "litellm/openrouter/openai/gpt-4o"),
        ("gptx", None, "litellm/gptx"),
        ("olmo-2", None, "litellm/olmo-2"),
        ("cascade(local, openai/gpt-4o)", None, "cascade(local, openai/gpt-4o)"),
        ("gpt-4o", "openai", "openai/gpt-4o"),
        ("gpt-4o", ":OpenAI", "openai/gpt-4o"),
        ("meta/llama-3", "openai", "openai/meta/llama-3"),
        ("gemini-2.0-flash", "gemini", "litellm/gemini/gemini-2.0-flash"),
        ("gemini/gemini-2.0-flash", "gemini", "litellm/gemini/gemini-2.0-flash"),
    ],
)
def test_names(model: str, provider: str | None, name: str) -> None:
    assert judge_name(model, provider) == name


@pytest.mark.parametrize("model", ["", "  "])
def test_an_empty_name_is_an_error_not_the_default(model: str) -> None:
    with pytest.raises(InputError, match="empty"):
        judge_of(model)


def test_objects_and_functions_are_judges() -> None:
    judge = ScriptedJudge({})
    assert judge_of(judge) is judge

    def mine(prompt: str) -> str:
        return prompt

    assert judge_of(mine).name == "mine"
    with pytest.raises(InputError, match="int is not a judge"):
        judge_of(7)


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, "local"),
        ({"OPENAI_API_KEY": "k"}, "openai/gpt-4o"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, "openai/gpt-4o"),
        ({"ANTHROPIC_API_KEY": "k"}, "local"),
        ({"HALLUSCOPE_JUDGE": "openai/mine", "OPENAI_API_KEY": "k"}, "openai/mine"),
        ({"HALLUSCOPE_JUDGE": "local", "OPENAI_API_KEY": "k"}, "local"),
    ],
)
def test_without_a_name(environment: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert judge_of(None, documented="openai/gpt-4o").name == name


def test_a_combination_is_a_model_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert judge_of("cascade(local, openai/gpt-4o)").asks
