"""The made-up data that comes with the package."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import halluscope
from halluscope._internal.cli.app import app
from halluscope._internal.core.errors import InputError
from halluscope._internal.proof.sets.public_sets import load_set
from halluscope._internal.runs.datasets import Row, open_data
from halluscope._internal.runs.datasets.sample_data import SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_every_row_can_be_read(name: str) -> None:
    rows = list(open_data(halluscope.sample(name)))
    assert all(isinstance(row, Row) for row in rows)
    assert len({row.case.id for row in rows if isinstance(row, Row)}) == len(rows) >= 12


def test_the_labelled_sample_is_half_right() -> None:
    labels = [case.hallucinated for case in load_set(str(halluscope.sample("labels"))).cases]
    assert (labels.count(True), labels.count(False)) == (26, 26)


def test_an_unknown_sample_is_named() -> None:
    with pytest.raises(InputError, match="'questions': choose 'answers' or 'labels'"):
        halluscope.sample("questions")


def test_the_command_writes_both_and_nothing_over_a_file_of_yours(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    for _ in range(2):  # what it wrote itself it may write again
        done = CliRunner().invoke(app, ["sample", "--to", str(folder)])
        assert done.exit_code == 0, done.output
    assert sorted(path.name for path in folder.iterdir()) == ["answers.jsonl", "labels.jsonl"]
    (folder / "labels.jsonl").write_text("mine")
    (folder / "answers.jsonl").unlink()
    done = CliRunner().invoke(app, ["sample", "--to", str(folder)])
    assert done.exit_code == 2 and "labels.jsonl exists and is a different file" in " ".join(done.output.split())
    assert [path.name for path in folder.iterdir()] == ["labels.jsonl"], "half of the sample was written"
    assert (folder / "labels.jsonl").read_text() == "mine"
