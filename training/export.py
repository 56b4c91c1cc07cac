"""From a trained student to the ONNX file that ships.

The graph reads one pair at a time, unpadded, so nothing else can change its result. The last layer is computed
for the claim alone, which changes no output. Matrices are 8-bit with a scale a column, activations are scaled
on the fly from the pair itself; word vectors are 8-bit with a scale a row.
"""

from __future__ import annotations

import argparse
import shutil
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.net import MINILM, Layer, PairNet, grow


class _Linear(nn.Module):  # type: ignore[misc,unused-ignore]
    """x @ W with W stored transposed, the form that the quantiser knows."""

    def __init__(self, *parts: nn.Linear) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.cat([part.weight for part in parts]).t().contiguous())
        self.bias = nn.Parameter(torch.cat([part.bias for part in parts]))

    def forward(self, value: Tensor) -> Tensor:
        return torch.matmul(value, self.weight) + self.bias


class _Layer(nn.Module):  # type: ignore[misc,unused-ignore]
    def __init__(self, layer: Layer, last: bool) -> None:
        super().__init__()
        self.heads, self.last = layer.heads, last
        self.size = layer.out.out_features
        self.query = _Linear(layer.query) if last else None
        self.mixed = _Linear(layer.key, layer.value) if last else _Linear(layer.query, layer.key, layer.value)
        self.out, self.up, self.down = _Linear(layer.out), _Linear(layer.up), _Linear(layer.down)
        self.attended, self.done = layer.attended, layer.done

    def forward(self, states: Tensor, asking: Tensor) -> Tensor:
        def split(part: Tensor) -> Tensor:
            return part.reshape(1, -1, self.heads, self.size // self.heads).transpose(1, 2)

        parts = self.mixed(states).split(self.size, -1)
        query = self.query(asking) if self.query is not None else parts[0]
        key, value = split(parts[-2]), split(parts[-1])
        scores = torch.matmul(split(query) * (self.size // self.heads) ** -0.5, key.transpose(2, 3))
        mixed = torch.matmul(torch.softmax(scores, -1), value).transpose(1, 2).reshape(1, -1, self.size)
        asking = self.attended(asking + self.out(mixed))
        result: Tensor = self.done(asking + self.down(functional.gelu(self.up(asking))))
        return result


class Exported(nn.Module):  # type: ignore[misc,unused-ignore]
    """The student for one unpadded pair. `keep` are the places of the first token and of the claim's tokens."""

    words: Tensor
    scales: Tensor

    def __init__(self, net: PairNet) -> None:
        super().__init__()
        scale = net.words.weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
        self.register_buffer("words", (net.words.weight.detach() / scale).round().to(torch.int8))
        self.register_buffer("scales", scale)
        self.places, self.kinds, self.ready = net.places, net.kinds, net.ready
        self.layers = nn.ModuleList(
            _Layer(layer, place == len(net.layers) - 1) for place, layer in enumerate(net.layers)
        )
        self.verdict, self.marks = net.verdict, net.marks

    def forward(self, ids: Tensor, kinds: Tensor, keep: Tensor) -> tuple[Tensor, Tensor]:
        place = torch.arange(ids.shape[1])
        words = self.words[ids].float() * self.scales[ids]
        states = self.ready(words + self.places(place) + self.kinds(kinds))
        for layer in self.layers:
            states = layer(states, states[:, keep] if layer.last else states)
        claim = states[:, 1:]
        joined = torch.cat([states[:, 0], claim.mean(1), claim.amax(1)], -1)
        return self.verdict(joined)[0], self.marks(claim)[0, :, 0]


def load_student(path: Path) -> PairNet:
    """A student as it came from training."""
    net = PairNet(MINILM)
    net.load_state_dict(grow(torch.load(path, map_location="cpu", weights_only=True)))
    net.eval()
    return net


def export(student: Path, out: Path, quantise: bool = True) -> None:
    """Write the ONNX file."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = Exported(load_student(student)).eval()
    ids, kinds, keep = (
        torch.randint(999, 20000, (1, 40)),
        torch.zeros(1, 40, dtype=torch.long),
        torch.tensor([0, *range(30, 39)]),
    )
    plain = out.with_suffix(".plain.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (ids, kinds, keep),
            str(plain),
            input_names=["ids", "kinds", "keep"],
            output_names=["classes", "marks"],
            dynamic_axes={"ids": {1: "n"}, "kinds": {1: "n"}, "keep": {0: "m"}, "marks": {0: "c"}},
            opset_version=17,
            dynamo=False,
        )
    if quantise:
        quantize_dynamic(
            str(plain), str(out), op_types_to_quantize=["MatMul"], weight_type=QuantType.QInt8, per_channel=True
        )
        plain.unlink()
    else:
        shutil.move(plain, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("student", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--plain", action="store_true", help="without quantisation, to measure what it costs")
    options = parser.parse_args()
    export(options.student, options.out, not options.plain)
    print(options.out.stat().st_size)


if __name__ == "__main__":
    main()
