"""Networks of several sizes side by side, each by itself, on sets that nothing was learnt from.

    python -m training.sizes DATA TOKENIZER EXAM NETWORKS full layers8 layers6

The least supported claim decides; no rule and no joining layer takes part. What a size costs is printed by
`python -m benchmarks.embedded --against FOLDER` for the graphs that `training.export` makes of them.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from halluscope._internal.judges.embedded.claims.extracting import extract
from halluscope._internal.judges.embedded.network.passes import look_at
from training.cases import sample
from training.exam import COUNTS, context_of
from training.figures import Scored, area, balanced_accuracy, best
from training.pack import tokenizer_at
from training.recorded import Recorded
from training.sets import Case, sources

_NETWORKS: dict[str, Recorded] = {}


def _doubts(names: Sequence[str], case: Case) -> tuple[str, list[Scored]] | None:
    """How wrong each network holds an output to be; None for an output without a claim."""
    claims = extract(case["output"], case["input"])
    if not claims:
        return None
    given = context_of(case).given
    wrong = case["label"] != "supported"
    seen = [look_at(claims, case["output"], given, _NETWORKS[name], case["input"]) for name in names]
    return case["set"], [Scored(wrong, 1 - min(item.view.supported for item in found)) for found in seen]


def table(names: Sequence[str], found: dict[str, list[list[Scored]]]) -> list[str]:
    """One line a network: balanced accuracy at 0.5, in brackets at the best threshold, and the area."""
    lines = ["| network | " + " | ".join(found) + " |", "| --- |" + " --- |" * len(found)]
    for place, name in enumerate(names):
        cells = []
        for scored in found.values():
            mine = [item[place] for item in scored]
            at_best = best(mine, "balanced accuracy")
            cells.append(f"{balanced_accuracy(mine):.3f} ({at_best:.3f}, {area(mine):.3f})")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("packed", type=Path, help="the exam as it was packed")
    parser.add_argument("views", type=Path, help="the folder with the networks' views of it")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    tokenizer = tokenizer_at(options.tokenizer)
    for name in options.names:
        _NETWORKS[name] = Recorded(options.packed, options.views / f"views_{name}.npz", tokenizer)
    cases = [case for item in sources("measure") for case in sample(options.data, item.name, COUNTS[item.name])]
    found: dict[str, list[list[Scored]]] = {}
    with multiprocessing.get_context("fork").Pool(options.workers) as pool:
        for seen in pool.imap(partial(_doubts, options.names), cases, chunksize=16):
            if seen is not None:
                found.setdefault(seen[0], []).append(seen[1])
    print("\n".join(table(options.names, found)))


if __name__ == "__main__":
    main()
