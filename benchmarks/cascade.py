"""What a cascade of a judge with a perfect but costly second judge reaches, on folders of labelled sets.

    python -m benchmarks.cascade DATA_FOLDER [--judge local] [--share 0.3] [--limit 300] [--svg FILE] [--json FILE]

Every *.jsonl(.gz) in the folder is a set of labelled cases. The second judge is simulated: it knows the
label and costs 1 a case. The table says which part of the first judge's errors is closed when the
least certain share of each set is passed on; passing on at random would close just that share. The last
column is for a band whose ends were chosen freely on one half of the set and measured on the other.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from halluscope._internal.engine.judge import resolve
from halluscope._internal.engine.metrics import resolve as metric_named
from halluscope._internal.proof.bench.cascade_curve import (
    Band,
    Doubt,
    DoubtTable,
    band_chart,
    band_svg,
    bands,
    doubts,
    frontier,
)
from halluscope._internal.proof.bench.judge_run import run_judge
from halluscope._internal.proof.sets.public_sets import load_set
from halluscope._internal.runs.labelled_case import sample_of_cases

START, END = "<!-- curve -->\n", "<!-- end of curve -->"
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    files = sorted(
        path for path in Path(options.folder).iterdir() if ".jsonl" in path.suffixes or ".json" in path.suffixes
    )
    wanted = [path for path in files if not options.sets or path.name.split(".")[0] in options.sets.split(",")]
    if not wanted:
        print(f"no *.jsonl or *.jsonl.gz in {options.folder}", file=sys.stderr)
        return 2
    judge, metric = resolve(options.judge), metric_named(options.metric, include_reason=False)
    every: list[Doubt] = []
    rows: list[dict[str, object]] = []
    print(f"{'set':24} {'cases':>6} {'errors':>7} {'balanced':>9} {'with':>7} {'closed':>7} {'lopsided':>9}")
    for path in wanted:
        started = time.perf_counter()
        cases = sample_of_cases(load_set(str(path)).cases, options.limit, options.seed)
        found = doubts(run_judge(cases, judge, metric, concurrency=8))
        if not found:
            print(f"{path.name.split('.')[0]:24} {'no case was scored':>20}")
            continue
        every += found
        rows.append(_row(path.name.split(".")[0], found, options.share))
        _print(rows[-1], time.perf_counter() - started)
    rows.append(_row("all together", every, options.share))
    _print(rows[-1], 0.0)
    mean = _mean([row["errors_closed"] for row in rows[:-1]])
    print(f"\nat {options.share:.0%} escalation: {mean:.3f} of the errors closed on average over the sets,")
    print(f"{rows[-1]['errors_closed']:.3f} over all cases together; by chance it would be {options.share:.3f}\n")
    curve = [DoubtTable(every).at_share(share) for share in SHARES]
    print(_markdown(curve))
    drawn = bands(every)
    print("\nbands of their own, the best for their cost:\n")
    print(_markdown(_thinned(frontier(drawn))))
    print(f"\n{band_chart(drawn)}")
    if options.svg:
        Path(options.svg).write_text(band_svg(drawn, f"{judge.name} with a perfect second judge"), encoding="utf-8")
    if options.docs:
        _document(Path(options.docs), rows, curve, mean, options)
        picture = Path(options.docs).parent / "images" / "cascade.svg"
        picture.parent.mkdir(exist_ok=True)
        picture.write_text(band_svg(drawn, f"{judge.name} with a perfect second judge"), encoding="utf-8")
    if options.json:
        Path(options.json).write_text(
            json.dumps({"share": options.share, "mean": mean, "sets": rows}, indent=1), encoding="utf-8"
        )
    return 0 if mean >= options.must_close else 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--judge", default="local")
    parser.add_argument("--metric", default="label")
    parser.add_argument("--share", type=float, default=0.3, help="the share of cases that is passed on")
    parser.add_argument("--limit", type=int, default=300, help="cases of each set")
    parser.add_argument("--sets", default="", help="only these sets, by comma")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--svg")
    parser.add_argument("--json")
    parser.add_argument("--docs", help="a Markdown file whose curve is replaced by this one")
    parser.add_argument("--must-close", type=float, default=0.4, help="exit with 1 if fewer errors are closed")
    return parser.parse_args(arguments)


def _row(name: str, found: list[Doubt], share: float) -> dict[str, object]:
    alone, helped = DoubtTable(found).at_share(0.0), DoubtTable(found).at_share(share)
    return {
        "set": name,
        "cases": len(found),
        "errors": sum(case.flagged != case.truth for case in found),
        "balanced_accuracy": alone.balanced_accuracy,
        "balanced_accuracy_with": helped.balanced_accuracy,
        "errors_closed": helped.errors_closed,
        "errors_closed_best": _cross_checked(found, share),
    }


def _cross_checked(found: list[Doubt], share: float) -> float | None:
    """The best band of one half, measured on the other half, both ways."""
    halves = found[0::2], found[1::2]
    if min(map(len, halves)) < 20:
        return None
    measured = []
    for chosen_on, measured_on in (halves, halves[::-1]):
        band = best_at(chosen_on, share)
        measured.append(DoubtTable(measured_on).band(band.low, band.high))
    closed = [band.errors_closed for band in measured if band.errors_closed is not None]
    return sum(closed) / len(closed) if closed else None


def best_at(cases: list[Doubt], share: float) -> Band:
    """The band that closes most errors with at most this share for the second judge."""
    affordable = [band for band in bands(cases) if band.share <= share]
    nothing = DoubtTable(cases).band(0.5, 0.5)
    return max(affordable or [nothing], key=lambda band: (band.errors_closed or 0.0, -band.share))


def _document(
    path: Path, rows: list[dict[str, object]], curve: list[Band], mean: float, options: argparse.Namespace
) -> None:
    """Write the figures between the file's two marks."""
    text = path.read_text(encoding="utf-8")
    start, end = text.index(START) + len(START), text.index(END)
    lines = [
        "",
        f"With `{options.judge}` as the first judge and a simulated second judge that is always right and costs 1 a",
        f"case, {options.limit} cases of each set, {options.share:.0%} of the cases passed on (at random that would "
        f"close {options.share:.2f} of the errors):",
        "",
        "| set | cases | errors | balanced accuracy | with the second judge | errors closed |",
        "| --- | --- | --- | --- | --- | --- |",
        *(
            f"| {row['set']} | {row['cases']} | {row['errors']} | {row['balanced_accuracy']:.3f} "
            f"| {row['balanced_accuracy_with']:.3f} | {_shown(row['errors_closed'])} |"
            for row in rows
        ),
        f"| mean of the sets | | | | | {mean:.3f} |",
        "",
        "All cases together, by how much is passed on:",
        "",
        _markdown(curve),
        "",
        "![balanced accuracy against cost for all bands](images/cascade.svg)",
        "",
        "`python -m benchmarks.cascade DATA_FOLDER --docs docs/cascade.md` prints and writes this.",
        "",
    ]
    path.write_text(text[:start] + "\n".join(lines) + text[end:], encoding="utf-8")


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else ""


def _print(row: dict[str, object], seconds: float) -> None:
    closed = row["errors_closed"]
    told = "no error" if closed is None else f"{closed:.3f}"
    best = row["errors_closed_best"]
    shown = "" if best is None else f"{best:.3f}"
    took = f"  {seconds:.0f} s" if seconds else ""
    print(
        f"{row['set']:24} {row['cases']:6} {row['errors']:7} {row['balanced_accuracy']:9.3f} "
        f"{row['balanced_accuracy_with']:7.3f} {told:>7} {shown:>9}{took}",
        flush=True,
    )


def _mean(values: list[object]) -> float:
    known = [value for value in values if isinstance(value, float)]
    return sum(known) / len(known) if known else float("nan")


def _thinned(best: tuple[Band, ...], most: int = 12) -> list[Band]:
    """About `most` of the bands, evenly over their shares."""
    kept: list[Band] = []
    for band in best:
        if not kept or band.share - kept[-1].share >= 1 / most or band is best[-1]:
            kept.append(band)
    return kept


def _markdown(found: list[Band]) -> str:
    lines = ["| low | high | passed on | balanced accuracy | errors closed |", "| --- | --- | --- | --- | --- |"]
    for b in found:
        closed = "" if b.errors_closed is None else f"{b.errors_closed:.3f}"
        lines.append(f"| {b.low:.3f} | {b.high:.3f} | {b.share:.0%} | {b.balanced_accuracy:.3f} | {closed} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
