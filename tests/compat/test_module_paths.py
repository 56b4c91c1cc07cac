"""A search and replace of the package's name is enough: the tools' module paths are there."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

PATHS = {
    "opik": {
        "evaluation": "evaluate",
        "evaluation.metrics": "Hallucination",
        "evaluation.metrics.base_metric": "BaseMetric",
        "evaluation.metrics.score_result": "ScoreResult",
        "evaluation.models": "LiteLLMChatModel",
        "evaluation.models.base_model": "OpikBaseModel",
        "exceptions": "OpikException",
        "models": "OpikBaseModel",
    },
    "deepeval": {
        "dataset": "Golden",
        "dataset.golden": "Golden",
        "errors": "MissingTestCaseParamsError",
        "evaluate": "AsyncConfig",
        "evaluate.configs": "AsyncConfig",
        "metrics": "HallucinationMetric",
        "metrics.hallucination": "HallucinationMetric",
        "metrics.faithfulness": "FaithfulnessMetric",
        "models": "DeepEvalBaseLLM",
        "models.base_model": "DeepEvalBaseLLM",
        "test_case": "LLMTestCase",
    },
    "phoenix": {
        "evals": "create_evaluator",
        "evals.evaluators": "ClassificationEvaluator",
        "evals.llm": "LLM",
        "evals.metrics": "HallucinationEvaluator",
        "evals.templating": "PromptTemplate",
        "evals.utils": "to_annotation_dataframe",
        "evaluators": "Score",
        "llm": "LLM",
        "metrics": "FaithfulnessEvaluator",
    },
    "mastra": {
        "agent": "Agent",
        "core.agent": "Agent",
        "core.evals": "run_evals",
        "evals": "create_scorer",
        "evals.scorers.prebuilt": "create_hallucination_scorer",
        "evals.scorers.utils": "extract_tool_calls",
        "scorers": "extract_tool_results",
        "scorers.llm": "create_hallucination_scorer",
        "scorers.prebuilt": "create_faithfulness_scorer",
        "scorers.utils": "extract_tool_calls",
    },
}


@pytest.mark.parametrize(("tool", "path"), [(tool, path) for tool, paths in PATHS.items() for path in paths])
def test_names_are_where_the_tools_have_them(tool: str, path: str) -> None:
    facade = import_module(f"halluscope.compat.{tool}")
    name = PATHS[tool][path]
    assert getattr(import_module(f"halluscope.compat.{tool}.{path}"), name) is getattr(facade, name)


def test_paths_do_not_hide_functions_and_work_first() -> None:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "from halluscope.compat.deepeval.evaluate import AsyncConfig\n"
            "from halluscope.compat.deepeval import evaluate\n"
            "import halluscope.compat.opik.evaluation.metrics as metrics\n"
            "from halluscope.compat.opik.evaluation.metrics import base_metric, score_result\n"
            "print(callable(evaluate), metrics.Hallucination is base_metric.Hallucination)",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stdout == "True True\n", told.stderr
