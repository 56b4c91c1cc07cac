"""The table of figures: `python -m training.evaluate DATA_FOLDER`.

Sets the model has never seen are judged now, by the model in the package. Sets it was trained on are not: their
judgements come from `crossed.jsonl.gz`, which the training run writes. Each was made by a network and a layer that had
not seen the document. The figures also go into the model card.

`--live SET …` judges these sets now, whatever the network has learnt, and prints only their figures.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from halluscope._internal.judges.embedded.deciding.signals import shipped
from halluscope._internal.judges.embedded.deciding.verdicts import shipped_marking
from halluscope._internal.judges.embedded.network.model import load
from training.cases import sample
from training.exam import COUNTS
from training.figures import Scored, area, balanced_accuracy, best, calibration_error, f1, span_f1
from training.measure import called, evidence_found, measured, signals_of, token_scores
from training.sets import ONE_LINE, SOURCES, Case

HERE = Path(__file__).parent
CARD = HERE.parent / "MODEL_CARD.md"
LIVE_SETS = ("wice_dev", "lfqa", "halueval_qa", "frank_all", "bench_rag", "bench_evidence")
LIVE = {name: COUNTS[name] for name in LIVE_SETS}
FIVE = ("wice_dev", "factcheckgpt", "expertqa", "lfqa", "ragtruth")
PUBLISHED = {
    "wice_dev": "HHEM-2.1 0.759, MiniCheck-L 0.722, GPT-4o 0.785",
    "factcheckgpt": "HHEM-2.1 0.718, MiniCheck-L 0.747, GPT-4o 0.775",
    "expertqa": "HHEM-2.1 0.584, MiniCheck-L 0.590, GPT-4o 0.596",
    "lfqa": "HHEM-2.1 0.841, MiniCheck-L 0.852, GPT-4o 0.836",
    "ragtruth": "HHEM-2.1 0.699, MiniCheck-L 0.780, GPT-4o 0.843",
    "five": "HHEM-2.1 0.720, MiniCheck-L 0.738, GPT-4o 0.779",
    "ragtruth F1": "TinyLettuce 17M 0.685, 68M 0.750, GPT-4 (2023) 0.634, LettuceDetect-L 0.792",
    "ragtruth spans": "LettuceDetect-L 0.589",
    "halueval F1": "GPT-3.5 0.75, GPT-4 0.82 (Phoenix template, 2023)",
}
Row = dict[str, Any]


def _open() -> None:
    load(threads=1)


def _judge(case: Case) -> Row | None:
    found = measured(case, load(threads=1))
    fusion = shipped()
    supports = [fusion.judge_claim(signals_of(claim)).supported for claim in found["claims"]]
    if not supports:
        return None
    marks = called(token_scores(found, supports, shipped_marking()), shipped_marking())
    return {**found, "supported": supports, "called": marks, **evidence_found(found, supports)}


def unseen(data: Path, most: int | None = None) -> list[Case]:
    """The cases of the sets that the shipped model has never seen, at most so many of each."""
    return [case for name, count in LIVE.items() for case in sample(data, name, min(count, most or count))]


def judged(cases: Iterable[Case], workers: int) -> list[Row]:
    """Cases as the shipped model judges them; those without a claim are left out."""
    with multiprocessing.Pool(workers, _open) as pool:
        return [row for row in pool.imap(_judge, cases, chunksize=4) if row is not None]


def crossed(path: Path = HERE / "crossed.jsonl.gz") -> list[Row]:
    """The kept judgements of the fold models."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _scored(rows: list[Row]) -> dict[str, list[Scored]]:
    wrong = [row["label"] != "supported" for row in rows]
    return {
        "ours": [Scored(w, 1 - min(row["supported"])) for w, row in zip(wrong, rows, strict=True)],
        "length": [Scored(w, row["length"]) for w, row in zip(wrong, rows, strict=True)],
        "overlap": [Scored(w, 1 - row["overlap"]) for w, row in zip(wrong, rows, strict=True)],
    }


def _line(name: str, measure: str, count: int, values: list[float], must: str, published: str) -> str:
    shown = " | ".join("–" if np.isnan(value) else f"{value:.3f}" for value in values)
    return f"| {name} | {measure} | {count} | {shown} | {must} | {published} |"


def named(row: Row) -> str:
    """The set as the table has it: our whole answers are one, those on single passages another."""
    name: str = row["set"]
    if name.startswith("written_rag"):
        return "rag answers"
    if name.startswith("evidence_"):
        return "one-line claims" if name.startswith(ONE_LINE) else "answers over passages"
    return "written answers" if name.startswith("written") and row["task"] == "qa" else name


QUOTING = {"one-line claims": "0.88", "answers over passages": "0.79", "bench_evidence": ""}
"""The sets that quote what decides, and the balanced accuracy that each must reach."""


def _found(rows: list[Row], key: str) -> float:
    """How often the quote decides, among the claims whose verdict is right and that something decides."""
    right = [row for row in rows if row["label"] != "unsupported"]
    right = [row for row in right if (min(row["supported"]) >= 0.5) == (row["label"] == "supported")]
    return float(np.mean([row[key] for row in right])) if right else float("nan")


def quoting_lines(by: Mapping[str, list[Row]]) -> list[str]:
    """Verdicts, evidence and marks on the sets that quote what decides, as far as there are judgements of them."""
    lines = []
    for name, must in QUOTING.items():
        mine = by.get(name, [])
        if not mine:
            continue
        scored, plain = _scored(mine), float("nan")
        values = [balanced_accuracy(scored["ours"])]
        values += [best(scored[key], "balanced accuracy") for key in ("length", "overlap")]
        lines.append(_line(name, "balanced accuracy", len(mine), values, must, ""))
        passed = [min(row["supported"]) >= 0.5 for row in mine if row["label"] == "supported"]
        lines.append(_line(name, "right ones passed", len(passed), [float(np.mean(passed)), plain, plain], "", ""))
        found = [_found(mine, "quote"), plain, _found(mine, "by overlap")]
        must = "0.65" if name == "answers over passages" else ""
        lines.append(_line(name, "evidence found", len(mine), found, must, ""))
        marks = span_f1((row["spans"], row["called"]) for row in mine)
        must = "0.68" if name == "answers over passages" else ""
        lines.append(_line(name, "F1, marked words", len(mine), [marks, plain, plain], must, ""))
    return lines


HEAD = (
    "| set | measure | outputs | ours | length | overlap | must reach | published |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
)


def grouped(rows: list[Row]) -> dict[str, list[Row]]:
    """The rows of each set, as the table has them."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(named(row), []).append(row)
    return found


def table(rows: list[Row]) -> list[str]:
    """The figures, each next to the trivial judges at their best threshold and to what others publish."""
    by = grouped(rows)
    lines = list(HEAD)
    accuracy: dict[str, list[float]] = {}
    for name, mine in by.items():
        scored = _scored(mine)
        accuracy[name] = [
            balanced_accuracy(scored["ours"]),
            *(best(scored[key], "balanced accuracy") for key in ("length", "overlap")),
        ]
    mean = [float(np.mean([accuracy[name][place] for name in FIVE])) for place in range(3)]
    lines.append(
        _line(
            "mean of the five below",
            "balanced accuracy",
            sum(len(by[name]) for name in FIVE),
            mean,
            "0.745",
            PUBLISHED["five"],
        )
    )
    for name in FIVE:
        lines.append(_line(name, "balanced accuracy", len(by[name]), accuracy[name], "", PUBLISHED[name]))
    scored = _scored(by["ragtruth"])
    lines.append(
        _line(
            "ragtruth",
            "F1, whole answers",
            len(by["ragtruth"]),
            [f1(scored["ours"]), best(scored["length"], "f1"), best(scored["overlap"], "f1")],
            "0.72",
            PUBLISHED["ragtruth F1"],
        )
    )
    spans = span_f1((row["spans"], row["called"]) for row in by["ragtruth"])
    lines.append(
        _line(
            "ragtruth",
            "F1, characters",
            len(by["ragtruth"]),
            [spans, float("nan"), float("nan")],
            "0.45",
            PUBLISHED["ragtruth spans"],
        )
    )
    scored = _scored(by["halueval_qa"])
    lines.append(
        _line(
            "halueval_qa",
            "F1",
            len(by["halueval_qa"]),
            [f1(scored["ours"]), best(scored["length"], "f1"), best(scored["overlap"], "f1")],
            "0.75",
            PUBLISHED["halueval F1"],
        )
    )
    ours = sorted(name for name in by if name.startswith("written_"))
    mean = [float(np.mean([accuracy[name][place] for name in ours])) for place in range(3)]
    lines.append(
        _line(
            "written, mean of eight files", "balanced accuracy", sum(len(by[name]) for name in ours), mean, "0.86", ""
        )
    )
    for name, must in [
        *((name, "") for name in ours),
        ("written answers", ""),
        ("rag answers", "0.74"),
        ("short_answers", ""),
        ("page_claims", ""),
        ("absences", ""),
        ("bench_rag", "0.74"),
        ("summedits", "0.75"),
        ("frank_all", "0.74"),
    ]:
        lines.append(_line(name, "balanced accuracy", len(by[name]), accuracy[name], must, ""))
    lines += quoting_lines(by)
    lines += ["", "| set | area under the curve | calibration error |", "| --- | --- | --- |"]
    for name, mine in sorted(by.items()):
        scored = _scored(mine)
        lines.append(f"| {name} | {area(scored['ours']):.3f} | {calibration_error(scored['ours']):.3f} |")
    known = [item for name, mine in by.items() if name not in LIVE for item in _scored(mine)["ours"]]
    lines.append(f"| all cross-validated sets together | {area(known):.3f} | {calibration_error(known):.3f} |")
    return lines


def put(text: str, mark: str, lines: list[str]) -> str:
    """Replace what stands between two marks of the card."""
    head, _, rest = text.partition(f"<!-- {mark} -->\n")
    _, _, tail = rest.partition(f"<!-- end of {mark} -->")
    return f"{head}<!-- {mark} -->\n" + "".join(f"{line}\n" for line in lines) + f"<!-- end of {mark} -->{tail}"


def write_card(lines: list[str], card: Path = CARD) -> None:
    """The figures and the sets, into the model card."""
    second = ("folds", "answers", "absences", "shared", "evidence")
    uses = {"base": "first stage", **dict.fromkeys(second, "second stage")}
    learned = ["| set | licence | use |", "| --- | --- | --- |"]
    named = [("written_rag" if item.name.startswith("written_rag") else item.name, item) for item in SOURCES]
    rows = [f"| {name} | {item.licence} | {uses[item.use]} |" for name, item in named if item.use in uses]
    learned += dict.fromkeys(rows)
    text = put(card.read_text(encoding="utf-8"), "figures", lines)
    card.write_text(put(text, "sources", learned), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--count", type=int, help="at most so many cases of each set that is judged now")
    parser.add_argument("--live", nargs="+", default=[], metavar="SET", help="sets that quote what decides, judged now")
    parser.add_argument("--kept", action="store_true", help="the kept judgements on unseen sets too, in seconds")
    parser.add_argument("--no-card", action="store_true", help="print only")
    options = parser.parse_args()
    if options.live:
        cases = [case for name in options.live for case in sample(options.data, name, options.count or 10_000)]
        print("\n".join([*HEAD, *quoting_lines(grouped(judged(cases, options.workers)))]))
        return
    kept = crossed()
    if not options.kept:
        live = judged(unseen(options.data, options.count), options.workers)
        kept = [*(row for row in kept if row["fold"] >= 0), *live]
    lines = table(kept)
    print("\n".join(lines))
    if not options.no_card:
        write_card(lines)


if __name__ == "__main__":
    main()
