"""Put a model where the package finds it: graph, weights in parts, tokenizer, and a JSON file with their hashes.

The weights are stored beside the graph as ONNX external data, which onnxruntime maps into memory, and in parts that
every git host accepts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from training.pack import tokenizer_at

PART = 45_000_000
"""The most bytes in one part of the weights."""
_SMALL = 4096
"""A tensor with fewer bytes stays in the graph."""
_PAGE = 65536
"""Where a tensor may begin in a part, so that every system can map it into memory."""


def ship(model: Path, tokenizer: Path, folder: Path, more: dict[str, Any]) -> None:
    """Write the files and record their hashes beside what was fitted."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = split(model, folder)
    tokenizer_at(tokenizer).save(str(folder / "tokenizer.json"), pretty=False)
    files = {
        name: hashlib.blake2b((folder / name).read_bytes()).hexdigest()
        for name in ("model.onnx", *parts, "tokenizer.json")
    }
    weights = hashlib.blake2b("".join(files[name] for name in parts).encode()).hexdigest()
    recorded = {"name": f"pair-{weights[:8]}", "files": files, **more}
    (folder / "model.json").write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


def split(model: Path, folder: Path) -> list[str]:
    """Write the graph as `model.onnx` and its weights as `weights-1.bin` and so on; returns the names of the parts."""
    import onnx
    from onnx.external_data_helper import set_external_data

    for old in folder.glob("weights-*.bin"):
        old.unlink()
    graph = onnx.load(model)
    parts = [bytearray()]
    for tensor in graph.graph.initializer:
        data = tensor.raw_data
        if len(data) < _SMALL:
            continue
        start = -(-len(parts[-1]) // _PAGE) * _PAGE if len(data) >= _PAGE else len(parts[-1])
        if start + len(data) > PART:
            parts.append(bytearray())
            start = 0
        parts[-1] += bytes(start - len(parts[-1])) + data
        set_external_data(tensor, f"weights-{len(parts)}.bin", offset=start, length=len(data))
        tensor.ClearField("raw_data")
    name_for_each_use(graph)
    names = [f"weights-{number}.bin" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        (folder / name).write_bytes(part)
    (folder / "model.onnx").write_bytes(graph.SerializeToString())
    return names


def write_overflow_graph(path: Path) -> None:
    """Write the graph that shows whether a processor overflows: activations times the largest weights."""
    import numpy as np
    from onnx import TensorProto, checker, helper, numpy_helper

    weights = numpy_helper.from_array(np.full((64, 64), 127, np.int8), "weights")
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["activations", "weights"], ["product"])],
        "overflow",
        [helper.make_tensor_value_info("activations", TensorProto.UINT8, ["rows", 64])],
        [helper.make_tensor_value_info("product", TensorProto.INT32, ["rows", 64])],
        [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def name_for_each_use(model: Any) -> None:
    """Give a matrix that several nodes use another name for each of them. The data in the parts stays shared.

    Where a processor overflows with signed weights, onnxruntime makes them unsigned, node by node, and fails when the
    same name comes up again.
    """
    from onnx import TensorProto

    held = {tensor.name: tensor for tensor in model.graph.initializer}
    seen: set[str] = set()
    for number, node in enumerate(model.graph.node):
        if node.op_type != "MatMulInteger":
            continue
        for place, name in enumerate(node.input):
            if name in held and name in seen:
                again = TensorProto()
                again.CopyFrom(held[name])
                again.name = node.input[place] = f"{name}_{number}"
                model.graph.initializer.append(again)
            seen.add(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fusion", type=Path, help="coefficients, as training.fuse writes them")
    options = parser.parse_args()
    more = json.loads(options.fusion.read_text(encoding="utf-8")) if options.fusion else {}
    ship(options.model, options.tokenizer, options.folder, more)
    write_overflow_graph(options.folder.parent / "overflow.onnx")


if __name__ == "__main__":
    main()
