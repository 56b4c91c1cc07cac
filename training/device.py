"""The stages that want a GPU, in one process: the first stage once, the second for each fold, and the mean of these.

    python -m training.device --packed FOLDER --start STATE --out FOLDER --first-seconds 190 --seconds 250

The network that ships is the mean of the folds' weights: no document is unknown to it, and it reads what none of them
has seen better than each of them does. Every stage writes its network (8 bits) and its views of the exam, and is
skipped if they are there. With `--begin` the second stages go on from the networks of an earlier run. With `--together`
the time of a fold is shared by several networks from one beginning, and their mean is kept. With `--trials`,
a JSON list of changes to the way to learn, the first fold is trained with each of them on top of those that have been
for the better, and the others in the way that was best there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from halluscope._internal.judges.embedded.network.model import KINDS
from training.learn import Packed, Plan, Views, losses, predict, train
from training.net import Layer, ReadingNet, built_as, grow, mean_of, shrink, with_layers

SHARES = {
    "generated": 0.8,
    "lead": 0.9,
    "answers": 2.0,
    "short": 2.4,
    "pieces": 1.6,
    "reworded": 1.4,
    "changed": 1.0,
    "shared": 0.5,
    "shared changed": 0.5,
    "absences": 4.0,
    "evidence": 5.0,
    "evidence changed": 1.5,
    "real": 2.0,
    "made": 0.5,
    "natural": 1.3,
    "by rule": 0.7,
    "replay": 0.5,
    "replay wrong": 0.2,
}
"""How often the readings of the second stage come in one pass; the first has had those that are shared already."""
REAL = ("ragtruth", "summedits", "factcheckgpt", "expertqa")
"""Public sets of what models wrote, some of it edited."""
FIRST_FOLD, LAST_FOLD = 0, 2
"""Readings with a higher one belong to no document that is measured."""
ALL = -1
"""In place of a fold: every document is learnt, and what is measured belongs to no fold."""
SHARED_FIRST = 2
"""How often the answers that belong to no fold come in one pass of the first stage, which all networks begin with;
those that were changed by rule come once."""
LOOK = 20_000
"""Unseen readings of a fold that are looked at while training, to see how it goes."""
LEAST = 0.85
"""The mean area over unseen readings below which a network has lost what the encoder knew: the folds of a run that had
reached 0.74, those of all others 0.91 to 0.93."""


def rows_for_first(joined: Packed) -> np.ndarray:
    """The readings of a pass of the first stage: its own, and what every fold may learn from."""
    shared = joined.folds > LAST_FOLD
    times = np.where(shared & ~joined.made, SHARED_FIRST, 1)
    chosen = np.flatnonzero(joined.usable & (shared | (joined.folds < 0)))
    return np.repeat(chosen, times[chosen])


def rows_for(second: Packed, fold: int, passes: int, seed: int, learnt: float = 1.0) -> list[np.ndarray]:
    """The readings of each pass without one fold (or with all, for fold -1).

    Where the start has learnt all but the evidence rows already, `learnt` says how often those come: 0.5 is half as
    often.
    """
    place = np.arange(len(second.folds))
    allowed = second.usable & ((second.folds != fold) if fold >= 0 else np.ones(len(place), dtype=bool))
    names = np.array(second.names)[second.sets]
    share = np.where(second.made, SHARES["made"], SHARES["natural"])
    share = np.where(np.isin(names, ("bindings", "features")), SHARES["by rule"], share)
    share = np.where(names == "generated", SHARES["generated"], share)
    share = np.where(np.char.startswith(names, "lead_"), SHARES["lead"], share)
    for begins, name, changed in (
        ("written_rag", "answers", "changed"),
        ("short_answers", "short", "changed"),
        ("piece_answers", "pieces", "made"),
        ("reworded_answers", "reworded", "changed"),
        ("page_claims", "short", "changed"),
        ("absences", "absences", "absences"),
        ("evidence", "evidence", "evidence changed"),
        ("rag_answers", "shared", "shared changed"),
    ):
        ours = np.char.startswith(names, begins)
        share = np.where(ours, np.where(second.made, SHARES[changed], SHARES[name]), share)
    share = np.where(np.isin(names, REAL) & ~second.made, SHARES["real"], share)
    # Of a first-stage set three in four that were made by rule are wrong; one that learns them all doubts every text
    # of their kind.
    wrong = second.made & (second.claims[second.first[:-1], 3] != 0)
    share = np.where(second.folds < 0, np.where(wrong, SHARES["replay wrong"], SHARES["replay"]), share)
    share = np.where(np.char.startswith(names, "evidence"), share, share * learnt)
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(passes):
        times = np.floor(share) + (chance.random(len(place)) < share % 1)
        found.append(np.repeat(place[allowed], times[allowed].astype(int)))
    return found


class Joined(Packed):
    """Two packed files as one."""

    def __init__(self, first: Packed, second: Packed) -> None:
        shift, words, marks = len(first.folds), len(first._tokens), len(first._marks)
        self.decides = np.concatenate([first.decides, second.decides])
        moved_at = np.where(second.decides_at >= 0, second.decides_at + len(first.decides), -1)
        self.decides_at = np.concatenate([first.decides_at, moved_at])
        names = sorted({*first.names, *second.names})
        self.names, self.device = names, first.device
        self.sets = np.concatenate([np.array([names.index(n) for n in p.names])[p.sets] for p in (first, second)])
        for name in ("folds", "made", "bags", "count", "length", "views", "usable", "marked", "asked"):
            setattr(self, name, np.concatenate([getattr(first, name), getattr(second, name)]))
        moved = second.claims.copy()
        moved[:, 0] += shift
        self.claims = np.concatenate([first.claims, moved])
        self.first = np.concatenate([first.first[:-1], second.first + len(first.claims)])
        self.mark_start = np.concatenate([first.mark_start, second.mark_start + marks])
        self._tokens = torch.cat([first._tokens, second._tokens])
        self._place = torch.cat([first._place, second._place + words])
        self._count = torch.cat([first._count, second._count])
        self._marks = torch.cat([first._marks, second._marks])
        self._mark_start = torch.cat([first._mark_start, second._mark_start + marks])


def keep_views(views: Views, out: Path, name: str) -> None:
    tokens = {
        key: np.clip(np.nan_to_num(values.astype(np.float32)) * 12, -127, 127).astype(np.int8)
        for key, values in (("marks", views.marks), ("decides", views.decides))
    }
    arrays = {"classes": views.classes, "kinds": views.kinds, **tokens}
    np.savez_compressed(out / f"views_{name}.npz", allow_pickle=False, **arrays)


def keep(net: ReadingNet, views: Views | None, out: Path, name: str) -> None:
    if views is not None:
        keep_views(views, out, name)
    state = {key.replace("_orig_mod.", ""): value for key, value in net.state_dict().items()}
    torch.save({key: value.cpu() for key, value in shrink(state).items()}, out / f"{name}.tmp")
    (out / f"{name}.tmp").rename(out / f"{name}.pt")


def areas(packed: Packed, views: Views, rows: np.ndarray) -> dict[str, float]:
    """A first look: the area under the curve of support over labelled claims, a set at a time."""
    chosen = np.isin(packed.claims[:, 0], rows) & (packed.claims[:, 3] != 9) & ~np.isnan(views.classes[:, 0])
    found = {}
    for number, name in enumerate(packed.names):
        mine = chosen & (packed.sets[packed.claims[:, 0]] == number)
        wrong = packed.claims[mine, 3] != 0
        if wrong.sum() < 5 or (~wrong).sum() < 5:
            continue
        logits = views.classes[mine].astype(np.float32)
        doubt = -(logits[:, 0] - np.logaddexp(logits[:, 1], logits[:, 2]))
        rank = np.argsort(np.argsort(doubt, kind="stable"), kind="stable") + 1
        bad = int(wrong.sum())
        found[name] = round(float((rank[wrong].sum() - bad * (bad + 1) / 2) / (bad * (len(wrong) - bad))), 3)
    return found


def apart(way: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What of a way to learn is the network's, and what the plan's."""
    network = {name: value for name, value in way.items() if name in ("told", "drop", "tail")}
    return network, {name: value for name, value in way.items() if name not in network}


def name_of(fold: int) -> str:
    """What the network is called that has not seen a fold."""
    return "full" if fold == ALL else f"fold{fold}"


def unseen_of(packed: Packed, fold: int) -> np.ndarray:
    """The readings that the network without a fold is measured by."""
    return np.flatnonzero(packed.usable & (packed.folds == fold))


def mean_area(found: dict[str, float]) -> float:
    """One number for how well a fold is judged: our whole answers, our claims and each public set weigh the same."""
    groups: dict[str, list[float]] = {}
    for name, value in found.items():
        group = next((begin for begin in ("written_rag", "written_") if name.startswith(begin)), name)
        groups.setdefault(group, []).append(value)
    return float(np.mean([np.mean(values) for values in groups.values()]))


def fastest(net: ReadingNet, packed: Packed, budget: int, wait: float) -> None:
    """Compile the layers if that pays; without a GPU, or where it fails, leave them as they are."""
    if packed.device != "cuda":
        return
    import signal

    def late(*_: object) -> None:
        raise TimeoutError("compiling takes too long")

    plain = Layer.forward
    chance = np.random.default_rng(3)
    rows = chance.permutation(np.flatnonzero(packed.usable))[:60_000]
    every = sorted(packed.order(rows, budget, chance), key=len)
    batches = [every[place] for place in np.linspace(0, len(every) - 1, 14).astype(int)]

    def pace() -> float:
        plan = Plan(1, 1, 0, budget)
        for _ in range(2):  # whatever is compiled or set up is so after the first time
            torch.cuda.synchronize()
            began = time.perf_counter()
            for part in batches:
                with torch.autocast("cuda", torch.bfloat16):
                    losses(net, packed.batch(part), plan).backward()
                net.zero_grad(set_to_none=True)
            torch.cuda.synchronize()
        return sum(int(packed.length[part].sum()) for part in batches) / (time.perf_counter() - began)

    before = pace()
    print(f"plain: {before:.0f} tokens/s", flush=True)
    signal.signal(signal.SIGALRM, late)
    signal.alarm(int(wait))
    try:
        Layer.forward = torch.compile(plain, dynamic=True)  # type: ignore[method-assign]
        reached = pace()
        print(f"compiled: {reached:.0f} tokens/s", flush=True)
    except Exception as problem:
        print(f"not compiled: {type(problem).__name__} {str(problem)[:300]}", flush=True)
        reached = 0.0
    finally:
        signal.alarm(0)
    if reached < before * 1.05:
        Layer.forward = plain  # type: ignore[method-assign]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packed", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True, help="a state: the published encoder, or a network")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--first-seconds", type=float, default=120)
    parser.add_argument("--seconds", type=float, nargs="+", default=[270], help="for each of --folds, or one for all")
    parser.add_argument("--first-rate", type=float, default=8e-5)
    parser.add_argument("--second-rate", type=float, default=1e-4)
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--learnt", type=float, default=1.0, help="how often rows come that the start has learnt")
    parser.add_argument("--budget", type=int, default=24_576)
    parser.add_argument("--compile", type=float, default=90, help="seconds that compiling may take")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--folds", type=int, nargs="*", default=list(range(FIRST_FOLD, LAST_FOLD + 1)))
    parser.add_argument("--views", type=Path, nargs="*", default=[], help="a teacher's views that came after packing")
    parser.add_argument("--begin", type=Path, help="networks of an earlier run, by the same names, to go on from")
    parser.add_argument("--keep", type=int, nargs="*", default=list(range(12)), help="layers of the start to keep")
    parser.add_argument(
        "--smaller", type=int, nargs="*", default=[], help="networks of fewer layers, from the full one"
    )
    parser.add_argument("--smaller-seconds", type=float, default=60)
    parser.add_argument("--trials", type=json.loads, default=[], help="ways to learn: fields of a plan or of a network")
    parser.add_argument("--trial-seconds", type=float, default=180)
    parser.add_argument("--together", type=int, default=1, help="networks that share a fold's time; their mean is kept")
    parser.add_argument("--least", type=float, default=LEAST, help="mean area of a fold below which nothing is kept")
    parser.add_argument("--look", action="store_true", help="only the views of the exam, by networks that are there")
    parser.add_argument("--deadline", type=float, default=1e9, help="seconds after which no stage is begun")
    options = parser.parse_args()
    if len(options.seconds) not in (1, len(options.folds)):
        parser.error(f"--seconds has {len(options.seconds)} numbers for {len(options.folds)} folds: give one, or each.")
    if options.together < 1:
        parser.error(f"--together is {options.together}: a fold needs one network or more.")
    if options.begin and not options.begin.is_dir():
        parser.error(f"--begin: there is no folder {options.begin}.")
    began = time.perf_counter()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(0)
    options.out.mkdir(parents=True, exist_ok=True)
    device = options.device

    plain = Layer.forward

    def look(net: ReadingNet, packed: Packed, rows: np.ndarray) -> Views:
        """Predictions without the compiled layers, which would be compiled once more for this."""
        fast, Layer.forward = Layer.forward, plain  # type: ignore[method-assign]
        try:
            found: Views = predict(net, packed, rows)
            return found
        finally:
            Layer.forward = fast  # type: ignore[method-assign]

    built: dict[str, Any] = {}
    """How networks are built beside their size, in the way that is being tried."""

    def new(path: Path, chosen: Sequence[int] | None = None) -> ReadingNet:
        state = grow(torch.load(path, map_location="cpu", weights_only=True))
        chosen = options.keep if chosen is None and path == options.start else chosen
        # The published encoder has no heads and is built as a new network; every network gets the evidence head.
        given = {**(built_as(state) if "verdict.weight" in state else {}), "evidence": True, **built}
        net = ReadingNet(len(chosen or options.keep), len(KINDS), **given)
        state.pop("ending", None)
        net.load_state_dict(with_layers(state, chosen) if chosen else state, strict=False)
        placed: ReadingNet = net.to(device)
        return placed

    if options.look:
        exam = Packed(options.packed / "exam.npz", device)
        for fold in dict.fromkeys((ALL, *options.folds)):
            name = name_of(fold)
            net = new(options.out / f"{name}.pt")
            chosen = unseen_of(exam, fold)
            keep_views(predict(net, exam, chosen), options.out, name)
            print(name, len(chosen), f"{time.perf_counter() - began:.0f} s", flush=True)
        (options.out / "done").write_text("done\n")
        return
    first = Packed(options.packed / "first.npz", device)
    print(
        "first", len(first.folds), "tokens", int(first.length.sum()), f"{time.perf_counter() - began:.0f} s", flush=True
    )
    second = first
    for name in ("second", "made", "evidence"):
        second = Joined(second, Packed(options.packed / f"{name}.npz", device))
    for path in options.views:
        print(path.name, second.take_views(path), "claims viewed anew", flush=True)
    base = options.out / "base.pt"
    fastest(new(options.start), second, options.budget, options.compile)
    if not base.exists() and options.first_seconds:
        net = new(options.start)
        plan = Plan(options.first_seconds, 3, options.first_rate, options.budget)
        train(net, second, [rows_for_first(second)] * 3, plan, "first")
        keep(net, None, options.out, "base")
        del net
    exam = Packed(options.packed / "exam.npz", device)
    print("second", len(second.folds), "exam", len(exam.folds), f"{time.perf_counter() - began:.0f} s", flush=True)

    def learnt(name: str, fold: int, plan: Plan) -> float:
        """Train the second stage without a fold; how well that fold is judged by it then."""
        earlier = options.begin / f"{name_of(fold)}.pt" if options.begin else base
        beginning = next(path for path in (earlier, base, options.start) if path.exists())
        unseen = np.random.default_rng(5).permutation(unseen_of(second, fold))[:LOOK] if fold >= 0 else np.empty(0, int)
        found: dict[str, float] = {}
        states: list[dict[str, torch.Tensor]] = []
        for number in range(options.together):
            net = new(beginning)
            rows = rows_for(second, fold, options.passes, 17 + fold + 100 * number, options.learnt)
            print(name, "from", beginning, "tokens a pass", int(second.length[rows[0]].sum()), flush=True)
            mine = replace(plan, seconds=plan.seconds / options.together, seed=21 + fold + 100 * number)
            train(net, second, rows, mine, name)
            states.append({key: value.clone() for key, value in net.state_dict().items()})
            net.load_state_dict(mean_of(states))
            if len(unseen):
                found = areas(second, look(net, second, unseen), unseen)
                print(name, f"mean of {len(states)}", f"{mean_area(found):.4f}", json.dumps(found), flush=True)
        if found and mean_area(found) < options.least:
            raise SystemExit(
                f"{name} judges what it has not seen at a mean area of {mean_area(found):.2f}, below {options.least}: "
                f"it has lost what the encoder knew. Remove {options.out} and begin anew with a lower --first-rate."
            )
        views = look(net, exam, unseen_of(exam, fold))
        keep(net, views, options.out, name)
        print(name, f"done at {time.perf_counter() - began:.0f} s", flush=True)
        return mean_area(found) if found else 0.0

    plan = Plan(max(options.seconds), options.passes, options.second_rate, options.budget)
    best: tuple[float, dict[str, Any]] = (0.0, {})
    for number, change in enumerate(options.trials):
        way = best[1] | change
        built, fields = apart(way)
        reached = learnt(f"trial{number}", FIRST_FOLD, replace(plan, **{"seconds": options.trial_seconds, **fields}))
        print(f"trial{number}", way, f"mean area {reached:.4f}", flush=True)
        if reached > best[0]:
            best = reached, way
            shutil.copyfile(options.out / f"views_trial{number}.npz", options.out / f"views_{name_of(FIRST_FOLD)}.npz")
            shutil.copyfile(options.out / f"trial{number}.pt", options.out / f"{name_of(FIRST_FOLD)}.pt")
    built, fields = apart(best[1])
    plan = replace(plan, **fields)
    if options.trials:
        print("best:", best, flush=True)
    times = options.seconds * (len(options.folds) if len(options.seconds) == 1 else 1)
    for fold, seconds in zip(options.folds, times, strict=True):
        name = name_of(fold)
        if (options.out / f"{name}.pt").exists() or time.perf_counter() - began > options.deadline:
            continue
        learnt(name, fold, replace(plan, seconds=seconds))
    folds = [options.out / f"{name_of(fold)}.pt" for fold in range(FIRST_FOLD, LAST_FOLD + 1)]
    if not (options.out / f"{name_of(ALL)}.pt").exists() and all(path.exists() for path in folds):
        states = [grow(torch.load(path, map_location="cpu", weights_only=True)) for path in folds]
        net = new(folds[0])
        net.load_state_dict(mean_of(states))
        keep(net, look(net, exam, unseen_of(exam, ALL)), options.out, name_of(ALL))
        print(name_of(ALL), f"done at {time.perf_counter() - began:.0f} s", flush=True)
    for count in options.smaller:
        name = f"layers{count}"
        if (options.out / f"{name}.pt").exists() or time.perf_counter() - began > options.deadline:
            continue
        kept = np.linspace(0, len(options.keep) - 1, count).round().astype(int).tolist()
        net = new(options.out / f"{name_of(ALL)}.pt", kept)
        plan = Plan(options.smaller_seconds, options.passes, options.second_rate, options.budget, seed=count)
        train(net, second, rows_for(second, ALL, options.passes, 17, options.learnt), plan, name)
        keep(net, look(net, exam, unseen_of(exam, ALL)), options.out, name)
        print(name, f"done at {time.perf_counter() - began:.0f} s", flush=True)
    (options.out / "done").write_text("done\n")


if __name__ == "__main__":
    main()
