"""From the data folder to the files in the package, in one command.

    python -m training.train DATA_FOLDER --start MPNET --work FOLDER

`--start` is the folder of all-mpnet-base-v2 as published (its hash is checked). `DATA_FOLDER/teacher` holds the
teachers' views; where they are not there, `--teacher` names the base that the teachers are made from, as
`training.teacher` has it. A GPU is used if there is one. Every step writes into the work folder and is skipped if its
result is there, so an interrupted run can be continued.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from training.export import export
from training.net import published
from training.ship import ship

HASH = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
ROOT = Path(__file__).parent.parent
WEIGHTS = ROOT / "src" / "halluscope" / "_internal" / "judges" / "embedded" / "network" / "weights"


def step(result: Path, module: str, *arguments: object) -> None:
    """Run a module of this folder unless its result is there."""
    if not result.exists():
        print(f"== {module} -> {result.name}", flush=True)
        subprocess.run([sys.executable, "-m", module, *map(str, arguments)], check=True, cwd=ROOT)


def start(folder: Path, work: Path) -> Path:
    """The published encoder as the first state of the network, if it is the one we know."""
    weights = folder / "model.safetensors"
    if hashlib.sha256(weights.read_bytes()).hexdigest() != HASH:
        raise SystemExit(f"{weights} is not the file this training was measured with")
    path = work / "start.pt"
    if not path.exists():
        torch.save({name: value.half() for name, value in published(weights).items()}, path)
    return path


def teach(options: argparse.Namespace, limit: Sequence[object]) -> tuple[Path, list[object]]:
    """The folder with the teachers' views, and what `training.prepare` is told of the rows they were made for."""
    given, folder = options.data / "teacher", options.work / "teacher"
    if (given / "views.npz").exists():
        return given, []
    if options.teacher is None:
        raise SystemExit(f"{given} has no views of a teacher; name the base to make one from with --teacher.")
    module, base, out = "training.teacher", ("--base", options.teacher), ("--out", folder)
    seconds = ["--seconds", options.teacher_seconds] if options.teacher_seconds is not None else []
    step(folder / "rows.jsonl.gz", module, "rows", options.data, *out, "--workers", options.workers, *limit)
    step(folder / "second.pt", module, "fit", *base, *out, *seconds)
    step(folder / "led_sentences.jsonl.gz", module, "write", options.data, *base, *out, *seconds, *limit)
    step(folder / "swaps.jsonl.gz", module, "swap", *out)
    step(folder / "views.npz", module, "views", *base, *out)
    return folder, ["--rows", folder / "rows.jsonl.gz"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="where the result goes")
    parser.add_argument("--teacher", type=Path, help="the base of the teachers, where their views are not there")
    parser.add_argument("--teacher-seconds", type=float, help="for each of the teachers' trainings, and for writing")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--first-seconds", type=float, default=330)
    parser.add_argument("--first-rate", type=float, default=8e-5, help="how fast the first stage learns")
    parser.add_argument("--second-seconds", type=float, default=345, help="for each fold")
    parser.add_argument("--further-seconds", type=float, default=502, help="for each fold again, for two networks each")
    parser.add_argument("--smaller", type=int, nargs="*", default=[8, 6], help="fewer layers, to compare with")
    parser.add_argument("--budget", type=int, default=24_576, help="tokens a batch")
    parser.add_argument("--layers", type=int, nargs="*", default=list(range(12)), help="layers of the start to keep")
    parser.add_argument("--limit", type=int, help="cases a set, for a rehearsal")
    options = parser.parse_args(arguments)
    # The steps run in the folder of this repository: a path must mean the same there.
    for name in ("data", "start", "work", "weights", "teacher"):
        path = getattr(options, name)
        setattr(options, name, path and path.resolve())
    work = options.work
    work.mkdir(parents=True, exist_ok=True)
    tokenizer = options.start / "tokenizer.json"
    limit = ["--limit", options.limit] if options.limit else []
    teacher, rows = teach(options, limit)
    packed, begun, networks = work / "packed", work / "begun", work / "networks"
    step(
        packed / "exam.npz",
        "training.prepare",
        options.data,
        tokenizer,
        packed,
        *("--workers", options.workers),
        *("--teacher", teacher),
        *rows,
        *limit,
    )
    learn: list[object] = [
        *("--packed", packed),
        *("--start", start(options.start, work)),
        *("--budget", options.budget),
        *("--keep", *options.layers),
        *(("--least", 0) if options.limit else ()),  # a rehearsal learns next to nothing
    ]
    step(
        begun / "done",
        "training.device",
        *learn,
        *("--out", begun),
        *("--first-seconds", options.first_seconds, "--first-rate", options.first_rate),
        *("--seconds", options.second_seconds),
    )
    step(
        networks / "done",
        "training.device",
        *learn,
        *("--begin", begun, "--out", networks),
        *("--first-seconds", 0),
        *("--seconds", options.further_seconds, "--together", 2),
        *("--smaller", *options.smaller),
    )
    graph = work / "full.onnx"
    if not graph.exists():
        export(networks / "full.pt", graph, packed / "exam.npz")
    measured, fitted, crossed = work / "measured.jsonl.gz", work / "fitted.json", work / "crossed.jsonl.gz"
    step(
        measured,
        "training.measure",
        *(options.data, tokenizer, packed / "exam.npz", networks, measured),
        *("--workers", options.workers, *limit),
    )
    step(fitted, "training.fuse", measured, fitted, crossed)
    if options.weights == WEIGHTS:  # the figures of a rehearsal are not those of what ships
        shutil.copyfile(crossed, ROOT / "training" / crossed.name)
    ship(graph, tokenizer, options.weights, json.loads(fitted.read_text(encoding="utf-8")))
    print(f"The model is in {options.weights}; figures: python -m training.evaluate {options.data}")


if __name__ == "__main__":
    main()
