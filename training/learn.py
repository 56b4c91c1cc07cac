"""The training loop, for teacher and student alike, and predictions over many rows."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training.batches import Batch, Pairs
from training.net import PairNet


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how fast to learn."""

    epochs: float
    rate: float
    budget: int
    """Padded tokens a batch."""
    taught: float = 0.0
    """Weight of the teacher's view; the rest is the label's."""
    seed: int = 1
    floor: float = 0.0
    """The share of the rate that is left at the end."""


@dataclass(frozen=True, slots=True)
class Views:
    """What a network says of rows: class log-odds, and a logit for each claim token (flat, in row order).

    Rows it was not asked about hold no number.
    """

    classes: np.ndarray
    marks: np.ndarray


def label_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """`hallucinated` rows count against the sum of the two wrong classes."""
    shares = functional.log_softmax(logits.float(), -1)
    either = torch.logsumexp(shares[:, 1:], -1)
    known = shares.gather(1, labels.clamp(max=2)[:, None])[:, 0]
    return -torch.where(labels == 3, either, known)


def marks_loss(logits: Tensor, marks: Tensor) -> Tensor:
    """Over the marked tokens; a wrong token counts twice, since they are few."""
    known = marks >= 0
    if not bool(known.any()):
        return logits.sum() * 0
    wrong = marks.clamp(min=0).float()
    loss = functional.binary_cross_entropy_with_logits(logits.float(), wrong, reduction="none") * (1 + wrong)
    return (loss * known).sum() / known.sum()


def step_loss(net: PairNet, batch: Batch, plan: Plan, teacher: tuple[Tensor, Tensor, Tensor] | None) -> Tensor:
    """Label, marks, and what the teacher says of both."""
    logits, marks = net(batch.ids, batch.kinds, batch.seen, batch.claim)
    own = label_loss(logits, batch.labels)
    if teacher is None:
        return own.mean() + 0.5 * marks_loss(marks, batch.marks)
    classes, tokens, starts = teacher
    said = classes[batch.rows].float()
    taught = plan.taught * (~said[:, 0].isnan()).float()
    target = torch.softmax(said.nan_to_num(), -1)
    view = -(target * functional.log_softmax(logits.float(), -1)).sum(-1)
    place = (torch.cumsum(batch.claim.long(), 1) - 1).clamp(min=0) + starts[batch.rows][:, None]
    aim = torch.sigmoid(tokens[place.clamp(max=len(tokens) - 1)].float().nan_to_num())
    copied = functional.binary_cross_entropy_with_logits(marks.float(), aim, reduction="none")
    shown = batch.claim & (taught > 0)[:, None]
    copied = (copied * shown).sum() / shown.sum().clamp(min=1)
    both = (1 - taught) * own + taught * view
    return both.mean() + 0.3 * marks_loss(marks, batch.marks) + 0.5 * copied


def train(net: PairNet, pairs: Pairs, rows: np.ndarray, plan: Plan, views: Views | None = None, say: str = "") -> None:
    """Learn from the rows, with a short warm-up and a straight way down."""
    device = pairs.device
    rng = np.random.default_rng(plan.seed)
    torch.manual_seed(plan.seed)
    teacher = None
    if views is not None:
        teacher = (
            torch.from_numpy(views.classes).to(device),
            torch.from_numpy(views.marks).to(device),
            torch.from_numpy(pairs.claim_start).to(device),
        )
    order: list[np.ndarray] = []
    whole, part = int(plan.epochs), plan.epochs - int(plan.epochs)
    for number in range(whole + (part > 0)):
        batches = pairs.order(rows, plan.budget, rng)
        order += batches if number < whole else batches[: int(len(batches) * part)]
    flat = [value for value in net.parameters() if value.ndim < 2]
    matrices = [value for value in net.parameters() if value.ndim >= 2]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": flat, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=plan.rate, betas=(0.9, 0.98), eps=1e-6, fused=device == "cuda")
    warm = max(1, int(0.06 * len(order)))
    net.train()
    began, total, shown = time.perf_counter(), 0, torch.zeros((), device=device)
    for step, chosen in enumerate(order):
        left = (len(order) - step) / max(1, len(order) - warm)
        rate = plan.rate * min((step + 1) / warm, plan.floor + (1 - plan.floor) * min(1.0, left))
        for group in optimizer.param_groups:
            group["lr"] = rate
        batch = pairs.batch(chosen)
        with torch.autocast("cuda", torch.bfloat16, enabled=device == "cuda"):
            loss = step_loss(net, batch, plan, teacher)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        total += batch.ids.numel()
        shown += loss.detach()
        if (step + 1) % max(1, len(order) // 6) == 0:
            taken = time.perf_counter() - began
            speed, mean = total / taken / 1e3, shown.item() / (step + 1)
            print(f"{say} step {step + 1}/{len(order)} loss {mean:.4f} {speed:.0f}k tokens/s {taken:.0f} s", flush=True)


@torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
def predict(net: PairNet, pairs: Pairs, rows: np.ndarray) -> Views:
    """The views of the network on the rows; other rows stay zero."""
    budget = 262_144 if pairs.device == "cuda" else 4_096
    net.eval()
    classes = np.zeros((len(pairs.labels), 3), dtype=np.float16)
    marks = np.zeros(int(pairs.count[:, 2].sum()), dtype=np.float16)
    for chosen in pairs.order(rows, budget, None):
        batch = pairs.batch(chosen)
        with torch.autocast("cuda", torch.bfloat16, enabled=pairs.device == "cuda"):
            logits, tokens = net(batch.ids, batch.kinds, batch.seen, batch.claim)
        classes[chosen] = logits.half().cpu().numpy()
        inside = batch.claim.cpu().numpy()
        values = tokens.half().cpu().numpy()[inside]
        place = pairs.claim_start[chosen][:, None] + np.cumsum(inside, 1) - 1
        marks[place[inside]] = values
    return Views(classes, marks)


def figures(pairs: Pairs, classes: np.ndarray, rows: np.ndarray) -> dict[str, float]:
    """Area under the curve of support, a set, over natural rows: a quick look at how training went."""
    shares = np.exp(classes[rows].astype(np.float32))
    support = shares[:, 0] / shares.sum(1)
    right = pairs.labels[rows] == 0
    found = {}
    for number, name in enumerate(pairs.names):
        mine = (pairs.sets[rows] == number) & ~pairs.made[rows]
        if right[mine].any() and not right[mine].all():
            ranks = np.argsort(np.argsort(support[mine])) + 1
            good = int(right[mine].sum())
            found[name] = round(
                float((ranks[right[mine]].sum() - good * (good + 1) / 2) / (good * (mine.sum() - good))), 3
            )
    return found
