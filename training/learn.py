"""Packed readings back as batches, built on the device they are used on, and the loop that learns from them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from halluscope._internal.judges.embedded.network.model import MAX_ALL, MAX_LEAD, MAX_TEXT
from training.net import BEGIN, PAD, SEPARATOR, ReadingNet

UNKNOWN, SOMEHOW_WRONG = 9, 3


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch, padded. Claims have a row, a first place and a size; `marks` is -1 where nothing is known."""

    ids: Tensor
    seen: Tensor
    rows: Tensor
    starts: Tensor
    sizes: Tensor
    labels: Tensor
    kinds: Tensor
    views: Tensor
    marks: Tensor
    bags: Tensor
    decides: Tensor
    """How far each token decides each claim, below 0 where nobody has said; no columns where that goes for all."""
    claims: np.ndarray
    width: int
    """Tokens of the longest claim. This and what follows is told by the host: asking the device would be a wait."""
    told: bool
    """Whether the kind of error is known of some claim."""
    marked: bool
    bagged: bool


class Packed:
    """All readings of a packed file, on a device."""

    def __init__(self, path: Path, device: str) -> None:
        with np.load(path) as file:
            tokens, lengths, keys = file["tokens"], file["lengths"].astype(np.int64), file["keys"].astype(np.int64)
            self.folds, self.sets, self.made = (
                file["folds"].astype(np.int64),
                file["sets"].astype(np.int64),
                file["made"],
            )
            self.names, self.bags = [str(name) for name in file["names"]], file["bags"]
            claims, views, marks = file["claims"].astype(np.int64), file["views"].astype(np.float32), file["marks"]
            self.decides, self.decides_at, self.asked = file["decides"], file["decides_at"], file["asked"]
        starts = np.cumsum(lengths) - lengths
        self.count = np.minimum(lengths[keys], [MAX_LEAD, MAX_TEXT, MAX_ALL])
        self.count[:, 2] = np.minimum(self.count[:, 2], MAX_ALL - 4 - self.count[:, 0] - self.count[:, 1])
        self.length = self.count.sum(1) + 4
        place = starts[keys]
        place[:, 0] += lengths[keys[:, 0]] - self.count[:, 0]
        self.claims, self.views = claims, views
        self.first = np.searchsorted(claims[:, 0], np.arange(len(keys) + 1))
        self.usable = np.zeros(len(keys), dtype=bool)
        self.usable[claims[claims[:, 2] > claims[:, 1], 0]] = True
        self.mark_start = np.cumsum(self.count[:, 1]) - self.count[:, 1]
        assert self.count[:, 1].sum() == len(marks)
        known = np.concatenate([[0], np.cumsum(marks >= 0)])
        self.marked = known[self.mark_start + self.count[:, 1]] > known[self.mark_start]
        self.device = device
        self._tokens = torch.from_numpy(tokens.astype(np.int32)).to(device)
        self._place, self._count = torch.from_numpy(place).to(device), torch.from_numpy(self.count).to(device)
        self._marks = torch.from_numpy(marks.astype(np.int64)).to(device)
        self._mark_start = torch.from_numpy(self.mark_start).to(device)

    def take_views(self, path: Path) -> int:
        """Take a teacher's views, and where it has them the tokens that decide; returns how many claims have one now.

        Gold evidence stays as it is.
        """
        with np.load(path) as file:
            keys, views = file["keys"], file["views"].astype(np.float32)
            decides, lengths = (file[name] if name in file else np.zeros(0, int) for name in ("decides", "lengths"))
        order = np.argsort(keys)
        place = order[np.searchsorted(keys, self.asked, sorter=order).clip(max=len(keys) - 1)]
        found = np.flatnonzero((keys[place] == self.asked) & (self.asked > 0))
        self.views[found] = views[place[found]]
        if len(lengths):
            new = found[(self.decides_at[found] < 0) & (lengths[place[found]] > 0)]
            self.decides_at[new] = len(self.decides) + (np.cumsum(lengths) - lengths)[place[new]]
            self.decides = np.concatenate([self.decides, decides])
        return len(found)

    def order(self, rows: np.ndarray, budget: int, rng: np.random.Generator | None) -> list[np.ndarray]:
        """Batches of at most `budget` padded tokens, of rows of like length, shuffled when a generator is given."""
        return batches(self.length, rows, budget, rng)

    def batch(self, rows: np.ndarray) -> Batch:
        device = self.device
        chosen = self._placed(rows)
        width = min(MAX_ALL, padded(int(self.length[rows].max())))
        place = torch.arange(width, device=device)[None]
        counts, at = self._count[chosen], self._place[chosen]
        begin = torch.stack([torch.ones_like(counts[:, 0]), counts[:, 0] + 2, counts[:, 0] + counts[:, 1] + 3], 1)
        last = begin[:, 2] + counts[:, 2]
        source = torch.zeros(len(rows), width, dtype=torch.long, device=device)
        text = torch.zeros_like(source, dtype=torch.bool)
        for part in range(3):
            inside = (place >= begin[:, part, None]) & (place < (begin[:, part] + counts[:, part])[:, None])
            source = torch.where(inside, at[:, part, None] + place - begin[:, part, None], source)
            text |= inside
        ids = torch.where(text, self._tokens[source].long(), SEPARATOR)
        ids[:, 0] = BEGIN
        seen = place <= last[:, None]
        ids = torch.where(seen, ids, PAD)
        answer = (place >= begin[:, 1, None]) & (place < (begin[:, 1] + counts[:, 1])[:, None])
        where = (self._mark_start[chosen][:, None] + place - begin[:, 1, None]).clamp(0, max(0, len(self._marks) - 1))
        marks = torch.where(answer, self._marks[where], -1)
        claims = np.concatenate([np.arange(self.first[row], self.first[row + 1]) for row in rows])
        owner = np.repeat(np.arange(len(rows)), self.first[rows + 1] - self.first[rows])
        of = self.claims[claims]
        good = of[:, 2] > of[:, 1]
        claims, owner, of = claims[good], owner[good], of[good]
        start = self.count[rows[owner], 0] + 2 + of[:, 1]
        pack = self._placed(np.stack([owner, start, of[:, 2] - of[:, 1], of[:, 3], of[:, 4]]))
        return Batch(
            ids=ids,
            seen=seen,
            rows=pack[0],
            starts=pack[1],
            sizes=pack[2],
            labels=pack[3],
            kinds=pack[4],
            views=self._placed(np.exp(self.views[claims])),
            marks=marks,
            bags=self._placed(self.bags[rows]),
            decides=self._placed(self._decides(claims, rows[owner], width)),
            claims=claims,
            width=int((of[:, 2] - of[:, 1]).max()),
            told=bool((of[:, 4] >= 0).any()),
            marked=bool(self.marked[rows].any()),
            bagged=bool(self.bags[rows].any()),
        )

    def evidence_of(self, row: int) -> tuple[int, int]:
        """The first place of a reading's evidence, and how many of its tokens are read."""
        return int(self.count[row, 0] + self.count[row, 1]) + 3, int(self.count[row, 2])

    def _decides(self, claims: np.ndarray, rows: np.ndarray, width: int) -> np.ndarray:
        known = self.decides_at[claims] >= 0
        if not known.any():
            return np.zeros((len(claims), 0), dtype=np.float32)
        found = np.full((len(claims), width), -1.0, dtype=np.float32)
        for place in np.flatnonzero(known):
            start = self.decides_at[claims[place]]
            first, count = self.evidence_of(rows[place])
            found[place, first : first + count] = self.decides[start : start + count] / 100
        return found

    def _placed(self, values: np.ndarray) -> Tensor:
        """Numbers on their way to the device, without waiting for them to arrive."""
        given = torch.from_numpy(values)
        return given.pin_memory().to(self.device, non_blocking=True) if self.device == "cuda" else given


def padded(length: int) -> int:
    """The length that rows of this length are computed with."""
    return int((length + 15) // 16 * 16)


def batches(lengths: np.ndarray, rows: np.ndarray, budget: int, rng: np.random.Generator | None) -> list[np.ndarray]:
    """Batches of at most `budget` padded tokens, of rows of like length, shuffled when a generator is given."""
    parts = [rows] if rng is None else np.array_split(rng.permutation(rows), max(1, len(rows) // 16384))
    found: list[np.ndarray] = []
    for part in parts:
        part = part[np.argsort(lengths[part], kind="stable")]
        first = 0
        for place in range(1, len(part) + 1):
            if place == len(part) or padded(lengths[part[place]]) * (place + 1 - first) > budget:
                found.append(part[first:place])
                first = place
    return found if rng is None else [found[place] for place in rng.permutation(len(found))]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to learn: for how many seconds or passes at most, how fast, and how far to trust the teacher."""

    seconds: float
    passes: float
    rate: float
    budget: int
    taught: float = 0.6
    seed: int = 0
    marks: float = 0.5
    kinds: float = 0.15
    evidence: float = 0.5


FRESH = 10.0
"""How much faster is learnt what begins with nothing: what a token is told, and the evidence head."""
WARM = 500
"""Steps until the rate is what it was set to: an encoder that is pushed too hard at first forgets what it knew."""


def groups_of(net: ReadingNet) -> list[dict[str, Any]]:
    """The parameters with the part of the rate that each is learnt at; matrices decay."""
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, parameter in net.named_parameters():
        part = FRESH if name.startswith(("told.", "evidence.")) else 1.0
        groups.setdefault((part, 0.01 if parameter.ndim > 1 else 0.0), []).append(parameter)
    return [{"params": parameters, "weight_decay": decay, "part": part} for (part, decay), parameters in groups.items()]


def losses(net: ReadingNet, batch: Batch, plan: Plan) -> Tensor:
    classes, kinds, marks, decides = net(batch.ids, batch.seen, batch.rows, batch.starts, batch.sizes, batch.width)
    logs = functional.log_softmax(classes.float(), -1)
    full = torch.cat([logs, torch.logsumexp(logs[:, 1:], -1, keepdim=True)], -1)
    known = batch.labels != UNKNOWN
    hard = -full.gather(1, torch.where(known, batch.labels, 0)[:, None])[:, 0]
    smooth = -logs.mean(-1)
    hard = torch.where(batch.labels == SOMEHOW_WRONG, hard, 0.95 * hard + 0.05 * smooth)
    taught = ~torch.isnan(batch.views[:, 0])
    soft = -(torch.nan_to_num(batch.views) * logs).sum(-1)
    weight = torch.where(taught, torch.where(known, plan.taught, 1.0), 0.0)
    each = torch.where(known, 1 - weight, 0.0) * hard + weight * soft
    counted = (known | taught).float()
    loss = (each * counted).sum() / counted.sum().clamp(min=1)
    if plan.kinds and batch.told:
        loss = loss + plan.kinds * functional.cross_entropy(kinds.float(), batch.kinds, ignore_index=-1)
    if plan.marks and batch.marked:
        known_marks = (batch.marks >= 0).float()
        wrong = functional.binary_cross_entropy_with_logits(marks.float(), batch.marks.float(), reduction="none")
        loss = loss + plan.marks * (wrong * known_marks).sum() / known_marks.sum()
    if plan.evidence and batch.decides.shape[1] and decides.shape[1]:
        loss = loss + plan.evidence * evidence_loss(decides.float(), batch.decides)
    if batch.bagged:
        # Some claim of these readings is wrong: the least supported one answers for it.
        support = logs[:, 0].exp()
        least = torch.ones(len(batch.bags), device=support.device).scatter_reduce(0, batch.rows, support, "amin")
        inside = -torch.log1p(-least.clamp(max=1 - 1e-4)) * batch.bags
        loss = loss + inside.sum() / counted.sum().clamp(min=len(batch.bags))
    return loss


def evidence_loss(logits: Tensor, wanted: Tensor) -> Tensor:
    """The tokens that decide and those that do not weigh the same in each claim, and each known claim as any other.

    Where nothing decides, all tokens are to say so. Where something does, the tokens that do are also to be the first
    of all: that is what a quote is taken by.
    """
    known = wanted >= 0
    yes, no = wanted.clamp(min=0) * known, (1 - wanted.clamp(min=0)) * known
    each = functional.binary_cross_entropy_with_logits(logits, wanted.clamp(min=0), reduction="none")

    def mean_over(weight: Tensor) -> Tensor:
        return (each * weight).sum(1) / weight.sum(1).clamp(min=1)

    some, counted = yes.sum(1) > 0, known.any(1).float()
    balanced = torch.where(some, (mean_over(yes) + mean_over(no)) / 2, mean_over(no))
    ranked = functional.log_softmax(logits.masked_fill(~known, -1e4), 1)
    weight = (yes / yes.amax(1, keepdim=True).clamp(min=1e-6)).clamp(min=1e-9)
    first = -torch.logsumexp(ranked + torch.log(weight), 1)
    result: Tensor = ((balanced + 0.25 * torch.where(some, first, 0.0)) * counted).sum() / counted.sum().clamp(min=1)
    return result


def train(net: ReadingNet, packed: Packed, rows: list[np.ndarray], plan: Plan, say: str) -> None:
    """Learn from the rows of each pass; the rate falls to nothing at the end of the passes or of the time."""
    rng = np.random.default_rng(plan.seed)
    batches = [batch for part in rows for batch in packed.order(part, plan.budget, rng)]
    batches = batches[: int(len(batches) * plan.passes / len(rows)) + 1]
    fused = packed.device == "cuda"
    optimiser = torch.optim.AdamW(groups_of(net), lr=plan.rate, betas=(0.9, 0.98), fused=fused)
    net.train()
    began, mean, tokens = time.perf_counter(), 0.0, 0
    step = 0
    for step, part in enumerate(batches):
        spent = time.perf_counter() - began
        done = max(step / len(batches), spent / plan.seconds)
        if done >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * group["part"] * min(1.0, (step + 1) / WARM) * (1 - done)
        batch = packed.batch(part)
        with torch.autocast(packed.device, torch.bfloat16, enabled=fused):
            loss = losses(net, batch, plan)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        tokens += int(packed.length[part].sum())
        if step % 20 == 0:
            mean = 0.9 * mean + 0.1 * float(loss.detach())
        if step % 200 == 0:
            shown = mean / (1 - 0.9 ** (step // 20 + 1))
            print(
                f"{say} step {step} of {len(batches)} loss {shown:.4f} progress {done:.3f} "
                f"{tokens / max(1e-9, time.perf_counter() - began):.0f} tokens/s",
                flush=True,
            )
    print(f"{say} stopped at {step + 1} of {len(batches)} after {time.perf_counter() - began:.0f} s", flush=True)


@dataclass(frozen=True, slots=True)
class Views:
    """Logits for each claim of a packed file, and for each token of its answers."""

    classes: np.ndarray
    kinds: np.ndarray
    marks: np.ndarray
    decides: np.ndarray
    """For each claim that has room for it and each token of its evidence, as the packed file has them."""


@torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
def predict(net: ReadingNet, packed: Packed, rows: np.ndarray, budget: int = 131_072) -> Views:
    net.eval()
    kinds = net.kind.out_features
    found = Views(
        np.full((len(packed.claims), 3), np.nan, dtype=np.float16),
        np.full((len(packed.claims), kinds), np.nan, dtype=np.float16),
        np.full(len(packed._marks), np.nan, dtype=np.float16),
        np.full(len(packed.decides), np.nan, dtype=np.float16),
    )
    for part in packed.order(rows, budget, None):
        batch = packed.batch(part)
        with torch.autocast(packed.device, torch.bfloat16, enabled=packed.device == "cuda"):
            classes, sorts, marks, decides = net(
                batch.ids, batch.seen, batch.rows, batch.starts, batch.sizes, batch.width
            )
        found.classes[batch.claims] = classes.float().cpu().numpy()
        found.kinds[batch.claims] = sorts.float().cpu().numpy()
        flat = marks.float().cpu().numpy()
        for place, row in enumerate(part):
            begin, count = packed.count[row, 0] + 2, packed.count[row, 1]
            found.marks[packed.mark_start[row] : packed.mark_start[row] + count] = flat[place, begin : begin + count]
        if batch.decides.shape[1] and decides.shape[1]:
            each = decides.float().cpu().numpy()
            for place, claim in enumerate(batch.claims):
                start = packed.decides_at[claim]
                if start >= 0:
                    begin, count = packed.evidence_of(int(packed.claims[claim, 0]))
                    found.decides[start : start + count] = each[place, begin : begin + count]
    net.train()
    return found
