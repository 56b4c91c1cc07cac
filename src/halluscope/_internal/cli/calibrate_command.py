"""`calibrate` makes a profile from labelled cases: a threshold with a promise."""

from __future__ import annotations

import os
from typing import Annotated, NamedTuple, cast

import msgspec
import typer
from rich.table import Table

from .. import metrics
from ..errors import InputError
from ..judge import DEFAULT, VARIABLE, Judge, resolve
from ..measuring.bench.judge_run import CONCURRENCY, run_judge
from ..measuring.calibration.fitting import CONFIDENCE, cautions, promised
from ..measuring.calibration.fitting import calibrate as calibrated
from ..measuring.calibration.profile import MappingKind, Profile, profile_path
from ..measuring.labelled_case import LabelledCase, sample_of_cases
from ..measuring.sets.public_sets import load_set
from ..metric import Metric
from ..stats.interval import Interval
from .app import app
from .open_store import kept_replies
from .options import BaseUrl, CasesAtOnce, DrawnLimit, JudgeName, MetricName, judge_options
from .terminal import console as new_console
from .terminal import print_json

RECALL = 0.8


@app.command("calibrate")
def calibrate(
    labels: Annotated[str, typer.Argument(help="A file of labelled cases, or a public set.")],
    judge: JudgeName = None,
    metric: MetricName = "label",
    recall: Annotated[
        float | None, typer.Option(help=f"The share of hallucinated outputs to catch (unless told otherwise {RECALL}).")
    ] = None,
    false_alarms: Annotated[
        float | None, typer.Option(help="Or: the share of factual outputs that may be flagged.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="With which the promise holds.")] = CONFIDENCE,
    name: Annotated[
        str | None, typer.Option(help="The profile's name (unless told otherwise that of the file).")
    ] = None,
    mapping: Annotated[
        str | None, typer.Option(help="isotonic or platt (unless told otherwise by the number of labels).")
    ] = None,
    direction: Annotated[
        str, typer.Option(help="Which scores in the file are better: lower, or higher as for faithfulness.")
    ] = "lower",
    limit: DrawnLimit = None,
    seed: Annotated[int, typer.Option(help="Of the drawing.")] = 0,
    base_url: BaseUrl = None,
    concurrency: CasesAtOnce = CONCURRENCY,
    as_json: Annotated[bool, typer.Option("--json", help="Print the profile as JSON.")] = False,
) -> None:
    """Choose a threshold from your own labels, and keep it as a profile for `check`, `eval` and `bench`.

    The cases are put to the judge. Without --judge, scores that stand in the file (`probability` or
    `score`, 0 to 1) are used instead.
    """
    if mapping not in (None, "isotonic", "platt"):
        raise InputError(f"there is no mapping {mapping!r}: choose isotonic or platt.")
    recall = RECALL if recall is None and false_alarms is None else recall
    # Whatever is wrong with the options is said before a judge is paid.
    promised(recall, false_alarms, confidence)
    loaded = load_set(labels)
    profile_path(name or loaded.name)
    cases = sample_of_cases(loaded.cases, limit, seed)
    kind = metrics.resolve(metric)
    if judge is None and all(item.score is not None for item in cases):
        scored = _given(cases, direction)
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
    said = cautions(profile, truth, probabilities)
    if profile.recall == profile.false_alarms == 1:
        why = next((caution for caution in said if "flag" in caution), "it flags every case.")
        raise InputError(f"no profile is made, it would flag every output: {why[0].lower()}{why[1:]}")
    path = profile.save()
    if len(truth) < len(cases):
        said.append(f"{len(cases) - len(truth)} of {len(cases)} cases got no verdict and were left out.")
    if as_json:
        data = {**msgspec.to_builtins(profile), "cautions": said, "path": str(path)}
        print_json(msgspec.json.encode(data).decode())
    else:
        _show(profile, said)


class _Scored(NamedTuple):
    """For each case whether it is hallucinated and how likely that was said to be, and who said so."""

    pairs: list[tuple[bool, float]]
    judge: str
    metric_version: str


def _judged(cases: list[LabelledCase], judge: Judge, metric: Metric, concurrency: int) -> _Scored:
    with kept_replies(judge) as replies:
        run = run_judge(cases, judge, metric, concurrency=concurrency, cache=replies)
    pairs = [(j.item.hallucinated, j.probability) for j in run.judged if j.probability is not None]
    if not pairs:
        raise InputError("the judge gave no verdict on any case, so there is nothing to calibrate.")
    return _Scored(pairs, run.judge, run.metric_version)


def _given(cases: list[LabelledCase], direction: str) -> _Scored:
    """The scores that stand in the file; whose they are it does not say."""
    if direction not in ("lower", "higher"):
        raise InputError(f"there is no direction {direction!r}: choose lower or higher.")
    scores = [item.score or 0.0 for item in cases]
    if any(not 0 <= score <= 1 for score in scores):
        raise InputError("a score in the file lies outside 0 to 1: scale the scores first.")
    if direction == "higher":
        scores = [1 - score for score in scores]
    pairs = [(item.hallucinated, score) for item, score in zip(cases, scores, strict=True)]
    return _Scored(pairs, os.environ.get(VARIABLE) or DEFAULT, "")


def _show(profile: Profile, said: list[str]) -> None:
    console = new_console()
    what = f"recall of at least {profile.wanted:g}" if profile.promise == "recall" else ""
    what = what or f"at most {profile.wanted:g} false alarms"
    console.print(
        f"Flag an output from probability {profile.threshold:.4f} on: {what}, with {profile.confidence:.0%} confidence."
    )
    table = Table(show_edge=False, pad_edge=False)
    for title in ("on your labels", "", "95 % interval"):
        table.add_column(title, justify="left" if title.startswith("on") else "right")
    good = profile.n - profile.hallucinated
    caught, alarms = profile.recall_interval, profile.false_alarms_interval
    table.add_row(f"recall, of {profile.hallucinated} hallucinated", f"{profile.recall:.3f}", _range(caught))
    table.add_row(f"false alarms, of {good} factual", f"{profile.false_alarms:.3f}", _range(alarms))
    before, after = profile.ece_before, profile.ece_after
    if before is not None:
        table.add_row("calibration error as the judge gives it", f"{before:.3f}", "")
    if after is not None:
        table.add_row(f"after the mapping ({profile.mapping.kind}, cross-validated)", f"{after:.3f}", "")
    console.print(table)
    for caution in said:
        console.print(f"• {caution}", style="yellow")
    console.print(f"saved: use it with --profile {profile.name}", style="dim")


def _range(interval: Interval) -> str:
    return f"{interval.low:.3f}-{interval.high:.3f}"
