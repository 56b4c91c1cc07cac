"""The network: a BERT-shaped encoder over question, evidence and claim, with two heads.

One head tells supported, contradicted and unsupported for the claim, the other the probability of each claim
token to be unsupported. The student starts from all-MiniLM-L6-v2, the teacher from all-mpnet-base-v2; both
share this code, since MPNet differs only in a relative position bias and in where its positions begin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file  # type: ignore[import-not-found,unused-ignore]
from torch import Tensor, nn
from torch.nn import functional

from halluscope._internal.embedded.network.encoding import KINDS


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of an encoder, and what is particular to its family."""

    hidden: int
    layers: int
    heads: int
    vocabulary: int
    positions: int
    epsilon: float
    relative: bool
    first_position: int
    token_shift: int
    """What to add to a BERT token id to get this model's id of the same token."""
    begin: int
    separator: int


MINILM = Shape(384, 6, 12, 30522, 512, 1e-12, False, 0, 0, 101, 102)
MPNET = Shape(768, 12, 12, 30527, 514, 1e-5, True, 2, 4, 0, 2)


class Layer(nn.Module):  # type: ignore[misc,unused-ignore]
    """One layer of attention, normalised after each part as BERT is."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        size = shape.hidden
        self.heads = shape.heads
        self.query, self.key, self.value, self.out = (nn.Linear(size, size) for _ in range(4))
        self.attended = nn.LayerNorm(size, eps=shape.epsilon)
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.done = nn.LayerNorm(size, eps=shape.epsilon)

    def forward(self, states: Tensor, bias: Tensor | None, asking: Tensor, drop: float) -> Tensor:
        """`asking` are the states that are wanted; in the last layer only those of the claim."""
        batch, length, size = states.shape
        wanted = asking.shape[1]

        def split(part: Tensor, count: int) -> Tensor:
            return part.view(batch, count, self.heads, size // self.heads).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            split(self.query(asking), wanted), split(self.key(states), length), split(self.value(states), length), bias
        )
        mixed = self.out(mixed.transpose(1, 2).reshape(batch, wanted, size))
        asking = self.attended(asking + functional.dropout(mixed, drop, self.training))
        grown = self.down(functional.gelu(self.up(asking)))
        return self.done(asking + functional.dropout(grown, drop, self.training))


class PairNet(nn.Module):  # type: ignore[misc,unused-ignore]
    """The network in the form it is trained in: padded batches."""

    def __init__(self, shape: Shape, drop: float = 0.1) -> None:
        super().__init__()
        self.shape, self.drop = shape, drop
        self.words = nn.Embedding(shape.vocabulary, shape.hidden)
        self.places = nn.Embedding(shape.positions, shape.hidden)
        self.kinds = nn.Embedding(KINDS, shape.hidden)
        self.ready = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.bias = nn.Embedding(32, shape.heads) if shape.relative else None
        self.verdict = nn.Linear(3 * shape.hidden, 3)
        self.marks = nn.Linear(shape.hidden, 1)
        for head in (self.verdict, self.marks):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)
        nn.init.normal_(self.kinds.weight, std=0.01)

    def embed(self, ids: Tensor, kinds: Tensor) -> Tensor:
        place = torch.arange(ids.shape[1], device=ids.device) + self.shape.first_position
        states: Tensor = self.ready(self.words(ids) + self.places(place) + self.kinds(kinds))
        return functional.dropout(states, self.drop, self.training)

    def forward(self, ids: Tensor, kinds: Tensor, seen: Tensor, claim: Tensor) -> tuple[Tensor, Tensor]:
        """Class logits and a logit for each token; `seen` masks padding, `claim` the tokens of the claim."""
        states = self.embed(ids, kinds)
        bias = torch.zeros(seen.shape, dtype=states.dtype, device=ids.device).masked_fill(~seen, -1e4)[:, None, None, :]
        if self.bias is not None:
            bias = bias + self.bias(_buckets(ids.shape[1], ids.device)).permute(2, 0, 1)[None]
        bias = bias.to(torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else states.dtype)
        for layer in self.layers:
            states = layer(states, bias, states, self.drop)
        inside = claim[..., None]
        mean = (states * inside).sum(1) / inside.sum(1).clamp(min=1)
        top = states.masked_fill(~inside, -1e4).amax(1)
        return self.verdict(torch.cat([states[:, 0], mean, top], -1)), self.marks(states)[..., 0]


def _buckets(length: int, device: torch.device) -> Tensor:
    """MPNet's relative positions in 32 buckets: exact near by, logarithmic far away."""
    place = torch.arange(length, device=device)
    far = place[:, None] - place[None, :]
    bucket = (far < 0).long() * 16
    far = far.abs()
    scaled = 8 + (torch.log(far.clamp(min=1).float() / 8) / math.log(128 / 8) * 8).long()
    return bucket + torch.where(far < 8, far, scaled.clamp(max=15))


def _names(shape: Shape) -> dict[str, str]:
    """Our parameter names and those of the published files."""
    pairs = {
        "words.weight": "embeddings.word_embeddings.weight",
        "places.weight": "embeddings.position_embeddings.weight",
    }
    for part in ("weight", "bias"):
        pairs[f"ready.{part}"] = f"embeddings.LayerNorm.{part}"
    for number in range(shape.layers):
        ours, theirs = f"layers.{number}.", f"encoder.layer.{number}."
        inner = (
            ["attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm"]
            if shape.relative
            else ["self.query", "self.key", "self.value", "output.dense", "output.LayerNorm"]
        )
        for part in ("weight", "bias"):
            for our, their in zip(["query", "key", "value", "out", "attended"], inner, strict=True):
                pairs[f"{ours}{our}.{part}"] = f"{theirs}attention.{their}.{part}"
            pairs[f"{ours}up.{part}"] = f"{theirs}intermediate.dense.{part}"
            pairs[f"{ours}down.{part}"] = f"{theirs}output.dense.{part}"
            pairs[f"{ours}done.{part}"] = f"{theirs}output.LayerNorm.{part}"
    if shape.relative:
        pairs["bias.weight"] = "encoder.relative_attention_bias.weight"
    return pairs


def load_published(shape: Shape, path: Path, drop: float = 0.1) -> PairNet:
    """A network that starts from a published backbone."""
    net = PairNet(shape, drop)
    found = load_file(str(path))
    state = net.state_dict()
    for ours, theirs in _names(shape).items():
        key = theirs if theirs in found else f"mpnet.{theirs}"
        state[ours] = found[key].float()
    if "embeddings.token_type_embeddings.weight" in found:
        sides = found["embeddings.token_type_embeddings.weight"].float()
        state["kinds.weight"] += sides[[0, 1, 0, 1, 1, 0, 1]]
    net.load_state_dict(state)
    return net


def shrink(state: dict[str, Tensor], only: str = "") -> dict[str, Tensor]:
    """Matrices as 8-bit numbers with a scale a row, for transport; a quarter of the size, nearly no loss."""
    small: dict[str, Tensor] = {}
    for name, value in state.items():
        if value.ndim == 2 and value.shape[0] > 8 and name.startswith(only):
            scale = value.float().abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            small[name + "|8"] = (value.float() / scale).round().to(torch.int8)
            small[name + "|s"] = scale.half() if float(scale.min()) > 1e-4 else scale
        else:
            small[name] = value.half()
    return small


def grow(small: dict[str, Tensor]) -> dict[str, Tensor]:
    """The inverse of `shrink`."""
    state = {name: value.float() for name, value in small.items() if "|" not in name}
    for name, value in small.items():
        if name.endswith("|8"):
            state[name[:-2]] = value.float() * small[name[:-2] + "|s"].float()
    return state
