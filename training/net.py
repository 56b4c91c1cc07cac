"""The network: MPNet over a lead, a piece of an answer and evidence, with four heads.

One head predicts supported, contradicted or unsupported for each claim, from the claim's own tokens. One predicts the
kind of error. One predicts, for each token of the answer, whether it is wrong. The evidence head predicts, for each
claim and each token of the evidence, whether that token decides the claim.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file  # type: ignore[import-not-found,unused-ignore]
from torch import Tensor, nn
from torch.nn import functional

SIZE, HEADS, UP, VOCABULARY, POSITIONS, FIRST_POSITION = 768, 12, 3072, 30527, 514, 2
BEGIN, PAD, SEPARATOR = 0, 1, 2
CLASSES, HIDDEN = 3, 512
EVIDENCE = 128
"""The size of the vectors with which a claim asks for evidence and a token answers."""
SELDOM = -2.0
"""The first bias of the evidence head: most tokens decide nothing."""
TOLD = 48
"""How many different things a token may be told of itself (`told_of`)."""


class Layer(nn.Module):  # type: ignore[misc,unused-ignore]
    """One layer of attention, normalised after each part."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(SIZE, SIZE) for _ in range(4))
        self.attended, self.done = nn.LayerNorm(SIZE, eps=1e-5), nn.LayerNorm(SIZE, eps=1e-5)
        self.up, self.down = nn.Linear(SIZE, UP), nn.Linear(UP, SIZE)

    def forward(self, states: Tensor, bias: Tensor, drop: float) -> Tensor:
        """`bias` is added to the scores of each pair of places."""
        batch, length, _ = states.shape

        def split(part: Tensor) -> Tensor:
            return part.view(batch, length, HEADS, SIZE // HEADS).transpose(1, 2)

        query, key, value = split(self.query(states)), split(self.key(states)), split(self.value(states))
        mixed = functional.scaled_dot_product_attention(query, key, value, bias)
        mixed = self.out(mixed.transpose(1, 2).reshape(batch, length, SIZE))
        states = self.attended(states + functional.dropout(mixed, drop, self.training))
        grown = self.down(functional.gelu(self.up(states)))
        result: Tensor = self.done(states + functional.dropout(grown, drop, self.training))
        return result


class ReadingNet(nn.Module):  # type: ignore[misc,unused-ignore]
    """The network in the form it is trained in: padded batches.

    In the last `tail` layers only the first token and the answer's go on; the others stay as they are, to be looked at,
    which saves most of the work of these layers.
    """

    ending: Tensor

    def __init__(
        self, layers: int, kinds: int, drop: float = 0.05, told: bool = True, tail: int = 3, evidence: bool = True
    ) -> None:
        super().__init__()
        self.drop, self.tail = drop, tail
        self.register_buffer("ending", torch.tensor([float(tail)]))
        self.told = nn.Embedding(TOLD, SIZE) if told else None
        """What a token is told of itself (`told_of`), nothing to begin with."""
        if self.told is not None:
            nn.init.zeros_(self.told.weight)
        self.words = nn.Embedding(VOCABULARY, SIZE)
        self.places = nn.Embedding(POSITIONS, SIZE)
        self.ready = nn.LayerNorm(SIZE, eps=1e-5)
        self.bias = nn.Embedding(32, HEADS)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.joined = nn.Linear(3 * SIZE, HIDDEN)
        self.verdict, self.kind, self.marks = nn.Linear(HIDDEN, CLASSES), nn.Linear(HIDDEN, kinds), nn.Linear(SIZE, 1)
        self.evidence = EvidenceHead() if evidence else None
        """Missing in networks that were trained before there was one."""
        for head in (self.joined, self.verdict, self.kind, self.marks):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def encode(self, ids: Tensor, seen: Tensor) -> Tensor:
        """The states of all tokens; `seen` masks padding."""
        place = torch.arange(ids.shape[1], device=ids.device)
        words = self.words(ids) if self.told is None else self.words(ids) + self.told(told_of(ids))
        states = self.ready(words + self.places(place + FIRST_POSITION))
        states = functional.dropout(states, self.drop, self.training)
        bias = self._bias(seen, torch.bfloat16 if torch.is_autocast_enabled(ids.device.type) else states.dtype)
        for layer in self.layers[: len(self.layers) - self.tail]:
            states = layer(states, bias, self.drop)
        asking = asking_of(ids)[..., None]
        for layer in self.layers[len(self.layers) - self.tail :]:
            states = torch.where(asking, layer(states, bias, self.drop).to(states.dtype), states)
        return states

    def _bias(self, seen: Tensor, dtype: torch.dtype) -> Tensor:
        hidden = torch.zeros(seen.shape, device=seen.device, dtype=dtype).masked_fill(~seen, -1e4)
        place = torch.arange(seen.shape[1], device=seen.device)
        near = self.bias(bucket_of(place[:, None] - place[None, :])).detach().permute(2, 0, 1)
        whole: Tensor = hidden[:, None, None] + near.to(dtype)[None]
        return whole

    def forward(
        self, ids: Tensor, seen: Tensor, rows: Tensor, starts: Tensor, sizes: Tensor, width: int
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Logits of classes and kinds for each claim (its row, first place and size, at most `width`), of each token
        being wrong, and of each token deciding each claim. The last has no columns in a network without that head."""
        states = self.encode(ids, seen)
        inside = torch.arange(width, device=ids.device)[None] < sizes[:, None]
        place = (starts[:, None] + torch.arange(width, device=ids.device)[None]).clamp(max=ids.shape[1] - 1)
        claim = states[rows[:, None], place]
        mean = (claim * inside[..., None]).sum(1) / sizes[:, None]
        top = claim.masked_fill(~inside[..., None], -1e4).amax(1)
        joined = functional.gelu(self.joined(torch.cat([states[rows, 0], mean, top], -1)))
        decides = joined.new_zeros(len(rows), 0) if self.evidence is None else self.evidence(joined, states, rows)
        return self.verdict(joined), self.kind(joined), self.marks(states)[..., 0], decides


class EvidenceHead(nn.Module):  # type: ignore[misc,unused-ignore]
    """Whether a token decides a claim: the product of a vector of the claim and one of the token.

    The states of the evidence have read the claim already; several claims of one reading tell them apart here.
    """

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(HIDDEN, EVIDENCE), nn.Linear(SIZE, EVIDENCE)
        self.bias = nn.Parameter(torch.tensor([SELDOM]))
        for part in (self.query, self.key):
            nn.init.normal_(part.weight, std=0.02)
            nn.init.zeros_(part.bias)

    def forward(self, claims: Tensor, states: Tensor, rows: Tensor) -> Tensor:
        """Logits for each claim, which is in the reading `rows` says, and each token of that reading."""
        found: Tensor = torch.einsum("cd,cnd->cn", self.query(claims), self.key(states)[rows])
        return found * EVIDENCE**-0.5 + self.bias


def asking_of(ids: Tensor) -> Tensor:
    """Which tokens are the first or of the answer: those that the heads look at."""
    first = torch.arange(ids.shape[1], device=ids.device) == 0
    return first | ((_part(ids) == 1) & (ids != SEPARATOR))


def _part(ids: Tensor) -> Tensor:
    """How many separators stand before or at each token: none in the lead, one in the answer, more in the evidence."""
    return (ids == SEPARATOR).long().cumsum(1)


def told_of(ids: Tensor) -> Tensor:
    """For each token one of `TOLD` numbers: its part (lead, answer, evidence), and where else the token occurs.

    Of the answer's tokens: in the evidence, there after the same token, there before the same token, and in the lead;
    of the evidence's the same with the answer in its place. A number of several tokens is known by its neighbours.
    """
    part = _part(ids).clamp(max=2)
    lead, answer, evidence = (part == 0, part == 1, part == 2)
    same = ids[:, :, None] == ids[:, None, :]
    across = (answer[:, :, None] & evidence[:, None]) | (evidence[:, :, None] & answer[:, None])
    there = same & across
    before, after = functional.pad(same[:, :-1, :-1], (1, 0, 1, 0)), functional.pad(same[:, 1:, 1:], (0, 1, 0, 1))
    found = [there.any(2), (there & before).any(2), (there & after).any(2), (same & lead[:, None]).any(2) & ~lead]
    return part * 16 + sum(bit.long() * 2**place for place, bit in enumerate(found))


def bucket_of(far: Tensor) -> Tensor:
    """MPNet's relative positions in 32 buckets: exact near by, logarithmic far away."""
    bucket = (far < 0).long() * 16
    far = far.abs()
    scaled = 8 + (torch.log(far.clamp(min=1).float() / 8) / math.log(128 / 8) * 8).long()
    return bucket + torch.where(far < 8, far, scaled.clamp(max=15))


def published(path: Path) -> dict[str, Tensor]:
    """The encoder of all-mpnet-base-v2 under our names."""
    found = load_file(str(path))
    state = {
        "words.weight": found["embeddings.word_embeddings.weight"],
        "places.weight": found["embeddings.position_embeddings.weight"],
        "bias.weight": found["encoder.relative_attention_bias.weight"],
    }
    parts = {
        "query": "attention.attn.q",
        "key": "attention.attn.k",
        "value": "attention.attn.v",
        "out": "attention.attn.o",
        "attended": "attention.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "done": "output.LayerNorm",
    }
    for end in ("weight", "bias"):
        state[f"ready.{end}"] = found[f"embeddings.LayerNorm.{end}"]
        for layer in range(12):
            for ours, theirs in parts.items():
                state[f"layers.{layer}.{ours}.{end}"] = found[f"encoder.layer.{layer}.{theirs}.{end}"]
    return state


def built_as(state: dict[str, Tensor]) -> dict[str, Any]:
    """How the network of this state was built, beside its layers."""
    return {
        "told": "told.weight" in state,
        "tail": int(state.get("ending", torch.ones(1))),
        "evidence": "evidence.bias" in state,
    }


def with_layers(state: dict[str, Tensor], keep: Sequence[int]) -> dict[str, Tensor]:
    """A state with only some of its layers, renumbered."""
    kept = {name: value for name, value in state.items() if not name.startswith("layers.")}
    for new, old in enumerate(keep):
        for name, value in state.items():
            if name.startswith(f"layers.{old}."):
                kept[f"layers.{new}." + name.split(".", 2)[2]] = value
    return kept


def shrink(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as 8-bit numbers with a scale a row, for transport; a quarter of the size, nearly no loss."""
    small: dict[str, Tensor] = {}
    for name, value in state.items():
        if value.ndim == 2 and value.shape[0] > 32:
            scale = value.float().abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            small[name + "|8"] = (value.float() / scale).round().to(torch.int8)
            small[name + "|s"] = scale
        else:
            small[name] = value.float()
    return small


def mean_of(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of networks that learnt from one beginning, weight by weight."""
    return {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}


def grow(small: dict[str, Tensor]) -> dict[str, Tensor]:
    """The inverse of `shrink`."""
    state = {name: value.float() for name, value in small.items() if "|" not in name}
    for name, value in small.items():
        if name.endswith("|8"):
            state[name[:-2]] = value.float() * small[name[:-2] + "|s"].float()
    return state
