"""A result and a run at a prompt, in a terminal and in a notebook."""

from __future__ import annotations

import csv
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec import structs

import halluscope
from halluscope import Case, Outcome, Result, Store, Support, Verdict, evaluate
from halluscope._internal.core.verdict import Claim, Evidence

from ...helpers.reporting import judged, unscored

EVIL = '<script>alert(1)</script> & "quotes"'
CASE = Case.of(f"Owls hunt by night. Owls live in trees. {EVIL}", ["An owl hunts by night, and lives in holes."])
RESULT = judged(
    CASE,
    [("Owls hunt by night.", "S", "hunts by night"), ("Owls live in trees.", "C", "lives in holes"), (EVIL, "U", "")],
)


class Page(HTMLParser):
    """The tags, the texts and what is shown on hover."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.hover: list[str] = []
        self.text = ""
        self.feed(html)
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)
        self.hover += [value or "" for name, value in attrs if name == "title"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def sure(support: Support, confidence: float) -> Verdict:
    return Verdict(Claim("c1", "It is so."), support, confidence=confidence)


def with_verdicts(*verdicts: Verdict) -> Result:
    return structs.replace(RESULT, verdicts=verdicts)


def test_a_result_is_one_short_line_at_the_prompt() -> None:
    assert repr(RESULT) == "<Result hallucination 0.67 failed, hallucinated: 2 of 3 claims fail>"
    none = unscored(CASE, Outcome.NO_CONTEXT, "No score: there is no context.")
    assert repr(none) == "<Result hallucination no score (no context)>"
    assert "(no context)" in none._repr_html_() and "There is no" not in repr(none)


def test_explain_tells_every_claim_its_evidence_and_the_reason() -> None:
    told = RESULT.explain()
    for part in ("✓ supported", "✗ contradicted", "? unsupported", "against: “lives in holes” (passage 1", "Because."):
        assert part in told
    assert len(told.splitlines()[0]) < 100


def test_a_notebook_shows_claims_with_their_evidence_on_hover_and_obeys_no_text() -> None:
    page = Page(RESULT._repr_html_())
    assert "script" not in page.tags
    assert EVIL in page.text
    assert any("against, passage 1: “lives in holes”" in text for text in page.hover)
    assert all(text.strip() for text in page.hover)


def test_a_verdict_that_the_judge_is_unsure_of_does_not_look_like_one_it_is_sure_of() -> None:
    unsure, certain = (with_verdicts(sure(Support.SUPPORTED, confidence)) for confidence in (0.51, 0.97))
    assert "✓ supported 51%, unsure" in unsure.explain()
    assert "✓ supported 97%:" in certain.explain()
    assert unsure._repr_html_().replace("51%, unsure", "97%") != certain._repr_html_(), "not in words alone"


def test_an_unsupported_claim_has_nothing_against_it() -> None:
    near = Evidence(0, 0, 6, "An owl", "against")
    verdict = Verdict(Claim("c1", "Owls can swim."), Support.UNSUPPORTED, evidence=(near,))
    result = with_verdicts(verdict)
    assert "closest: “An owl”" in result.explain()
    assert "against" not in result.explain() + result._repr_html_()


def test_a_run_at_the_prompt_and_in_a_notebook(tmp_path: Path) -> None:
    rows = [{"id": f"n{i}", "output": EVIL if i else "Owls swim.", "context": [CASE.output]} for i in range(12)]
    run = evaluate(rows, "hallucination", "local", store=Store(tmp_path / "s.db"), run="nightly")
    assert repr(run) == "<Run 'nightly' finished: 12 cases, hallucination by local>"
    page = Page(run._repr_html_())
    assert "script" not in page.tags
    assert "unsupported: “Owls swim.”" in page.text or "contradicted: “Owls swim.”" in page.text
    assert "and 2 more" in page.text
    assert 0 < run.seconds < 600


def test_the_probability_is_in_every_export(tmp_path: Path) -> None:
    rows = [{"id": "a", "output": "Owls swim.", "context": ["Owls hunt."]}]
    run = evaluate(rows, "label", "local", store=Store(tmp_path / "s.db"), run="r")
    (wanted,) = (result.probability for result in run)
    assert wanted is not None
    run.export(tmp_path / "r.jsonl")
    assert json.loads((tmp_path / "r.jsonl").read_text())["probability"] == wanted
    run.export(tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(newline="") as file:
        assert [float(row["probability"]) for row in csv.DictReader(file)] == [wanted]
    assert run.to_pandas()["probability"].tolist() == [wanted]
    assert halluscope.check("Owls swim.", ["Owls hunt."], metric="label").probability == wanted


def test_the_old_names_of_properties_work_with_a_warning() -> None:
    for old, new in (("bar", "criterion"), ("standing", "status"), ("footing", "details")):
        with pytest.warns(DeprecationWarning, match=f"'{old}' is now '{new}'"):
            assert getattr(RESULT, old) == getattr(RESULT, new)
