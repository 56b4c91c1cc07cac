"""The README's table: one judge on every labelled set of a folder, next to the trivial judges, as Markdown.

    python scripts/readme_table.py FOLDER [--judge local] [--metric label] [--limit N] [--only NAME …]

Every file of the folder that `halluscope bench` can read is a row. The command that reproduces a row
is `halluscope bench FOLDER/FILE --judge … --metric …`; that for the whole table is printed below it.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from halluscope._internal.core.errors import HalluscopeError
from halluscope._internal.engine import metrics
from halluscope._internal.engine.judge import resolve
from halluscope._internal.proof.bench.bench_report import BenchReport, bench
from halluscope._internal.proof.bench.figures import Figures

HEAD = ("set", "cases", "balanced accuracy", "F1 of hallucinated", "AUROC", "ECE", "span F1", "coverage")
TRIVIAL = ("length alone, AUROC", "overlap alone, AUROC")


def row(name: str, report: BenchReport) -> list[str]:
    """A set's line."""
    own = report.judges[0]
    _, length, overlap = report.baselines
    cells = [name, f"{own.n:,}", _ranged(own, "balanced_accuracy"), _ranged(own, "f1"), _ranged(own, "auroc")]
    cells += [_number(own.ece), _number(own.span_f1), f"{own.coverage:.2f}"]
    return [*cells, _number(length.auroc), _number(overlap.auroc)]


def table(reports: dict[str, BenchReport]) -> str:
    """All lines, with the mean of the balanced accuracies below."""
    lines = ["| " + " | ".join((*HEAD, *TRIVIAL)) + " |", "| --- |" + " ---: |" * (len(HEAD) + len(TRIVIAL) - 1)]
    lines += ["| " + " | ".join(row(name, report)) + " |" for name, report in reports.items()]
    known = [r.judges[0].balanced_accuracy for r in reports.values() if r.judges[0].balanced_accuracy is not None]
    if len(known) > 1:
        blank = " |" * (len(HEAD) + len(TRIVIAL) - 3)
        lines.append(f"| **mean of {len(known)}** | | **{sum(known) / len(known):.3f}** |{blank}")
    return "\n".join(lines)


def _ranged(figures: Figures, name: str) -> str:
    value, interval = getattr(figures, name), figures.intervals.get(name)
    if value is None:
        return "–"
    return f"{value:.3f}" + (f" ({interval[0]:.2f}–{interval[1]:.2f})" if interval else "")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def main(arguments: list[str]) -> int:
    """Measure and print; a file that cannot be read is told on stderr and left out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--judge", default="local")
    parser.add_argument("--metric", default="label")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", help="names of sets; all, if left out")
    asked = parser.parse_args(arguments)
    judge, metric = resolve(asked.judge), metrics.resolve(asked.metric)
    reports: dict[str, BenchReport] = {}
    for path in sorted(asked.folder.glob("*")):
        name = path.name.split(".")[0]
        if not path.is_file() or (asked.only and name not in asked.only):
            continue
        try:
            reports[name] = bench(str(path), [(judge, metric)], limit=asked.limit, seed=asked.seed, mistakes=0)
        except HalluscopeError as error:
            sys.stderr.write(f"{path.name}: left out: {error}\n")
            continue
        sys.stderr.write(f"{name}: done, {reports[name].judges[0].cases_per_second} cases per second\n")
    if not reports:
        sys.stderr.write(f"no labelled set in {asked.folder}\n")
        return 2
    command = ["python", "scripts/readme_table.py", "FOLDER", *arguments[arguments.index(str(asked.folder)) + 1 :]]
    sys.stdout.write(
        f"{table(reports)}\n\n"
        f"Judge `{asked.judge}`, metric `{asked.metric}`; in brackets 95 % bootstrap intervals. The last two columns "
        "are judges that do not read: they show what a set gives away.\n"
        f"Reproduce with `{shlex.join(command)}`.\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
