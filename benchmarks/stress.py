"""The stress test: the catch rate per kind of change, and the false alarms, of copied and of reworded answers.

    python -m benchmarks.stress [FOLDER_OR_FILE] [--judge local] [--passages 200] [--answers] [--json FILE]

Without data, the answers that come with the package. A folder's *.jsonl(.gz) files are mixed by seed and one
answer is taken per passage: sentences of the passage itself, or with --answers the answers in the files that are
labelled as supported. Exits with 1 where less is caught, or more alarms are false, than should be.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from pathlib import Path
from typing import Any

from halluscope._internal.proof.stress.stress_report import StressReport
from halluscope._internal.proof.stress.stress_test import stress

MUST_CATCH = {"copied": 0.95, "reworded": 0.85}
MOST_FALSE_ALARMS = 0.05


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--judge", default="local")
    parser.add_argument("--metric", default="hallucination")
    parser.add_argument("--passages", type=int, help="take so many answers: 200 of a folder's, all of the package's")
    parser.add_argument("--answers", action="store_true", help="change the answers in the data, not the passages")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, help="show so many mistakes of each kind")
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    rows, most = None, options.passages
    if options.data:
        rows, most = _rows(Path(options.data), options.answers), options.passages or 200
        random.Random(options.seed).shuffle(rows)
    report = stress(rows, options.judge, metric=options.metric, limit=most, seed=options.seed)
    _print(report, options.show)
    if options.json:
        Path(options.json).write_text(json.dumps(report.to_dict(), indent=1), encoding="utf-8")
    return 0 if _holds(report) else 1


def _rows(path: Path, answers: bool) -> list[dict[str, Any]]:
    files = sorted(path.glob("*.jsonl*")) if path.is_dir() else [path]
    by_passage: dict[str, dict[str, Any]] = {}
    for file in files:
        opened = gzip.open if file.suffix == ".gz" else open
        with opened(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                good = row.get("label") in ("supported", "factual", 0, None)
                key = json.dumps(row.get("context"))
                if answers and good and len(row["output"]) > len(by_passage.get(key, {}).get("output", "")):
                    by_passage[key] = {name: row.get(name) for name in ("id", "output", "context", "input")}
                elif not answers:
                    by_passage.setdefault(key, {"id": row.get("id"), "passage": row.get("context")})
    return list(by_passage.values())


def _print(report: StressReport, show: int) -> None:
    print(f"{report.judge}, {report.metric}: {report.cases} answers, {report.seconds:.0f} s")
    print(
        f"without a score: {report.unchanged.unjudged + sum(row.unjudged for row in report.kinds)}; "
        "only answers that are not flagged unchanged are changed\n"
    )
    for wording, part in report.parts.items():
        print(f"| {wording}, {part.cases} answers | tried | flagged | rate | 95 % interval |")
        print("| --- | --- | --- | --- | --- |")
        for row in (part.unchanged, *part.kinds):
            print(f"| {row.kind} | {row.n} | {row.flagged} | {_rate(row.rate, row.interval)} |")
        print(f"| **caught** | | | {_rate(part.catch_rate, part.catch_interval)} |")
        print(
            f"| **false alarms on harmless rewrites** | | | {_rate(part.false_alarms, part.false_alarms_interval)} |\n"
        )
    for row in report.kinds:
        for mistake in report.missed(row.kind)[:show]:
            place = mistake.mutant.output[max(0, mistake.mutant.start - 60) : mistake.mutant.start + 80]
            print(f"  {row.kind}: {mistake.mutant.what} | …{place}… | {mistake.reason or ''}")


def _rate(rate: float | None, interval: tuple[float, float] | None) -> str:
    between = "" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"
    return "none tried | " if rate is None else f"{rate:.3f} | {between}"


def _holds(report: StressReport) -> bool:
    return all(
        (part.catch_rate or 0.0) >= MUST_CATCH[wording] and (part.false_alarms or 0.0) <= MOST_FALSE_ALARMS
        for wording, part in report.parts.items()
    )


if __name__ == "__main__":
    sys.exit(main())
