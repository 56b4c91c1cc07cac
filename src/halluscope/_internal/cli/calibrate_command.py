"""The command `calibrate`: choose a threshold from labelled data and save it as a profile."""

from __future__ import annotations

import os
from typing import NamedTuple, cast

import msgspec
from rich.table import Table

from ..core.errors import InputError
from ..engine import metrics
from ..engine.judge import DEFAULT, VARIABLE, Judge, resolve
from ..engine.metric import Metric
from ..proof.bench.judge_run import CONCURRENCY, run_judge
from ..proof.calibration.fitting import CONFIDENCE, cautions, promised
from ..proof.calibration.fitting import calibrate as calibrated
from ..proof.sets.public_sets import load_set
from ..runs.labelled_case import LabelledCase, sample_of_cases
from ..runs.profile import MappingKind, Profile, profile_path
from ..stats.interval import Interval
from .app import command
from .options import judge_options, open_replies
from .terminal import console as new_console
from .terminal import print_json

RECALL = 0.8


@command("calibrate")
def calibrate(
    labels: str,
    judge: str | None = None,
    metric: str = "label",
    recall: float | None = None,
    false_alarms: float | None = None,
    confidence: float = CONFIDENCE,
    name: str | None = None,
    mapping: str | None = None,
    direction: str = "lower",
    limit: int | None = None,
    seed: int = 0,
    base_url: str | None = None,
    concurrency: int = CONCURRENCY,
    as_json: bool = False,
) -> None:
    """Choose a threshold from labelled data and save it as a profile for `check`, `eval` and `bench`.

    The judge scores the cases. Without --judge, the scores in the file (`probability` or `score`, 0 to 1)
    are used if there are any.
    """
    if mapping not in (None, "isotonic", "platt"):
        raise InputError(f"there is no mapping {mapping!r}: choose isotonic or platt.")
    recall = RECALL if recall is None and false_alarms is None else recall
    # Check all options before the judge is asked.
    promised(recall, false_alarms, confidence)
    loaded = load_set(labels)
    profile_path(name or loaded.name)
    cases = sample_of_cases(loaded.cases, limit, seed)
    kind = metrics.resolve(metric)
    if judge is None and all(item.score is not None for item in cases):
        scored = _from_file(cases, direction)
    else:
        scored = _judged(cases, resolve(judge, **judge_options(base_url, judge)), kind, concurrency)
    truth, probabilities = [t for t, _ in scored.pairs], [p for _, p in scored.pairs]
    profile = calibrated(
        truth,
        probabilities,
        name=name or loaded.name,
        judge=scored.judge,
        metric=kind.name,
        metric_version=scored.metric_version,
        recall=recall,
        false_alarms=false_alarms,
        confidence=confidence,
        mapping=cast("MappingKind | None", mapping),
    )
    warnings = cautions(profile, truth, probabilities)
    if profile.recall == profile.false_alarms == 1:
        why = next((caution for caution in warnings if "flag" in caution), "it flags every case.")
        raise InputError(f"no profile was saved, because it would flag every output: {why[0].lower()}{why[1:]}")
    path = profile.save()
    if len(truth) < len(cases):
        warnings.append(f"{len(cases) - len(truth)} of {len(cases)} cases got no verdict and were not used.")
    if as_json:
        data = {**msgspec.to_builtins(profile), "cautions": warnings, "path": str(path)}
        print_json(data)
    else:
        _show(profile, warnings)


class _Scored(NamedTuple):
    """The label and the judged probability of each case, and which judge gave them."""

    pairs: list[tuple[bool, float]]
    judge: str
    metric_version: str


def _judged(cases: list[LabelledCase], judge: Judge, metric: Metric, concurrency: int) -> _Scored:
    with open_replies(judge) as replies:
        run = run_judge(cases, judge, metric, concurrency=concurrency, cache=replies)
    pairs = [(j.item.hallucinated, j.probability) for j in run.judged if j.probability is not None]
    if not pairs:
        raise InputError("the judge gave no verdict on any case: there is nothing to calibrate.")
    return _Scored(pairs, run.judge, run.metric_version)


def _from_file(cases: list[LabelledCase], direction: str) -> _Scored:
    """Read the scores in the file, which does not name their judge."""
    if direction not in ("lower", "higher"):
        raise InputError(f"there is no direction {direction!r}: choose lower or higher.")
    scores = [item.score or 0.0 for item in cases]
    if any(not 0 <= score <= 1 for score in scores):
        raise InputError("the file has a score outside 0 to 1: scale the scores first.")
    if direction == "higher":
        scores = [1 - score for score in scores]
    pairs = [(item.hallucinated, score) for item, score in zip(cases, scores, strict=True)]
    return _Scored(pairs, os.environ.get(VARIABLE) or DEFAULT, "")


def _show(profile: Profile, warnings: list[str]) -> None:
    console = new_console()
    recall = profile.promise == "recall"
    target = f"recall of at least {profile.wanted:g}" if recall else f"at most {profile.wanted:g} false alarms"
    confidence = f"with {profile.confidence:.0%} confidence"
    console.print(f"Flag outputs with a probability of {profile.threshold:.4f} or more: {target}, {confidence}.")
    table = Table(show_edge=False, pad_edge=False)
    for title in ("on your labels", "", "95 % interval"):
        table.add_column(title, justify="left" if title.startswith("on") else "right")
    good = profile.n - profile.hallucinated
    caught, alarms = profile.recall_interval, profile.false_alarms_interval
    table.add_row(f"recall, of {profile.hallucinated} hallucinated", f"{profile.recall:.3f}", _range(caught))
    table.add_row(f"false alarms, of {good} factual", f"{profile.false_alarms:.3f}", _range(alarms))
    before, after = profile.ece_before, profile.ece_after
    if before is not None:
        table.add_row("calibration error of the judge's probabilities", f"{before:.3f}", "")
    if after is not None:
        table.add_row(
            f"calibration error after the mapping ({profile.mapping.kind}, cross-validated)", f"{after:.3f}", ""
        )
    console.print(table)
    for caution in warnings:
        console.print(f"• {caution}", style="yellow")
    console.print(f"saved; use it with --profile {profile.name}", style="dim")


def _range(interval: Interval) -> str:
    return f"{interval.low:.3f}-{interval.high:.3f}"
