"""What each signal of the joining layer brings: the layer fitted without it, on documents that it had not seen.

    python -m training.ablate MEASURED [SIGNAL[,SIGNAL...] ...] [--live DATA_FOLDER]

MEASURED is what `training.measure` wrote. With `--live` it is written here first, unless it is there: what the network
in the package says of the sets that it never learnt from, and of the stress test's answers. Without names every signal
is left out once, one after the other; signals that are joined by commas go together. One line a layer, as soon as it is
there; differences below 0.003 are noise, and below 0.006 with `--live`, which has fewer cases.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halluscope._internal.judges.embedded.deciding.signals import Fusion
from training import evaluate
from training.cases import stressed
from training.evaluate import FIVE, named
from training.figures import Scored, balanced_accuracy, f1
from training.fuse import FIT, claim_doubts, fit_support, load_measured
from training.measure import SIGNALS, Measured
from training.rows import fold_of_documents

ALWAYS = ("supported", "contradicted", "against", "alone")
"""What the network itself says: without it there is no judge."""
NOTHING: Mapping[str, float] = {"coverage": 1.0, "first": 0.5}
"""What a signal is where it tells nothing; 0 unless it stands here."""
SHOWN = (
    "short_answers",
    "rag answers",
    "bench_rag",
    "wice_dev",
    "lfqa",
    "summedits",
    "frank_all",
    "reworded",
    "stress",
)
CHANGES = 3
"""Of each answer of the stress test, so many changes."""
_NO_MATTER = {"constant": 0.0, "weights": {}}
"""In which way a claim is wrong is not asked here."""


def without(claim: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A measured claim as if some of its signals told nothing."""
    return {**claim, **{name: type(claim[name])(NOTHING.get(name, 0.0)) for name in names}}


def judged(
    cases: Sequence[Measured], names: Sequence[str], steps: int, fit: tuple[str, ...] = FIT
) -> dict[str, list[Scored]]:
    """The cases by set, as a layer without these signals judges them that has not seen their documents.

    It is fitted on the sets whose names begin as `fit` says.
    """
    changed = [{**case, "claims": [without(claim, names) for claim in case["claims"]]} for case in cases]
    found: dict[str, list[Scored]] = {}
    for fold in sorted({case["fold"] for case in changed}):
        mine = [case for case in changed if case["fold"] not in (fold, -1) and case["set"].startswith(fit)]
        fusion = Fusion.of({"support": fit_support(mine, steps), "contradiction": _NO_MATTER})
        for case in changed:
            if case["fold"] == fold:
                least = min(claim_doubts(case, fusion))
                found.setdefault(named(case), []).append(Scored(case["label"] != "supported", 1 - least))
    return found


def figures(found: Mapping[str, Sequence[Scored]]) -> dict[str, float]:
    """The figures by name: balanced accuracy, unless it says otherwise. Sets that are not there have none."""
    accuracy = {name: balanced_accuracy(scored) for name, scored in found.items()}
    ours = [value for name, value in accuracy.items() if name.startswith("written_")]
    every = {
        "mean of five": float(np.mean([accuracy[name] for name in FIVE])) if accuracy.keys() >= set(FIVE) else None,
        "ragtruth F1": f1(found["ragtruth"]) if "ragtruth" in found else None,
        "written": float(np.mean(ours)) if ours else None,
        **{name: accuracy.get(name) for name in SHOWN},
        "halueval_qa F1": f1(found["halueval_qa"]) if "halueval_qa" in found else None,
    }
    return {name: value for name, value in every.items() if value is not None}


def measure_live(data: Path, out: Path, workers: int, most: int | None) -> None:
    """Write what the network in the package says of cases that it has not seen, each document in one fold."""
    cases = [*evaluate.unseen(data, most), *stressed(CHANGES)]
    folds = fold_of_documents(cases)
    fold_of = {(case["set"], case["id"]): folds["\n".join(case["context"])] for case in cases}
    rows = evaluate.judged(cases, workers)
    with gzip.open(out, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps({**row, "fold": fold_of[row["set"], row["id"]]}) + "\n" for row in rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path)
    parser.add_argument("signals", nargs="*")
    parser.add_argument("--live", type=Path, help="the data folder")
    parser.add_argument("--count", type=int, help="at most so many cases of each of these sets, for a quick look")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=700, help="of each fit; the layer that ships has more")
    options = parser.parse_args(arguments)
    unknown = sorted({name for group in options.signals for name in group.split(",")} - set(SIGNALS))
    if unknown:
        parser.error(f"there is no signal {unknown[0]}: the signals are {', '.join(SIGNALS)}.")
    if options.live and not options.measured.exists():
        measure_live(options.live, options.measured, options.workers, options.count)
    cases = load_measured(options.measured)
    groups = options.signals or [name for name in SIGNALS if name not in ALWAYS]
    for group in ["", *groups]:
        names = group.split(",") if group else []
        shown = figures(judged(cases, names, options.steps, ("",) if options.live else FIT))
        if not group:
            print("| without | " + " | ".join(shown) + " |\n| --- |" + " --- |" * len(shown))
        cells = " | ".join(f"{figure:.3f}" for figure in shown.values())
        print(f"| {', '.join(names) or 'nothing left out'} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
