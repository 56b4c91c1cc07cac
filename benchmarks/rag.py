"""The figures of a judge on the RAG benchmark that comes with the package, as Markdown.

    python -m benchmarks.rag [--judge local] [--metric label] [--limit N] [--into docs/bench-rag.md]

With --into they take the place of those in the page, between its two marks. The whole set takes some minutes.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from halluscope._internal.proof.bench.bench_report import BenchReport, bench
from halluscope._internal.proof.bench.figures import Figures, KindFigures

MARKS = re.compile(r"(?<=-->\n).*?(?=<!-- end of figures -->)", re.DOTALL)
ROWS = (
    ("balanced_accuracy", "balanced accuracy"),
    ("auroc", "AUROC"),
    ("f1", "F1 of hallucinated"),
    ("ece", "calibration error"),
    ("span_f1", "span F1"),
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="local")
    parser.add_argument("--metric", default="label")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--into", type=Path)
    options = parser.parse_args(arguments)
    page = options.into.read_text(encoding="utf-8") if options.into else ""
    if options.into and not MARKS.search(page):
        sys.stderr.write(f"{options.into} has no place for the figures.\n")
        return 2
    report = bench("rag", [(options.judge, options.metric)], limit=options.limit, mistakes=0)
    text = told(report)
    print(text)
    if options.into:
        options.into.write_text(MARKS.sub(lambda _: f"{text}\n", page, count=1), encoding="utf-8")
    return 0


def told(report: BenchReport) -> str:
    """Both tables: the figures, and the rates by kind."""
    judge, trivial = report.judges[0], report.baselines[1:]
    every = (judge, *trivial)
    lines = [
        f"`{judge.judge}` by the metric `{judge.metric}` on {judge.n:,} answers (cases {report.cases}), beside trivial "
        "judges that choose their direction and threshold with hindsight; in brackets 95 % intervals:\n",
        _row("", *(figures.judge for figures in every)),
        "| --- |" + " ---: |" * len(every),
        *(_row(title, *(_figure(figures, name) for figures in every)) for name, title in ROWS),
    ]
    for wrong in (True, False):
        lines += [
            "\n" + _row("wrong answers" if wrong else "right answers", "cases", *(figures.judge for figures in every)),
            "| --- |" + " ---: |" * (len(every) + 1),
        ]
        for entry in (kind for kind in judge.kinds if kind.hallucinated is wrong):
            lines.append(_row(f"`{entry.kind}`", str(entry.n), *(_rate(figures, entry) for figures in every)))
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _figure(figures: Figures, name: str) -> str:
    value, interval = getattr(figures, name), figures.intervals.get(name)
    if value is None:
        return "–"
    return f"{value:.3f}" + (f" ({interval[0]:.2f}–{interval[1]:.2f})" if interval else "")


def _rate(figures: Figures, like: KindFigures) -> str:
    found = next(kind for kind in figures.kinds if (kind.kind, kind.hallucinated) == (like.kind, like.hallucinated))
    return f"{found.rate:.2f} ({found.interval[0]:.2f}–{found.interval[1]:.2f})"


if __name__ == "__main__":
    sys.exit(main())
