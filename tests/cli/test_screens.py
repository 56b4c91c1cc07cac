"""What stands on one screen agrees: score, passed or failed, label and claims."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli.app import COMMAND_MODULES, app
from halluscope._internal.engine.metrics import METRICS

CONTEXT = "The mill is in Ulm. The mill has four floors. It grinds wheat, and it is old."
OUTPUTS = (
    "The mill is in Ulm.",
    "The mill is in Ulm. The mill has four floors. It was built by monks.",
    "The mill is in Ulm. The mill has nine floors. It grinds wheat. It is old.",
)
OPTIONS = ((), ("--threshold", "0.5"), ("--threshold", "0.5", "--no-strict"), ("--threshold", "0.5", "--strict"))


@pytest.mark.slow("makes sixty checks")
@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"citations"}))
@pytest.mark.usefixtures("remembered_readings")
def test_no_screen_says_passed_beside_hallucinated(metric: str) -> None:
    headings = []
    for output in OUTPUTS:
        for options in OPTIONS:
            arguments = ["check", "-o", output, "-c", CONTEXT, "-m", metric, *options, "-j", "local", "--no-reason"]
            out = CliRunner().invoke(app, arguments).output
            heading = out.splitlines()[0]
            headings.append(heading)
            assert ("passed" in heading) == ("factual" in heading), out
            assert ("failed" in heading) == ("hallucinated" in heading), out
            if "--no-strict" not in options:
                assert "passed" not in heading or "✗" not in out, out
    assert any("passed" in heading for heading in headings)
    assert any("failed" in heading for heading in headings)


@pytest.mark.slow("prints the help of every command")
@pytest.mark.parametrize("command", COMMAND_MODULES)
def test_the_help_fits_into_80_columns_and_shows_no_types(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 80)  # Typer reads TERMINAL_WIDTH once, when it is imported
    shown = CliRunner().invoke(app, [command, "--help"]).output
    assert max(map(len, shown.splitlines())) <= 80
    for cut in ("…", "<bool>", "<str>", "list[", "Path"):
        assert cut not in shown, shown
