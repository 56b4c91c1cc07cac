"""The links of the documentation lead somewhere, and every command is explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli.app import COMMAND_MODULES, app

from .pages import PAGES, name

LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{name(page)} links to {target}"


def test_every_command_is_documented() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert not [command for command in COMMAND_MODULES if f"halluscope {command}" not in text]


@pytest.mark.slow("prints the help of every command")
def test_every_command_is_found_where_it_is_said_to_be() -> None:
    for command in COMMAND_MODULES:
        done = CliRunner().invoke(app, [command, "--help"])
        assert done.exit_code == 0, command
    named = {info.name for info in app.registered_commands} | {info.name for info in app.registered_groups}
    assert named == set(COMMAND_MODULES)
