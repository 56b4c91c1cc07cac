"""Put a model where the package finds it: the ONNX file, the tokenizer, and a JSON file with their hashes."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from training.pack import tokenizer_at


def ship(onnx: Path, tokenizer: Path, folder: Path, more: dict[str, Any]) -> None:
    """Copy the files and record their hashes beside what was fitted."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(onnx, folder / "model.onnx")
    tokenizer_at(tokenizer).save(str(folder / "tokenizer.json"), pretty=False)
    files = {
        name: hashlib.blake2b((folder / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
    }
    recorded = {"name": f"pair-{files['model.onnx'][:8]}", "files": files, **more}
    (folder / "model.json").write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnx", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fusion", type=Path, help="coefficients, as training.fuse writes them")
    options = parser.parse_args()
    more = json.loads(options.fusion.read_text(encoding="utf-8")) if options.fusion else {}
    ship(options.onnx, options.tokenizer, options.folder, more)


if __name__ == "__main__":
    main()
