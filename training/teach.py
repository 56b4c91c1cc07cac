"""The two networks: a large teacher, then the small student that ships.

The teacher learns the first stage, then each fold apart; its views of every row are kept. The student learns
the first stage from labels and teacher, then once without each fold (these three are only measured) and once
with everything (this one ships).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch

from training.batches import Pairs
from training.learn import Plan, Views, figures, predict, train
from training.net import MINILM, MPNET, PairNet, Shape, grow, shrink
from training.rows import FOLDS

REPLAY = 0.5
"""First-stage rows in the second stage, as a share of its own rows, so that the first is not forgotten."""


def _start(shape: Shape, paths: list[Path], drop: float = 0.1) -> PairNet:
    net = PairNet(shape, drop)
    small: dict[str, torch.Tensor] = {}
    for path in paths:
        small.update(torch.load(path, map_location="cpu", weights_only=True))
    net.load_state_dict(grow(small))
    return net


def stage_rows(pairs: Pairs, fold: int, seed: int, known: int | None = None) -> np.ndarray:
    """Rows of the second stage without one fold (or with all, for fold -1), and a replay of the first stage.

    Natural rows come twice; rows from `known` on were added for the last stage: there are more wrong
    answers than right ones among them, so only as many are taken as keep the balance.
    """
    place = np.arange(len(pairs.labels))
    allowed = (pairs.folds != fold) if fold >= 0 else np.ones(len(place), dtype=bool)
    first = place < (len(place) if known is None else known)
    own = np.flatnonzero(first & allowed & (pairs.folds >= 0))
    chance = np.random.default_rng(seed)
    added = np.flatnonzero(~first & allowed)
    answers = added[pairs.folds[added] < 0]
    right, wrong = answers[pairs.labels[answers] == 0], answers[pairs.labels[answers] != 0]
    wrong = chance.choice(wrong, min(len(wrong), int(1.2 * len(right))), replace=False)
    added = np.concatenate([added[pairs.folds[added] >= 0], right, wrong])
    base = np.flatnonzero(first & (pairs.folds < 0))
    replay = chance.choice(base, min(len(base), int(REPLAY * len(own))), replace=False)
    return np.concatenate([own, own[~pairs.made[own]], added, replay])


def _keep(views: Views, path: Path) -> None:
    np.savez_compressed(path, classes=views.classes, marks=np.clip(views.marks * 12, -127, 127).astype(np.int8))


def views_from(path: Path) -> Views:
    """Kept views; the marks were stored as twelfths."""
    with np.load(path) as file:
        return Views(file["classes"], (file["marks"] / np.float16(12)).astype(np.float16))


def _pairs(options: argparse.Namespace, shape: Shape) -> Pairs:
    tokens = options.vocabulary.read_text(encoding="utf-8").splitlines()
    return Pairs(options.rows, tokens, shape, options.device)


def teacher_base(options: argparse.Namespace) -> None:
    pairs = _pairs(options, MPNET)
    net = _start(MPNET, options.start).to(options.device)
    first = np.flatnonzero(pairs.folds < 0)
    print(
        "rows",
        len(first),
        "tokens",
        int(pairs.length[first].sum()),
        "second",
        int((pairs.folds >= 0).sum()),
        flush=True,
    )
    train(net, pairs, first, Plan(options.epochs, options.rate, options.budget), say="teacher")
    torch.save(net.state_dict(), options.work / "teacher.pt")
    views = predict(net, pairs, np.arange(len(pairs.labels)))
    print(json.dumps(figures(pairs, views.classes, np.arange(len(pairs.labels)))), flush=True)
    _keep(views, options.work / "views_base.npz")


def teacher_fold(options: argparse.Namespace) -> None:
    pairs = _pairs(options, MPNET)
    net = PairNet(MPNET).to(options.device)
    net.load_state_dict(torch.load(options.work / "teacher.pt", weights_only=True))
    rows = stage_rows(pairs, options.fold, 7 + options.fold)
    train(
        net,
        pairs,
        rows,
        Plan(options.epochs, options.rate, options.budget, seed=11 + options.fold),
        say=f"teacher {options.fold}",
    )
    views = predict(net, pairs, np.flatnonzero(pairs.folds >= 0))
    unseen = np.flatnonzero(pairs.folds == options.fold)
    print("fold", options.fold, json.dumps(figures(pairs, views.classes, unseen)), flush=True)
    _keep(views, options.work / f"views_{options.fold}.npz")


def student_base(options: argparse.Namespace) -> None:
    pairs = _pairs(options, MINILM)
    net = _start(MINILM, options.start).to(options.device)
    first = np.flatnonzero(pairs.folds < 0)
    views = views_from(options.views / "views_base.npz")
    train(
        net,
        pairs,
        first,
        Plan(options.epochs, options.rate, options.budget, taught=0.6, floor=0.1),
        views,
        say="student",
    )
    torch.save(net.state_dict(), options.work / "student.pt")


def _joined_views(pairs: Pairs, base: Views, seen: list[Views]) -> Views:
    """The base teacher on the first stage, the mean of the others on the second, nothing on rows added later."""
    known, tokens = len(base.classes), len(base.marks)
    second = pairs.folds[:known] >= 0
    classes = np.full((len(pairs.labels), 3), np.nan, dtype=np.float16)
    classes[:known] = np.where(second[:, None], np.mean([v.classes.astype(np.float32) for v in seen], 0), base.classes)
    marks = np.full(int(pairs.count[:, 2].sum()), np.nan, dtype=np.float16)
    inside = np.repeat(second, pairs.count[:known, 2])
    marks[:tokens] = np.where(inside, np.mean([v.marks.astype(np.float32) for v in seen], 0), base.marks)
    return Views(classes, marks)


def student_fold(options: argparse.Namespace) -> None:
    """Fold -1 is the model that ships: it learns from the mean of the three teachers."""
    pairs = _pairs(options, MINILM)
    if options.start:
        net = _start(MINILM, options.start).to(options.device)
    else:
        net = PairNet(MINILM).to(options.device)
        net.load_state_dict(torch.load(options.work / "student.pt", weights_only=True))
    asked = range(FOLDS) if options.fold < 0 else [options.fold]
    base = views_from(options.views / "views_base.npz")
    views = _joined_views(pairs, base, [views_from(options.views / f"views_{fold}.npz") for fold in asked])
    rows = stage_rows(pairs, options.fold, 17 + options.fold + int(10 * options.epochs), len(base.classes))
    train(
        net,
        pairs,
        rows,
        Plan(options.epochs, options.rate, options.budget, taught=options.taught, seed=21 + options.fold),
        views,
        say=f"student {options.fold}",
    )
    if options.fold >= 0:
        unseen = np.flatnonzero(pairs.folds == options.fold)
        print("fold", options.fold, json.dumps(figures(pairs, predict(net, pairs, unseen).classes, unseen)), flush=True)
    name = "full" if options.fold < 0 else str(options.fold)
    torch.save(shrink(net.state_dict()), options.work / f"student_{name}.pt")


def _all_folds(options: argparse.Namespace, stage: str, folds: list[int]) -> None:
    """The folds at once, each in its own process: one alone does not fill the device."""
    common = [
        sys.executable,
        "-m",
        "training.teach",
        stage,
        "--rows",
        str(options.rows),
        "--vocabulary",
        str(options.vocabulary),
        "--work",
        str(options.work),
        "--views",
        str(options.views),
        "--device",
        options.device,
        "--epochs",
        str(options.fold_epochs),
        "--rate",
        str(options.fold_rate),
        "--budget",
        str(options.budget),
        "--taught",
        str(options.taught),
    ]
    running = [subprocess.Popen([*common, "--fold", str(fold)]) for fold in folds]
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit(f"{stage} failed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", choices=["teacher", "teacher-fold", "student", "student-fold"])
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--start", type=Path, nargs="*", default=[])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--views", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--fold", type=int, default=-1)
    parser.add_argument("--epochs", type=float, default=2)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--budget", type=int, default=32_768)
    parser.add_argument("--taught", type=float, default=0.6)
    parser.add_argument("--fold-epochs", type=float, default=2)
    parser.add_argument("--fold-rate", type=float, default=3e-5)
    options = parser.parse_args()
    options.views = options.views or options.work
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.perf_counter()
    if options.stage == "teacher":
        teacher_base(options)
        torch.cuda.empty_cache()
        _all_folds(options, "teacher-fold", list(range(FOLDS)))
    elif options.stage == "student":
        student_base(options)
        torch.cuda.empty_cache()
        _all_folds(options, "student-fold", [-1, *range(FOLDS)])
    elif options.stage == "teacher-fold":
        teacher_fold(options)
    else:
        student_fold(options)
    print(options.stage, options.fold, f"{time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
