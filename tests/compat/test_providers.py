"""Every provider name that migrants' code has becomes one that works; a missing key is said at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from halluscope._internal.core.errors import InputError
from halluscope.compat import deepeval, mastra, opik, phoenix
from halluscope.compat._models import judge_name

from ..helpers.loopback import Loopback

ROOT = Path(__file__).parents[2]

DIRECT = {"openai": "openai", "anthropic": "anthropic"}
BY_LITELLM = {
    # Phoenix
    "azure": "azure",
    "google": "gemini",
    "vertex": "vertex_ai",
    "bedrock": "bedrock",
    # Mastra
    "google-vertex": "vertex_ai",
    "amazon-bedrock": "bedrock",
    "azure-openai": "azure",
    "mistral": "mistral",
    "groq": "groq",
    "deepseek": "deepseek",
    "xai": "xai",
    "openrouter": "openrouter",
    "togetherai": "together_ai",
    "fireworks-ai": "fireworks_ai",
    "cerebras": "cerebras",
    "perplexity": "perplexity",
    "cohere": "cohere",
    "deepinfra": "deepinfra",
    "alibaba": "dashscope",
    "moonshotai": "moonshot",
    "nvidia": "nvidia_nim",
    "huggingface": "huggingface",
    "github-models": "github",
    "lmstudio": "lm_studio",
    "vercel": "vercel_ai_gateway",
    "zai": "zai",
    "minimax": "minimax",
    "nebius": "nebius",
    # Opik, which names them as LiteLLM does
    "gemini": "gemini",
    "vertex_ai": "vertex_ai",
    "azure_ai": "azure_ai",
    "together_ai": "together_ai",
    "fireworks_ai": "fireworks_ai",
    "ollama": "ollama",
    "ollama_chat": "ollama_chat",
    "hosted_vllm": "hosted_vllm",
    "vllm": "hosted_vllm",
    # DeepEval
    "azure_openai": "azure",
    "grok": "xai",
    "kimi": "moonshot",
    "vertexai": "vertex_ai",
    "together": "together_ai",
    "fireworks": "fireworks_ai",
}

PROGRAM = """
import asyncio, json, os, sys
from halluscope._internal.engine.judge import resolve
from halluscope._internal.core.errors import HalluscopeError
from tests.helpers.scoring import Scorer
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm

names, judges = json.loads(sys.stdin.read())
known = [litellm.get_llm_provider(name)[1] for name in names]
said = []
for judge in judges:
    calls, ask = [], litellm.acompletion
    async def counted(*args, **named):
        calls.append(1)
        return await ask(*args, **named)
    litellm.acompletion = counted
    try:
        result = asyncio.run(Scorer("label", judge).ascore(output="The mill.", context=["The mill."]))
        said.append([result.reason, len(calls)])
    except HalluscopeError as error:
        said.append([str(error), len(calls)])
    finally:
        litellm.acompletion = ask
print(json.dumps([known, said]))
"""


def told(names: list[str], judges: list[str]) -> Any:
    """What LiteLLM says of models and of judges, asked in a process of its own without any key."""
    environment = {
        name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN", "_CREDENTIALS"))
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=environment,
        input=json.dumps([names, judges]),
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("provider", DIRECT)
def test_openai_and_anthropic_are_asked_directly(provider: str) -> None:
    assert judge_name("m", provider) == judge_name(f"{provider}/m") == f"{DIRECT[provider]}/m"


@pytest.mark.parametrize("provider", BY_LITELLM)
def test_a_provider_becomes_one_of_litellms(provider: str) -> None:
    assert judge_name("m", provider) == f"litellm/{BY_LITELLM[provider]}/m"
    if "_openai" not in provider:
        assert judge_name(f"{provider}/m") == f"litellm/{BY_LITELLM[provider]}/m"


@pytest.mark.slow("loads LiteLLM in a process of its own")
def test_litellm_knows_every_provider_and_a_missing_key_is_said_at_once() -> None:
    names = [judge_name("m", provider).removeprefix("litellm/") for provider in BY_LITELLM]
    keys = {
        "litellm/gemini/gemini-2.0-flash": "set GEMINI_API_KEY or GOOGLE_API_KEY",
        "litellm/mistral/mistral-large-latest": "set MISTRAL_API_KEY",
        "litellm/groq/llama": "set GROQ_API_KEY",
        "litellm/openrouter/openai/gpt-4o": "set OPENROUTER_API_KEY",
        "litellm/gogle/gemini-2.0-flash": "LiteLLM knows no provider for 'gogle/gemini-2.0-flash'",
    }
    asked = {"litellm/azure/my-deployment": "AZURE_OPENAI_API_KEY", "litellm/bedrock/m": ""}
    known, said = told(names, [*keys, *asked])
    assert known == list(BY_LITELLM.values())
    for (judge, words), (sentence, calls) in zip({**keys, **asked}.items(), said, strict=True):
        assert words in sentence, judge
        assert calls == (0 if judge in keys else 1), f"{judge} was asked {calls} times: {sentence}"


def test_request_fields_reach_every_provider(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"input": "How tall?", "output": "330 m.", "context": ["330 m."]}
    fields: dict[str, Any] = {"top_p": 0.5, "frequency_penalty": 0.25, "stop": ["END"]}
    opik.Hallucination("openai/m", base_url=server.base_url, **fields).score(**row)
    llm = phoenix.LLM(model="m", provider="openai", base_url=server.base_url)
    phoenix.HallucinationEvaluator(llm, **fields).evaluate({**row, "context": "330 m."})
    sent = [call.asked.body for call in server.calls]
    assert [{name: body[name] for name in fields} for body in sent] == [fields, fields]
    server.forget()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    opik.Hallucination("anthropic/m", api_key="a key for loopback", **fields).score(**row)
    body = server.calls[0].asked.body
    assert (body["top_p"], body["stop_sequences"]) == (0.5, ["END"])
    assert "frequency_penalty" not in body, "Anthropic has no such field and would refuse the question"


def test_a_field_that_nobody_has_is_still_refused() -> None:
    with pytest.raises(InputError, match="temprature"):
        deepeval.HallucinationMetric(model="openai/m", temprature=0)


def test_a_missing_key_ends_an_evaluation_before_its_first_row(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    row = {"input": "How tall?", "output": "330 m.", "context": ["330 m."]}
    case = deepeval.TestCase(input="How tall?", actual_output="330 m.", context=["330 m."])
    evaluations: list[Any] = [
        lambda: opik.evaluate([row], scoring_metrics=[opik.Hallucination("gpt-4o")]),
        lambda: deepeval.evaluate([case], [deepeval.HallucinationMetric(model="gpt-4o")]),
        lambda: deepeval.evaluate_batch([case], [deepeval.Hallucination], model="gpt-4o"),
        lambda: phoenix.evaluate_dataframe(
            pd.DataFrame([row]), [phoenix.HallucinationEvaluator(phoenix.LLM("gpt-4o"))]
        ),
        lambda: mastra.run_evals(
            data=[row], scorers=[mastra.create_hallucination_scorer("gpt-4o", context=["330 m."])], target=str
        ),
    ]
    for evaluation in evaluations:
        with pytest.raises(InputError, match="needs an API key: set OPENAI_API_KEY"):
            evaluation()
