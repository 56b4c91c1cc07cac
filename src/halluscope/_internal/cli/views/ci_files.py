"""Results for CI: JUnit XML and Markdown."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement

from ...core.counting import count_of
from ...core.errors import WriteError
from ...core.plumbing.whole_file import replacing
from ...core.result import Result
from ...runs import Run, Summary
from ...runs.gates import Checked

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(path: Path, run: Run, checked: Sequence[Checked]) -> None:
    """Write one test suite per metric, with a test per case, and one for the gates."""
    suites = Element("testsuites", name=_xml(f"halluscope {run.name}"))
    for metric in run.summary().metrics:
        errors = metric.outcomes.get("failed", 0) + metric.outcomes.get("incomplete", 0)
        failures, skipped = metric.scored - metric.passed, metric.results - metric.scored - errors
        counted = {"tests": metric.results, "failures": failures, "errors": errors, "skipped": skipped}
        suite = _add(suites, "testsuite", name=metric.metric, **counted)
        for result in run.results(metric.metric):
            seconds = f"{result.latency_ms / 1000:.3f}"
            _verdict(_add(suite, "testcase", classname=metric.metric, name=result.case_id, time=seconds), result)
    if checked:
        failures = sum(not check.met for check in checked)
        suite = _add(suites, "testsuite", name="gates", tests=len(checked), failures=failures)
        for check in checked:
            case = _add(suite, "testcase", classname="gates", name=check.gate)
            if not check.met:
                _add(case, "failure", message=check.reason)
    with replacing(path) as file:
        ElementTree(suites).write(file, encoding="utf-8", xml_declaration=True)


def _verdict(case: Element, result: Result) -> None:
    if result.passed:
        return
    if result.passed is False:
        element, message = "failure", f"score {result.score:.3g}: {result.criterion}"
    elif result.outcome.value in ("failed", "incomplete"):
        element, message = "error", result.outcome.value
    else:
        element, message = "skipped", result.outcome.value.replace("_", " ")
    lines = [result.reason or ""] + [f"- {v.support.value}: {v.claim.text}" for v in result.failing]
    _add(case, element, message=message).text = _xml("\n".join(line for line in lines if line))


def _add(parent: Element, element: str, **attributes: object) -> Element:
    return SubElement(parent, element, {name: _xml(str(value)) for name, value in attributes.items()})


def _xml(text: str) -> str:
    """Replace characters that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text)


def markdown(summary: Summary, checked: Sequence[Checked]) -> str:
    """Format a summary for a pull request or a step summary in GitHub Actions."""
    lines = [
        f"### halluscope: {_cell(summary.run)}",
        "",
        "| metric | mean | 95 % interval | passed | scored | without a score |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for metric in summary.metrics:
        mean = "–" if metric.mean is None else f"{metric.mean:.3f}"
        interval = "–" if metric.interval is None else f"{metric.interval.low:.3f} to {metric.interval.high:.3f}"
        passed = "–" if metric.pass_rate is None else f"{metric.passed} of {metric.scored}"
        others = ", ".join(f"{n} {outcome}" for outcome, n in metric.outcomes.items() if outcome != "scored") or "–"
        scored = f"{metric.scored} of {summary.cases + summary.bad_rows}"
        lines.append(f"| {_cell(metric.metric)} | {mean} | {interval} | {passed} | {scored} | {_cell(others)} |")
    if checked:
        lines += ["", "| gate | | |", "| --- | --- | --- |"]
        lines += [f"| {_cell(c.gate)} | {'met' if c.met else '**not met**'} | {_cell(c.reason)} |" for c in checked]
    cost = "cost unknown" if summary.usage.cost is None else f"${summary.usage.cost:.4f}"
    counts = (summary.cases, "case"), (summary.bad_rows, "bad row"), (summary.usage.calls, "judge call")
    lines += ["", f"{', '.join(count_of(*each) for each in counts)}, {cost}."]
    if summary.state != "finished":
        lines.append(f"\nThe run is {summary.state}: {summary.note or 'not finished'}.")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    for character in "\\|<>*_`[]":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


def write_text(path: Path, text: str) -> None:
    """Write a file atomically."""
    with replacing(path) as file:
        file.write(text.encode())


def write_summaries(text: str, path: Path | None) -> None:
    """Write the summary to a file, if one is given, and append it to the step summary in GitHub Actions."""
    if path is not None:
        write_text(path, text)
    steps = os.environ.get("GITHUB_STEP_SUMMARY")
    if steps:
        try:
            with Path(steps).open("a", encoding="utf-8") as file:
                file.write(text + "\n")
        except OSError as error:
            raise WriteError(f"{steps} cannot be written: {error.strerror}.") from error
