"""From a trained network to the ONNX file that ships.

The graph takes one reading at a time, unpadded, so nothing else can change its result. The tail (the last layer, or a
few) is computed only for the first token and the answer's, as it was learnt. Matrices are 8-bit with a scale a column,
activations are scaled on the fly from the reading itself; word vectors are 8-bit with a scale a row.
"""

from __future__ import annotations

import argparse
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from halluscope._internal.judges.embedded.network.model import KINDS
from training.net import (
    EVIDENCE,
    FIRST_POSITION,
    HEADS,
    POSITIONS,
    SIZE,
    Layer,
    ReadingNet,
    asking_of,
    bucket_of,
    built_as,
    grow,
    told_of,
)

LEVELS = 31
"""Steps of a word vector either way: six bits, which pack well."""
_FOLD = 256
SMOOTH = 0.6
"""How much of the range of a loud channel is moved from the activations, which share one scale, into the weights."""


class _Linear(nn.Module):  # type: ignore[misc,unused-ignore]
    """x @ W with W stored transposed, the form that the quantiser knows.

    A few channels are a hundred times as loud as the rest, and with one scale for all the rest would be lost. Where the
    loudness of each channel is known, a channel is divided by a number of its own and its weights are multiplied by it;
    and so that one loud token does not drown the others, each is divided by its largest value, and multiplied again.
    """

    def __init__(self, *parts: nn.Linear, loudness: Tensor | None = None) -> None:
        super().__init__()
        weight = torch.cat([part.weight for part in parts]).detach().t().contiguous()
        self.quieter = None
        if loudness is not None:
            by = loudness.clamp(min=1e-3) ** SMOOTH / weight.abs().amax(1).clamp(min=1e-3) ** (1 - SMOOTH)
            by = by / by.median()
            self.quieter = nn.Parameter(1 / by)
            weight = weight * by[:, None]
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(torch.cat([part.bias for part in parts]))

    def forward(self, value: Tensor) -> Tensor:
        if self.quieter is None:
            return torch.matmul(value, self.weight) + self.bias
        value = value * self.quieter
        most = _peak(value)
        return torch.matmul(value / most, self.weight) * most + self.bias


def _peak(value: Tensor) -> Tensor:
    """The largest size in each row. Over a folded row it takes a fifth of the time that it takes over a whole one."""
    folded = value.reshape(1, -1, value.shape[-1] // _FOLD, _FOLD)
    return torch.maximum(folded.amax(-2), -folded.amin(-2)).amax(-1, keepdim=True).clamp(min=1e-6)


Loudness = dict[tuple[int, str], Tensor]


@torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
def loudness_of(net: ReadingNet, packed: Path, count: int) -> Loudness:
    """The largest size of each channel before the matrices that have loud ones, over a few readings."""
    from training.learn import Packed

    found: Loudness = {}

    def watch(layer: int, name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        def seen(_: nn.Module, given: tuple[Tensor, ...]) -> None:
            most = given[0].abs().flatten(0, 1).amax(0)
            found[layer, name] = torch.maximum(found.get((layer, name), most), most)

        return seen

    hooks = [
        getattr(layer, name).register_forward_pre_hook(watch(number, name))
        for number, layer in enumerate(net.layers)
        for name in ("up", "down")
    ]
    readings = Packed(packed, "cpu")
    rows = np.random.default_rng(0).permutation(np.flatnonzero(readings.usable))[:count]
    for row in rows:
        batch = readings.batch(np.array([row]))
        net.encode(batch.ids[:, : readings.length[row]], batch.seen[:, : readings.length[row]])
    for hook in hooks:
        hook.remove()
    return found


class _Layer(nn.Module):  # type: ignore[misc,unused-ignore]
    """One layer. In the tail its queries are a matrix of their own: fewer tokens ask than are looked at."""

    def __init__(self, layer: Layer, tail: bool, loud: dict[str, Tensor]) -> None:
        super().__init__()
        self.query = _Linear(layer.query) if tail else None
        self.mixed = _Linear(layer.key, layer.value) if tail else _Linear(layer.query, layer.key, layer.value)
        self.out = _Linear(layer.out)
        self.up = _Linear(layer.up, loudness=loud.get("up"))
        self.down = _Linear(layer.down, loudness=loud.get("down"))
        self.attended, self.done = layer.attended, layer.done

    def forward(self, asking: Tensor, mixed: Tensor, bias: Tensor) -> Tensor:
        """The next states of the tokens that ask; `mixed` is what this layer makes of those that are looked at."""

        def split(part: Tensor) -> Tensor:
            return part.reshape(1, -1, HEADS, SIZE // HEADS).transpose(1, 2)

        parts = mixed.split(SIZE, -1)
        query = self.query(asking) if self.query is not None else parts[0]
        key, value = split(parts[-2]), split(parts[-1])
        scores = torch.matmul(split(query) * (SIZE // HEADS) ** -0.5, key.transpose(2, 3)) + bias
        seen = torch.matmul(torch.softmax(scores, -1), value).transpose(1, 2).reshape(1, -1, SIZE)
        asking = self.attended(asking + self.out(seen))
        result: Tensor = self.done(asking + self.down(functional.gelu(self.up(asking))))
        return result


class Exported(nn.Module):  # type: ignore[misc,unused-ignore]
    """The network for one unpadded reading.

    `keep` are the places of the first token and of the answer's tokens; `members` has a row for each claim, which is
    one over the claim's size at its tokens and nothing elsewhere.
    """

    words: Tensor
    scales: Tensor
    table: Tensor

    def __init__(self, net: ReadingNet, loudness: Loudness) -> None:
        super().__init__()
        scale = net.words.weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-8) / LEVELS
        self.register_buffer("words", (net.words.weight.detach() / scale).round().to(torch.int8))
        self.register_buffer("scales", scale)
        # The bias depends on the distance alone: one number a distance and head, those far behind first.
        far = torch.arange(POSITIONS - 1, -POSITIONS, -1)
        self.register_buffer("table", net.bias.weight.detach()[bucket_of(far)].t().contiguous())
        self.places, self.ready, self.told = net.places, net.ready, net.told
        self.front = len(net.layers) - net.tail
        self.layers = nn.ModuleList(
            _Layer(
                layer,
                place >= self.front,
                {name: value for (number, name), value in loudness.items() if number == place},
            )
            for place, layer in enumerate(net.layers)
        )
        self.joined, self.verdict, self.kind, self.marks = _Linear(net.joined), net.verdict, net.kind, net.marks
        self.evidence = net.evidence
        self.query = _Linear(net.evidence.query) if net.evidence is not None else None
        self.key = _Linear(net.evidence.key) if net.evidence is not None else None

    def _bias(self, length: int) -> Tensor:
        """The bias of each pair of places, without a look-up for each of them.

        One line of distances is written as often as there are places, and read in lines that are one shorter: so each
        begins one distance further on than the line before.
        """
        distances = 2 * length - 1
        line = self.table[:, POSITIONS - length : POSITIONS + length - 1]
        lines = line[:, None].expand(HEADS, length, distances).reshape(HEADS, length * distances)
        shorter = lines[:, length - 1 : length - 1 + length * (distances - 1)]
        return shorter.reshape(HEADS, length, distances - 1)[:, :, :length][None]

    def _tail(self, states: Tensor, keep: Tensor, bias: Tensor, asking: Tensor) -> Tensor:
        """The states of the kept tokens at the end."""
        first, *rest = self.layers[self.front :]
        near = bias[:, :, keep]
        kept = first(states[:, keep], first.mixed(states), near)
        # The kept tokens have other states now than those among all, which are not looked at any more.
        both = torch.cat([near + asking.float()[:, None, None] * -1e4, near[..., keep]], -1)
        for layer in rest:
            kept = layer(kept, torch.cat([layer.mixed(states), layer.mixed(kept)], 1), both)
        return kept

    def _decides(self, joined: Tensor, states: Tensor) -> tuple[Tensor, ...]:
        """For each claim and each token of the reading the logit of deciding it, where the network has that head."""
        if self.evidence is None or self.query is None or self.key is None:
            return ()
        found = torch.matmul(self.query(joined), self.key(states)[0].t())
        return (found * EVIDENCE**-0.5 + self.evidence.bias,)

    def forward(self, ids: Tensor, keep: Tensor, members: Tensor) -> tuple[Tensor, ...]:
        place = torch.arange(ids.shape[1])
        words = self.words[ids].float() * self.scales[ids]
        if self.told is not None:
            words = words + self.told(told_of(ids))
        states = self.ready(words + self.places(place + FIRST_POSITION))
        bias = self._bias(ids.shape[1])
        for layer in self.layers[: self.front]:
            states = layer(states, layer.mixed(states), bias)
        read = states
        states = self._tail(states, keep, bias, asking_of(ids))
        answer = states[:, 1:]
        mean = torch.matmul(members, answer[0])
        outside = (members == 0).float()[..., None] * -1e4
        top = (answer + outside).amax(1)
        first = states[:, 0].expand(members.shape[0], -1)
        joined = functional.gelu(self.joined(torch.cat([first, mean, top], -1)))
        return self.verdict(joined), self.kind(joined), self.marks(answer)[0, :, 0], *self._decides(joined, read)


def load_network(path: Path) -> ReadingNet:
    """A network as it came from training."""
    state = grow(torch.load(path, map_location="cpu", weights_only=True))
    layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    net = ReadingNet(layers, len(KINDS), **built_as(state))
    net.load_state_dict(state, strict="ending" in state)
    net.eval()
    return net


def export(network: Path, out: Path, packed: Path, quantise: bool = True, count: int = 16) -> None:
    """Write the ONNX file."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    net = load_network(network)
    model = Exported(net, loudness_of(net, packed, count)).eval()
    members = torch.zeros(2, 9)
    members[0, :4], members[1, 4:] = 1 / 4, 1 / 5
    ids, keep = torch.randint(999, 20000, (1, 40)), torch.tensor([0, *range(10, 19)])
    plain = out.with_suffix(".plain.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (ids, keep, members),
            str(plain),
            input_names=["ids", "keep", "members"],
            output_names=["classes", "kinds", "marks", *(["evidence"] if net.evidence is not None else [])],
            dynamic_axes={
                "ids": {1: "n"},
                "keep": {0: "m"},
                "members": {0: "c", 1: "t"},
                "classes": {0: "c"},
                "kinds": {0: "c"},
                "marks": {0: "t"},
                **({"evidence": {0: "c", 1: "n"}} if net.evidence is not None else {}),
            },
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
    parser.add_argument("network", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("packed", type=Path, help="packed readings, for the loudness of the channels")
    parser.add_argument("--plain", action="store_true", help="without quantisation, to measure what it costs")
    options = parser.parse_args()
    export(options.network, options.out, options.packed, not options.plain)
    print(options.out.stat().st_size)


if __name__ == "__main__":
    main()
