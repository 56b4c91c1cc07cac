"""What the integrations do without the tools that they are for, and the hook that needs none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import halluscope.integrations

PASSAGE = "Oslo: -4 degrees Celsius, snow."
MODULES = sorted(
    path.stem
    for path in Path(halluscope.integrations.__file__).parent.glob("[a-z]*.py")
    if path.stem not in ("claude_code",)
)


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize("module", MODULES)
def test_a_missing_tool_is_one_sentence_with_the_package(module: str) -> None:
    hidden = (
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if not name.startswith(('halluscope', 'pydantic')) and name.split('.')[0] in sys.argv[2:]:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hide())\n"
        "import importlib\n"
        "try:\n"
        "    importlib.import_module('halluscope.integrations.' + sys.argv[1])\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    hosts = "mlflow deepeval ragas pydantic_evals inspect_ai langchain_core llama_index haystack dspy litellm".split()
    done = subprocess.run(
        [sys.executable, "-c", hidden, module, *hosts, "nemoguardrails", "guardrails"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("This integration needs ") and ": pip install " in done.stdout
    assert done.stdout.count("\n") == 1


def hook(tmp_path: Path, answer: str, **event: Any) -> subprocess.CompletedProcess[str]:
    """Run the Stop hook on a transcript that ends with this answer."""
    called = {"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Oslo"}}
    returned = {"type": "tool_result", "tool_use_id": "1", "content": PASSAGE}
    records = [
        {"type": "summary", "summary": "Weather"},
        {"type": "user", "message": {"role": "user", "content": "How cold is it in Oslo?"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [called]}},
        {"type": "user", "message": {"role": "user", "content": [returned]}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}},
    ]
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + '{"type": "ass', encoding="utf-8")
    given = {"hook_event_name": "Stop", "transcript_path": str(path), "stop_hook_active": False, **event}
    return subprocess.run(
        [sys.executable, "-m", "halluscope.integrations.claude_code"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
    )


@pytest.mark.slow("starts processes")
def test_the_stop_hook_sends_a_contradicted_answer_back_once(tmp_path: Path) -> None:
    wrong = hook(tmp_path, "It is 14 degrees Celsius in Oslo.")
    assert wrong.returncode == 0
    decision = json.loads(wrong.stdout)
    assert decision["decision"] == "block" and "-4 degrees" in decision["reason"]
    assert hook(tmp_path, "It is 14 degrees Celsius in Oslo.", stop_hook_active=True).stdout == ""
    assert hook(tmp_path, "It is -4 degrees Celsius in Oslo.").stdout == ""


@pytest.mark.parametrize("path", ["nowhere.jsonl", None])
def test_the_stop_hook_never_stops_the_agent_by_a_fault(tmp_path: Path, path: str | None) -> None:
    done = hook(tmp_path, "It is 14 degrees.", transcript_path=path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("halluscope: the answer was not checked: ") and done.stderr.count("\n") == 1
