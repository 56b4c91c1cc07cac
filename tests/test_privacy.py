"""Nothing leaves the machine, and no file is left outside the folder that is ours, that nobody asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from halluscope._internal.cluster.on_ray import cluster
from halluscope._internal.judges.embedded.network import model

from .helpers.loopback import Loopback
from .helpers.sealed import KILLED, Sealed

linux = pytest.mark.skipif(sys.platform != "linux", reason="the seal is the Linux kernel's")

CHECK = """
assert halluscope.check("The mill is in Bonn.", ["The mill is in Ulm, by the river."]).score == 1.0
"""
WAYS = {
    "a check": f"import halluscope\n{CHECK}",
    "the application imports onnxruntime after halluscope": f"import halluscope, onnxruntime\n{CHECK}",
    "a forked child": f"""
import os, halluscope
child = os.fork()
if child == 0:
    {CHECK.strip()}
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""",
    "a worker process": """
import concurrent.futures, multiprocessing, halluscope
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = pool.submit(halluscope.check, "The mill is in Bonn.", ["The mill is in Ulm, by the river."]).result()
        assert found.score == 1.0
""",
    "a child that does not know halluscope": """
import subprocess, sys, halluscope
subprocess.run([sys.executable, "-c", "import onnxruntime"], check=True)
""",
}


@linux
@pytest.mark.slow("starts processes that load the model")
@pytest.mark.parametrize("way", WAYS)
def test_the_embedded_judge_leaves_nothing_behind(tmp_path: Path, way: str) -> None:
    sealed = Sealed(tmp_path)
    (tmp_path / "script.py").write_text(WAYS[way], encoding="utf-8")
    ended = sealed.run(str(tmp_path / "script.py"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert sealed.files() == []


@linux
@pytest.mark.slow("waits as long as onnxruntime does before it sends")
def test_the_embedded_judge_opens_no_socket(tmp_path: Path) -> None:
    sealed = Sealed(tmp_path)
    ended = sealed.run("-c", f"import halluscope, time\n{CHECK}\ntime.sleep(15)")
    assert (ended.returncode, ended.stderr, sealed.files()) == (0, "", [])


@linux
@pytest.mark.slow("starts processes that load the model")
def test_the_command_line_writes_into_our_folder_only(tmp_path: Path) -> None:
    sealed = Sealed(tmp_path)
    data = tmp_path / "data.jsonl"
    data.write_text('{"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}\n', encoding="utf-8")
    for words in (["eval", str(data), "--run", "a"], ["report", "a", "-o", str(tmp_path / "a.html")], ["judges"]):
        ended = sealed.run("-m", "halluscope", *words)
        assert ended.returncode == 0, ended.stderr
    assert sealed.files() == []
    assert [path.name for path in sealed.ours.iterdir()]


@linux
@pytest.mark.slow("imports every optional dependency")
def test_no_import_opens_a_socket(tmp_path: Path) -> None:
    """Every module of the package, and with it every library that one of them imports.

    Integrations run inside tools of the application: what these fetch on import is their own.
    """
    modules = """
import importlib, pkgutil, halluscope
for module in pkgutil.walk_packages(halluscope.__path__, "halluscope."):
    if not module.name.endswith("__main__") and not module.name.startswith("halluscope.integrations."):
        importlib.import_module(module.name)
from halluscope._internal.judges.chat.litellm import _litellm
from halluscope._internal.cluster.on_ray.cluster import ray_module
_litellm(), ray_module()
import pooch, requests, pyspark.sql, prometheus_client, mcp.server.lowlevel
import langchain_core.callbacks, agents, pydantic_ai
import pandas, pyarrow.parquet, pyarrow.fs, genai_prices, opentelemetry.trace, datasets, tokenizers
"""
    sealed = Sealed(tmp_path)
    ended = sealed.run("-W", "ignore", "-c", modules)
    assert ended.returncode == 0, ended.stderr
    assert sealed.files() == []


LITELLM = """
import sys

def only_loopback(event, details):
    if event == "socket.getaddrinfo" and details[0] not in (None, "127.0.0.1", "localhost"):
        print("looked up", details[0])

sys.addaudithook(only_loopback)
import halluscope
result = halluscope.check(
    "The mill is in Ulm.", ["The mill is in Ulm."], metric="label", judge="litellm/anthropic/claude-sonnet-4-5",
    base_url=sys.argv[1], api_key="sk-none",
)
assert result.outcome.value == "scored", result.failure
"""


@pytest.mark.slow("imports LiteLLM")
def test_litellm_fetches_no_tables(tmp_path: Path) -> None:
    with Loopback() as server:
        ended = Sealed(tmp_path).run("-c", LITELLM, server.base_url.removesuffix("/v1"), sealed=False)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr


@pytest.mark.slow("starts processes")
def test_telemetry_is_turned_off_where_the_application_imported_onnxruntime_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import onnxruntime

    calls: list[str] = []
    monkeypatch.setattr(onnxruntime, "disable_telemetry_events", lambda: calls.append("off"))
    model.Network(model.WEIGHTS, 1)
    assert calls == ["off"]


@pytest.mark.slow("starts processes")
def test_a_ray_cluster_that_we_start_reports_no_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = cluster.ray_module()
    seen: list[str | None] = []
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda **options: seen.append(os.environ.get("RAY_USAGE_STATS_ENABLED")))
    with cluster.connected():
        assert seen == ["0"]


@linux
def test_the_seal_ends_a_process_that_looks_up_a_name(tmp_path: Path) -> None:
    look_up = "import socket; socket.getaddrinfo('example.org', 443)"
    assert Sealed(tmp_path).run("-c", look_up).returncode == KILLED
