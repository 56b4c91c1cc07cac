"""From the data folder to the files in the package, in one command.

    python -m training.train DATA_FOLDER --student-start MINILM --teacher-start MPNET --work FOLDER

`--student-start` and `--teacher-start` are the folders of all-MiniLM-L6-v2 and all-mpnet-base-v2 as published (their
hashes are checked). A GPU is used if there is one. Every step writes into the work folder and is skipped if
its result is there, so an interrupted run can be continued.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from training.export import export
from training.net import MINILM, MPNET, load_published
from training.rows import FOLDS
from training.ship import ship

HASHES = {
    "minilm": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "mpnet": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
}
ROOT = Path(__file__).parent.parent
WEIGHTS = ROOT / "src" / "halluscope" / "_internal" / "embedded" / "network" / "weights"


def step(result: Path, module: str, *arguments: object) -> None:
    """Run a module of this folder unless its result is there."""
    if not result.exists():
        print(f"== {module} -> {result.name}", flush=True)
        subprocess.run([sys.executable, "-m", module, *map(str, arguments)], check=True, cwd=ROOT)


def start(name: str, folder: Path, work: Path) -> Path:
    """A published backbone as the first state of a network, if it is the one we know."""
    weights = folder / "model.safetensors"
    if hashlib.sha256(weights.read_bytes()).hexdigest() != HASHES[name]:
        raise SystemExit(f"{weights} is not the file this training was measured with")
    path = work / f"{name}.pt"
    if not path.exists():
        torch.manual_seed(0)
        torch.save(load_published(MINILM if name == "minilm" else MPNET, weights).state_dict(), path)
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--student-start", type=Path, required=True)
    parser.add_argument("--teacher-start", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="where the result goes")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=int, help="cases a set, for a rehearsal")
    options = parser.parse_args(arguments)
    work = options.work
    work.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer, vocabulary = options.student_start / "tokenizer.json", options.student_start / "vocab.txt"
    limit = ["--limit", options.limit] if options.limit else []
    step(
        work / "rows.npz",
        "training.pack",
        options.data,
        tokenizer,
        work / "rows.npz",
        "--workers",
        options.workers,
        *limit,
    )
    common = ["--rows", work / "rows.npz", "--vocabulary", vocabulary, "--work", work, "--device", device]
    step(
        work / f"views_{FOLDS - 1}.npz",
        "training.teach",
        "teacher",
        *common,
        "--start",
        start("mpnet", options.teacher_start, work),
        "--epochs",
        2,
        "--rate",
        5e-5,
        "--budget",
        32768,
        "--fold-epochs",
        1,
        "--fold-rate",
        5e-5,
    )
    step(
        work / "student_full.pt",
        "training.teach",
        "student",
        *common,
        "--start",
        start("minilm", options.student_start, work),
        "--epochs",
        4,
        "--rate",
        5e-4,
        "--budget",
        65536,
        "--fold-epochs",
        3,
        "--fold-rate",
        3e-4,
        "--taught",
        0.5,
    )
    names = ["full", *map(str, range(FOLDS))]
    for name in names:
        if not (work / name / "model.json").exists():
            export(work / f"student_{name}.pt", work / f"{name}.onnx")
            ship(work / f"{name}.onnx", tokenizer, work / name, {})
    folds = [work / name for name in names[1:]]
    step(
        work / "measured.jsonl.gz",
        "training.measure",
        options.data,
        work / "measured.jsonl.gz",
        "--model",
        work / "full",
        "--folds",
        *folds,
        "--workers",
        options.workers,
        *(["--count", options.limit] if options.limit else []),
    )
    step(
        work / "fusion.json",
        "training.fuse",
        work / "measured.jsonl.gz",
        work / "fusion.json",
        ROOT / "training" / "crossed.jsonl.gz",
    )
    ship(work / "full.onnx", tokenizer, options.weights, json.loads((work / "fusion.json").read_text(encoding="utf-8")))
    print(f"The model is in {options.weights}; figures: python -m training.evaluate {options.data}")


if __name__ == "__main__":
    main()
