"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from halluscope._internal.core.errors import InputError
from halluscope._internal.core.plumbing.whole_file import replacing


def test_nothing_is_seen_before_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    with replacing(path) as file:
        file.write(b"half")
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert list(path.parent.iterdir()) == [path]


def test_what_was_there_stays_where_the_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_may_write_at_once_and_the_last_one_stands(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    with replacing(path) as first:
        with replacing(path) as second:
            second.write(b"second")
        first.write(b"first")
    assert path.read_bytes() == b"first"


@pytest.mark.parametrize(("place", "said"), [(".", "is a folder"), ("a/b", "cannot be written"), ("x" * 300, "long")])
def test_places_where_no_file_can_be(place: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("a file, not a folder", encoding="utf-8")
    with pytest.raises(InputError, match=said), replacing(Path(place)):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
