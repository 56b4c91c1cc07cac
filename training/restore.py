"""The network that ships, as a state to go on learning from.

    python -m training.restore OUT.pt [--weights FOLDER]

The graph has its matrices in 8 bits and its word vectors in 6; what was rounded away is learnt anew. It has seen the
documents of every fold, so networks that go on from it are measured on documents that it has never seen.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor

from training.net import HEADS, POSITIONS, SIZE, bucket_of, shrink

WEIGHTS = Path(__file__).parent.parent / "src/halluscope/_internal/judges/embedded/network/weights"


def restored(folder: Path) -> dict[str, Tensor]:
    """The state of the network in a folder of weights."""
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load(folder / "model.onnx").graph
    found = {tensor.name: torch.from_numpy(to_array(tensor).copy()) for tensor in graph.initializer}

    def matrix(name: str) -> Tensor:
        """A matrix as it was before it was quantised, the larger side of its channels put back."""
        weight = found[f"{name}_quantized"].float() * found[f"{name}_scale"].float()
        quieter = found.get(name.replace(".weight", ".quieter"))
        return (weight if quieter is None else weight * quieter[:, None]).t().contiguous()

    kept = ("places.weight", "ready.weight", "ready.bias", "told.weight")
    state = {name: found[name] for name in kept if name in found}
    state["words.weight"] = found["words"].float() * found["scales"]
    far = torch.arange(POSITIONS - 1, -POSITIONS, -1)
    buckets = bucket_of(far)
    state["bias.weight"] = torch.zeros(32, HEADS)
    state["bias.weight"][buckets] = found["table"].t()
    layers = 1 + max(int(name.split(".")[1]) for name in found if name.startswith("layers."))
    tail = 0
    for number in range(layers):
        at = f"layers.{number}"
        asks = f"{at}.query.bias" in found
        tail += asks
        parts = ("key", "value") if asks else ("query", "key", "value")
        for part, name in (*((part, "mixed") for part in parts), *([("query", "query")] if asks else [])):
            cut = slice(parts.index(part) * SIZE, (parts.index(part) + 1) * SIZE) if name == "mixed" else slice(None)
            state[f"{at}.{part}.weight"] = matrix(f"{at}.{name}.weight")[cut]
            state[f"{at}.{part}.bias"] = found[f"{at}.{name}.bias"][cut]
        for name in ("out", "up", "down"):
            state[f"{at}.{name}.weight"], state[f"{at}.{name}.bias"] = (
                matrix(f"{at}.{name}.weight"),
                found[f"{at}.{name}.bias"],
            )
        for name in ("attended", "done"):
            for end in ("weight", "bias"):
                state[f"{at}.{name}.{end}"] = found[f"{at}.{name}.{end}"]
    state["ending"] = torch.tensor([float(tail)])
    for name in ("joined", "verdict", "kind"):
        state[f"{name}.weight"], state[f"{name}.bias"] = matrix(f"{name}.weight"), found[f"{name}.bias"]
    (marks,) = (name for name in found if name.endswith("_quantized") and found[name].shape == (SIZE, 1))
    state["marks.weight"], state["marks.bias"] = matrix(marks.removesuffix("_quantized")), found["marks.bias"]
    if "evidence.bias" in found:
        state["evidence.bias"] = found["evidence.bias"]
        for name in ("query", "key"):
            state[f"evidence.{name}.weight"], state[f"evidence.{name}.bias"] = (
                matrix(f"{name}.weight"),
                found[f"{name}.bias"],
            )
    return state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    options = parser.parse_args()
    state = restored(options.weights)
    torch.save(shrink(state), options.out)
    print(len(state), "tensors,", options.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
