"""The command `bench`: measure judges on labelled data."""

from __future__ import annotations

import os
import shlex
import sys
from enum import Enum
from pathlib import Path

import typer
from rich.text import Text

from ..core.errors import InputError
from ..engine import metrics
from ..engine.judge import DEFAULT, VARIABLE, Judge, resolve
from ..engine.metric import Metric
from ..engine.metrics import Label
from ..proof.bench.bench_report import bench as measure
from ..proof.bench.judge_run import CONCURRENCY
from ..proof.sets.public_sets import SETS, load_set
from ..runs.labelled_case import sample_of_cases
from .app import command
from .options import (
    DEFAULT_METRIC,
    judge_options,
    open_replies,
    profile_named,
    refuse_overwriting,
)
from .terminal import console as new_console
from .terminal import print_json, print_table, progress_bars
from .views.ci_files import write_text

NO_VERDICT = 3
"""Exit code if a judge gave no verdict on any case."""


class LabelStyle(str, Enum):
    """The tools whose way of asking for a label there is."""

    OPIK = "opik"
    PHOENIX = "phoenix"


@command("bench")
def bench(
    set: str | None = None,
    judge_names: list[str] | None = None,
    metric_names: list[str] | None = None,
    style: LabelStyle | None = None,
    file: Path | None = None,
    split: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    profile: str | None = None,
    threshold: float | None = None,
    base_url: str | None = None,
    concurrency: int = CONCURRENCY,
    resamples: int = 1000,
    mistakes: int = 5,
    picture: Path | None = None,
    repair: bool = False,
    fresh: bool = False,
    offline: bool = False,
    as_json: bool = False,
) -> None:
    """Measure judges on labelled data and compare them with trivial baselines.

    Exit code 0: measured. 2: bad input, or the set could not be downloaded. 3: a judge gave no verdict on any case.
    """
    if set is None:
        list_sets()
        return
    refuse_overwriting(set, picture)
    chosen = profile_named(profile)
    judges = _judges(judge_names or [chosen.judge if chosen else os.environ.get(VARIABLE) or DEFAULT], base_url)
    if repair:
        from ..proof.bench.repair_figures import measure_repairs

        if len(judges) > 2:
            raise InputError("--repair takes one judge, and a second one that looks for new errors.")
        loaded = load_set(set, file=file, split=split, offline=offline)
        cases = sample_of_cases(loaded.cases, limit, seed)
        with open_replies(*judges, fresh=fresh) as replies, progress_bars(wanted=not as_json) as tick:
            found = measure_repairs(
                loaded.name,
                cases,
                judges[0],
                metrics.resolve((metric_names or [DEFAULT_METRIC])[0], include_reason=False),
                second=judges[1] if len(judges) > 1 else None,
                known=loaded.cases,
                cache=replies,
                concurrency=concurrency,
                progress=lambda done: tick(f"{judges[0].name} repairs", done, len(cases)),
            )
        if as_json:
            print_json(found)
        else:
            from .views.result import show_figures

            show_figures(new_console(), found, mistakes)
            _show_command()
        return
    chosen_metrics = [_metric(name, style) for name in metric_names or [chosen.metric if chosen else "label"]]
    pairs = [(j, m) for j in judges for m in chosen_metrics]
    with open_replies(*judges, fresh=fresh) as replies, progress_bars(wanted=not as_json) as tick:
        report = measure(
            set,
            pairs,
            file=file,
            split=split,
            offline=offline,
            limit=limit,
            seed=seed,
            resamples=resamples,
            concurrency=concurrency,
            threshold=threshold,
            profile=chosen,
            cache=replies,
            mistakes=mistakes,
            tick=tick,
        )
    if as_json:
        print_json({**report.to_dict(), "command": _command()})
    else:
        from ..proof.bench.bench_table import shown

        new_console().print(shown(report))
        _show_command()
    if picture is not None:
        from ..proof.bench.picture import bench_svg

        write_text(picture, bench_svg(report))
        typer.echo(f"picture: {picture}", err=True)
    if any(figures.n and not figures.scored for figures in report.judges):
        raise typer.Exit(NO_VERDICT)


def list_sets() -> None:
    """Print the public sets and their licences."""
    rows = [(item.name, " ".join(item.splits)) for item in SETS.values()]
    about = [Text(f"{item.about}\nlicence: {item.licence}", style="dim") for item in SETS.values()]
    print_table(new_console(), ("set", "splits"), rows, about)


def _metric(name: str, style: LabelStyle | None) -> Metric:
    if style is not None and name != Label.name:
        raise InputError(f"--style is for the metric label, not for {name}: leave it out.")
    return metrics.resolve(name, **({"answers_query": style is LabelStyle.PHOENIX} if style else {}))


def _judges(names: list[str], base_url: str | None) -> list[Judge]:
    """Create the judges. Those reached over the network get the base URL."""
    remote = [name for name in names if "/" in name]
    if not remote:
        judge_options(base_url, None)
    return [resolve(name, **(judge_options(base_url, name) if name in remote else {})) for name in names]


def _show_command() -> None:
    new_console().print(f"to repeat: {_command()}", style="dim", soft_wrap=True)


def _command() -> str:
    return shlex.join(["halluscope", *sys.argv[1:]])
