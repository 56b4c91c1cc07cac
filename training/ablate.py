"""What each signal of the joining layer brings: the layer fitted without it, on documents that it had not seen.

    python -m training.ablate MEASURED [SIGNAL[,SIGNAL...] ...]

MEASURED is what `training.measure` wrote. Without names every signal is left out once, one after the other; signals
that are joined by commas go together. One line a layer, as soon as it is there; differences below 0.003 are noise.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halluscope._internal.embedded.deciding.fusion import Fusion
from training.evaluate import FIVE, named
from training.figures import Scored, balanced_accuracy, f1
from training.fuse import FIT, claim_doubts, fit_support, load_measured
from training.measure import SIGNALS, Measured
from training.rows import FOLDS

ALWAYS = ("supported", "contradicted", "against", "alone")
"""What the network itself says: without it there is no judge."""
NOTHING: Mapping[str, float] = {"coverage": 1.0, "first": 0.5}
"""What a signal is where it tells nothing; 0 unless it stands here."""
SHOWN = ("short_answers", "rag answers", "bench_rag", "summedits", "frank_all", "reworded")
TITLES = ("without", "mean of five", "ragtruth F1", "written", *SHOWN, "halueval_qa F1")
_NO_MATTER = {"constant": 0.0, "weights": {}}
"""In which way a claim is wrong is not asked here."""


def without(claim: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A measured claim as if some of its signals told nothing."""
    return {**claim, **{name: type(claim[name])(NOTHING.get(name, 0.0)) for name in names}}


def judged(cases: Sequence[Measured], names: Sequence[str], steps: int) -> dict[str, list[Scored]]:
    """The cases by set, as a layer without these signals judges them that has not seen their documents."""
    changed = [{**case, "claims": [without(claim, names) for claim in case["claims"]]} for case in cases]
    found: dict[str, list[Scored]] = {}
    for fold in range(-1, FOLDS):
        mine = [case for case in changed if case["fold"] not in (fold, -1) and case["set"].startswith(FIT)]
        fusion = Fusion.of({"support": fit_support(mine, steps), "contradiction": _NO_MATTER})
        for case in changed:
            if case["fold"] == fold:
                least = min(claim_doubts(case, fusion))
                found.setdefault(named(case), []).append(Scored(case["label"] != "supported", 1 - least))
    return found


def line(title: str, found: Mapping[str, Sequence[Scored]]) -> str:
    """One line of the table; sets that are not there are left open."""
    accuracy = {name: balanced_accuracy(scored) for name, scored in found.items()}
    ours = [value for name, value in accuracy.items() if name.startswith("written_")]
    nan = float("nan")
    figures = [
        float(np.mean([accuracy.get(name, nan) for name in FIVE])),
        f1(found["ragtruth"]) if "ragtruth" in found else nan,
        float(np.mean(ours)) if ours else nan,
        *(accuracy.get(name, nan) for name in SHOWN),
        f1(found["halueval_qa"]) if "halueval_qa" in found else nan,
    ]
    cells = ("–" if np.isnan(figure) else f"{figure:.3f}" for figure in figures)
    return f"| {title} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path)
    parser.add_argument("signals", nargs="*")
    parser.add_argument("--steps", type=int, default=700, help="of each fit; the layer that ships has more")
    options = parser.parse_args(arguments)
    unknown = sorted({name for group in options.signals for name in group.split(",")} - set(SIGNALS))
    if unknown:
        parser.error(f"there is no signal {unknown[0]}: the signals are {', '.join(SIGNALS)}.")
    cases = load_measured(options.measured)
    print("| " + " | ".join(TITLES) + " |\n| --- |" + " --- |" * (len(TITLES) - 1), flush=True)
    groups = options.signals or [name for name in SIGNALS if name not in ALWAYS]
    for group in ["", *groups]:
        names = group.split(",") if group else []
        print(line(", ".join(names) or "nothing left out", judged(cases, names, options.steps)), flush=True)


if __name__ == "__main__":
    main()
