"""Named patterns in text files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import halluscope
from halluscope._internal.text.patterns import named_patterns

FILES = sorted(
    path
    for path in Path(halluscope.__file__).parent.rglob("*.txt")
    if path.name in ("patterns.txt", "kinds.txt", "citation_marks.txt")
)


def test_a_pattern_uses_those_above_it_and_goes_on_in_indented_lines(tmp_path: Path) -> None:
    path = tmp_path / "patterns.txt"
    path.write_text(
        "# A comment.\n\nfew = two|three\ncount = (?P<few>\\d|<few>)\n    (?: or <few>)?\n", encoding="utf-8"
    )
    found = named_patterns(path)
    assert found["count"] == r"(?P<few>\d|(?:two|three))(?: or (?:two|three))?"
    match = re.fullmatch(found["count"], "two or three")
    assert match is not None and match["few"] == "two"


def test_a_name_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "patterns.txt"
    path.write_text("count = <few> of\nfew = two\n", encoding="utf-8")
    with pytest.raises(KeyError, match="few"):
        named_patterns(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_pattern_of_the_package_compiles_and_has_one_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = re.findall(r"^(\w+) = ", text, re.MULTILINE)
    assert names and len(names) == len(set(names))
    assert not re.search(r"[ \t]$", text, re.MULTILINE), "a blank at the end of a line is lost easily"
    for pattern in named_patterns(path).values():
        re.compile(pattern)


def test_the_files_are_in_the_package() -> None:
    assert len(FILES) == 3
