"""The environments that the tools are tested in: those that can be installed together share one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".make" / "hosts"

EVALUATION = "evaluation"
RAGAS = "ragas"
GUARDRAILS = "guardrails"
ORIGINALS = "originals"
MODELS = "models"
SINKS = "sinks"
PACKAGES = {
    EVALUATION: (
        "mlflow",
        "deepeval",
        "pydantic-evals",
        "inspect-ai",
        "langchain-core",
        "langgraph",
        "llama-index-core",
        "haystack-ai",
        "dspy",
    ),
    RAGAS: ("ragas", "langchain-community<0.4"),  # Ragas 0.4.3 imports a module that later versions do not have
    GUARDRAILS: ("litellm[proxy]", "nemoguardrails", "guardrails-ai"),
    ORIGINALS: (
        "opik",
        "deepeval>=4",
        "arize-phoenix-evals",
        "pandas",
    ),  # the tools that halluscope.compat has façades of
    MODELS: ("torch", "transformers", "sentencepiece", "lettucedetect"),
    SINKS: (
        "langfuse",
        "opik",
        "arize-phoenix>=20.26",
        "opentelemetry-sdk",
        "opentelemetry-proto",
    ),  # earlier ones fail on 3.11
}
HOMES = {
    "MLflow": EVALUATION,
    "DeepEval": EVALUATION,
    "Ragas": RAGAS,
    "pydantic-evals": EVALUATION,
    "Inspect": EVALUATION,
    "LangChain and LangGraph": EVALUATION,
    "LlamaIndex": EVALUATION,
    "Haystack": EVALUATION,
    "DSPy": EVALUATION,
    "LiteLLM proxy": GUARDRAILS,
    "NeMo Guardrails": GUARDRAILS,
    "Guardrails AI": GUARDRAILS,
}
"""The section of docs/integrations.md about a tool, and the environment it runs in."""
NO_NETWORK = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DO_NOT_TRACK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "OPIK_ANALYTICS_ENABLE": "false",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "OPIK_SENTRY_ENABLE": "false",
    "PHOENIX_TELEMETRY_ENABLED": "false",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "RAGAS_DO_NOT_TRACK": "true",
}
"""What keeps the tools from looking for servers that a test machine cannot reach."""


def python_of(environment: str) -> Path:
    """Install the newest versions of an environment's tools, and this package; return its Python."""
    home = FOLDER / environment
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    if not python.exists():
        subprocess.run([*uv, "venv", str(home)], check=True)
    tools = ("pytest", "pytest-asyncio", *PACKAGES[environment])
    subprocess.run([*uv, "pip", "install", "--python", str(python), *tools, "--editable", str(ROOT)], check=True)
    return python


def variables(python: Path, home: Path) -> dict[str, str]:
    """Prepare a home folder for a process of an environment; return the variables for it."""
    (home / ".guardrailsrc").write_text("enable_metrics=false\n", encoding="utf-8")
    bundled = next(python.parents[1].rglob("litellm/litellm_core_utils/tokenizers"), None)
    tokenizers = {"TIKTOKEN_CACHE_DIR": str(bundled)} if bundled else {}
    return {**NO_NETWORK, **tokenizers, "HOME": str(home), "HALLUSCOPE_HOME": str(home), "PYTHONUTF8": "1"}


def promptfoo() -> Path:
    """Install the newest promptfoo; return its command."""
    home = FOLDER / "promptfoo"
    command = home / "node_modules" / ".bin" / "promptfoo"
    if not command.exists():
        home.mkdir(parents=True, exist_ok=True)
        npm = shutil.which("npm")
        assert npm, "promptfoo needs npm: install Node.js"
        words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(home), "promptfoo"]
        subprocess.run([npm, *words], check=True, capture_output=True)
    return command
