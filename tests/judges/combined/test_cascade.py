"""The cascade: who is asked about what, who decides, and what the budget allows."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from halluscope._internal.cli import app
from halluscope._internal.cli.views.result import show_result
from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import CannotJudge, InputError, JudgeError, JudgeRejected, NothingToJudge
from halluscope._internal.core.result import Outcome, Result
from halluscope._internal.core.verdict import Support
from halluscope._internal.engine.driver import Driver
from halluscope._internal.engine.judge import Call, Judge, resolve
from halluscope._internal.engine.metrics import resolve as metric_named
from halluscope._internal.engine.questions import ExtractClaims
from halluscope._internal.judges.combined.cascade import Cascade
from halluscope._internal.judges.combined.panel import Panel

from ...helpers.views import NO, QUICK, UNCLEAR, YES, ViewsJudge, scored

SURE_GOOD, SURE_BAD, SHAKY, MUTE = "Oslo is cold.", "Oslo is hot.", "Oslo is old.", "Oslo is big."
ALL = f"{SURE_GOOD} {SURE_BAD} {SHAKY} {MUTE}"


def cheap(**more: Any) -> ViewsJudge:
    views = {SURE_GOOD: (YES, 0.95), SURE_BAD: (UNCLEAR, 0.95), SHAKY: (YES, 0.6), MUTE: (NO, None)}
    return ViewsJudge("cheap", views, **more)


def dear(**more: Any) -> ViewsJudge:
    views = dict.fromkeys((SURE_GOOD, SURE_BAD, SHAKY), (NO, None)) | {MUTE: (YES, None)}
    return ViewsJudge("dear", views, **more)


def by_text(result: Result) -> dict[str, tuple[Support, str | None]]:
    return {v.claim.text: (v.support, v.judge) for v in result.verdicts}


async def test_the_second_judge_is_asked_about_the_uncertain_claims_only_and_once() -> None:
    first, second = cheap(), dear()
    result = await scored(Cascade(first, second), ALL)
    assert second.asked == [("verify", (SHAKY, MUTE), 0)]
    assert by_text(result) == {
        SURE_GOOD: (YES, "cheap"),
        SURE_BAD: (UNCLEAR, "cheap"),
        SHAKY: (NO, "dear"),
        MUTE: (YES, "dear"),
    }
    assert result.score == 0.5
    assert result.judge == "cascade(cheap, dear)"
    assert "who decided: cheap decided 2 claims; dear decided 2 claims" in result.notes
    assert [(e.question, e.judge) for e in result.exchanges] == [
        ("extract", "cheap"),
        ("verify", "cheap"),
        ("verify", "dear"),
        ("explain", "cheap"),
    ]


async def test_the_terminal_shows_who_decided_each_claim() -> None:
    result = await scored(Cascade(cheap(), dear()), ALL)
    console = Console(record=True, width=120, file=io.StringIO())
    show_result(console, result, ALL, ["Some context."])
    shown = console.export_text()
    assert shown.count("decided by cheap") == 2
    assert "decided by dear (cheap supported, dear contradicted)" in shown


def test_the_command_line_names_the_combinations() -> None:
    shown = CliRunner().invoke(app, ["judges"], env={"COLUMNS": "200"}).output
    assert "cascade(local" in shown and "panel(" in shown and "consistent(" in shown


async def test_both_votes_on_an_escalated_claim_survive_json() -> None:
    result = Result.from_json((await scored(Cascade(cheap(), dear()), ALL)).to_json())
    votes = {v.claim.text: [(w.judge, w.support, w.confidence) for w in v.votes] for v in result.verdicts}
    assert votes[SHAKY] == [("cheap", YES, 0.6), ("dear", NO, None)]
    assert votes[SURE_GOOD] == []


@pytest.mark.parametrize(
    ("support", "confidence", "asked"),
    [
        (YES, 0.81, False),  # wrong with 0.19, below low
        (YES, 0.8, True),  # at the band's edge: inside
        (YES, 0.5, True),
        (YES, 0.1, True),  # a verdict its own judge does not believe is never sure
        (NO, 0.81, False),
        (NO, 0.8, True),
        (UNCLEAR, 0.1, True),
        (Support.NOT_A_CLAIM, 0.9, False),
        (YES, None, True),
    ],
)
async def test_the_band(support: Support, confidence: float | None, asked: bool) -> None:
    first = ViewsJudge("cheap", {SHAKY: (support, confidence)})
    second = dear()
    await scored(Cascade(first, second), SHAKY)
    assert bool(second.asked) is asked


async def test_a_band_of_nothing_and_a_band_of_everything() -> None:
    none, everything = dear(), dear()
    first = ViewsJudge("cheap", {SHAKY: (YES, 0.51), SURE_BAD: (NO, 0.51)})
    await scored(Cascade(first, none, low=0.5, high=0.5), f"{SHAKY} {SURE_BAD}")
    assert none.asked == []
    await scored(Cascade(cheap(), everything, low=0, high=1), ALL)
    assert everything.questions("verify") == [(SURE_GOOD, SURE_BAD, SHAKY, MUTE)]


async def test_a_label_is_passed_on_whole() -> None:
    second = dear()
    sure = await scored(Cascade(cheap(), second), SURE_BAD, metric="label")
    assert (sure.score, sure.verdicts[0].judge, second.asked) == (1.0, "cheap", [])
    shaky = await scored(Cascade(cheap(), second), SHAKY, metric="label")
    assert (shaky.score, shaky.verdicts[0].judge) == (1.0, "dear")
    assert [vote.judge for vote in shaky.verdicts[0].votes] == ["cheap", "dear"]


async def test_passages_are_passed_on_one_by_one() -> None:
    second = dear()
    result = await scored(Cascade(cheap(), second), "Something.", [SURE_GOOD, SHAKY], metric="contradiction")
    assert second.questions("compare") == [(SHAKY,)]
    assert [(v.passage, v.support, v.judge) for v in result.verdicts] == [(0, YES, "cheap"), (1, NO, "dear")]


async def test_a_second_judge_that_fails_leaves_the_first_ones_answer() -> None:
    broken = dear(error=JudgeRejected("no credit left", status=402))
    result = await scored(Cascade(cheap(), broken), ALL)
    assert result.outcome is Outcome.SCORED
    assert by_text(result)[SHAKY] == (YES, "cheap")
    noted = {v.claim.text: v.notes for v in result.verdicts}
    assert noted[SURE_GOOD] == ()
    assert "no credit left" in noted[SHAKY][0]
    assert any("dear failed on 2 claims: no credit left" in note for note in result.notes)


async def test_a_second_judge_that_fails_can_fail_the_case() -> None:
    broken = dear(error=JudgeRejected("no credit left", status=402))
    result = await scored(Cascade(cheap(), broken, on_failure="fail"), ALL)
    assert result.outcome is Outcome.FAILED
    assert result.failure is not None and result.failure.status == 402


async def test_where_the_second_leaves_claims_out_the_first_stands() -> None:
    result = await scored(Cascade(cheap(), ViewsJudge("dear", {MUTE: (YES, None)})), ALL)
    assert by_text(result)[SHAKY] == (YES, "cheap")
    assert by_text(result)[MUTE] == (YES, "dear")
    assert any("gave no verdict" in note for v in result.verdicts for note in v.notes)


async def test_claims_the_first_leaves_out_go_to_the_second() -> None:
    second = dear()
    result = await scored(Cascade(ViewsJudge("cheap", {SURE_GOOD: (YES, 0.99)}), second), f"{SURE_GOOD} {SHAKY}")
    assert by_text(result) == {SURE_GOOD: (YES, "cheap"), SHAKY: (NO, "dear")}


async def test_a_text_the_first_cannot_read_goes_to_the_second_whole() -> None:
    first = cheap(error=CannotJudge("this is not English"))
    result = await scored(Cascade(first, dear()), ALL)
    assert {judge for _, judge in by_text(result).values()} == {"dear"}
    assert any("not English" in note for note in result.notes)


async def test_an_output_that_states_nothing_costs_nothing() -> None:
    second = dear()
    first = cheap(error=NothingToJudge("no claim"), fails_on=("label",))
    result = await scored(Cascade(first, second), SHAKY, metric="label")
    assert result.score is None and second.asked == []


async def test_where_both_fail_the_first_ones_reason_is_given() -> None:
    first = cheap(error=CannotJudge("this is not English"))
    result = await scored(Cascade(first, dear(error=JudgeError("down"))), ALL)
    assert result.outcome is Outcome.UNJUDGEABLE
    assert result.failure is not None and "not English" in result.failure.message


async def test_claims_without_a_verdict_are_missing_not_supported() -> None:
    result = await scored(Cascade(ViewsJudge("cheap", {SURE_GOOD: (YES, 0.9)}), ViewsJudge("dear", {})), ALL)
    assert result.outcome is Outcome.INCOMPLETE and result.score is None


async def test_the_number_of_escalations_is_kept_and_the_least_certain_go_first() -> None:
    first = ViewsJudge("cheap", {SURE_GOOD: (YES, 0.7), SHAKY: (YES, 0.55), SURE_BAD: (NO, 0.65)})
    second = dear()
    judge = Cascade(first, second, max_escalations=2)
    result = await scored(judge, f"{SURE_GOOD} {SHAKY} {SURE_BAD}")
    assert second.questions("verify") == [(SHAKY, SURE_BAD)]
    assert by_text(result)[SURE_GOOD] == (YES, "cheap")
    assert "limit of 2 escalations" in result.verdicts[0].notes[0]
    assert any("dear was not asked about 1 claim" in note for note in result.notes)
    again = await scored(judge, SHAKY)
    assert len(second.asked) == 1 and again.score == 0.0
    assert judge.budget.escalated == 2


async def test_the_share_is_never_exceeded_and_is_used() -> None:
    first = ViewsJudge("cheap", lambda text, _: (YES, 0.6))
    second = ViewsJudge("dear", lambda text, _: (NO, None))
    judge = Cascade(first, second, max_share=0.3)
    for number in range(40):
        await scored(judge, f"Claim number {number} is made.")
        assert judge.budget.escalated <= 0.3 * (number + 1) + 1
    assert len(second.asked) == 12


async def test_the_cost_is_kept_under_many_cases_at_once() -> None:
    class Slow(ViewsJudge):
        async def answer(self, question: Any, call: Call) -> Any:
            await asyncio.sleep(0.001)
            return await super().answer(question, call)

    second = Slow("dear", lambda text, _: (NO, None), cost=0.01)
    judge = Cascade(ViewsJudge("cheap", lambda text, _: (YES, 0.6)), second, max_cost=0.1)
    driver = Driver(judge, retry_policy=QUICK)
    await driver.score(metric_named("label"), Case.of("The first one.", "c"))
    cases = [Case.of(f"Claim number {number} is made.", "c") for number in range(60)]
    results = await asyncio.gather(*(driver.score(metric_named("label"), case) for case in cases))
    assert len(second.asked) == 10
    assert judge.budget.cost == pytest.approx(0.1)
    assert all(result.outcome is Outcome.SCORED for result in results)
    assert sum(bool(result.score) for result in results) == 9


async def test_a_cost_limit_with_a_judge_of_unknown_price_stops_after_one_answer() -> None:
    second = dear(cost=None)
    judge = Cascade(cheap(), second, max_cost=1.0)
    await scored(judge, SHAKY)
    result = await scored(judge, MUTE)
    assert len(second.asked) == 1
    assert "the price of dear is not known" in result.verdicts[0].notes[0]


async def test_the_cost_of_a_panel_behind_a_cascade_counts() -> None:
    judge = Cascade(cheap(), Panel(dear(cost=0.5), dear(cost=0.25)), max_cost=10)
    result = await scored(judge, SHAKY)
    assert judge.budget.cost == pytest.approx(0.75)
    assert result.usage.cost == pytest.approx(0.75)


async def test_cascades_nest_and_the_innermost_decider_is_named() -> None:
    middle = ViewsJudge("middle", {SHAKY: (NO, 0.9), MUTE: (YES, 0.6)})
    result = await scored(Cascade(Cascade(cheap(), middle), dear()), ALL)
    assert [judge for _, judge in by_text(result).values()] == ["cheap", "cheap", "middle", "dear"]


async def test_cached_answers_are_not_paid_again_and_lead_to_the_same_result() -> None:
    kept: dict[str, bytes] = {}

    class Memory:
        def get(self, key: str) -> bytes | None:
            return kept.get(key)

        def put(self, key: str, entry: bytes) -> None:
            kept[key] = entry

    case = Case.of(ALL, "c")
    first, second = cheap(), dear(cost=0.2)
    one = await Driver(Cascade(first, second), cache=Memory(), retry_policy=QUICK).score(
        metric_named("hallucination"), case
    )
    two = await Driver(Cascade(first, second), cache=Memory(), retry_policy=QUICK).score(
        metric_named("hallucination"), case
    )
    assert len(second.asked) == 1
    assert (one.usage.cost, two.usage.cost) == (0.2, 0.0)
    assert one.verdicts == two.verdicts


async def test_a_cascade_cannot_be_called_without_a_way_to_ask() -> None:
    with pytest.raises(InputError, match="cannot be called alone"):
        await Cascade(cheap(), dear()).answer(ExtractClaims(output="x"), Call())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"low": 0.9}, "must not be above"),
        ({"low": -0.1}, "between 0 and 1"),
        ({"high": "x"}, "between 0 and 1"),
        ({"low": True}, "between 0 and 1"),
        ({"low": float("nan")}, "between 0 and 1"),
        ({"max_share": 1.5}, "max_share"),
        ({"max_escalations": -1}, "max_escalations"),
        ({"max_escalations": 2.5}, "max_escalations"),
        ({"max_cost": -1}, "max_cost"),
        ({"on_failure": "panic"}, "on_failure"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Cascade(cheap(), dear(), **options)


HERE = {"base_url": "http://127.0.0.1:9/v1"}


def test_names_make_judges_that_nest_and_can_be_written_again() -> None:
    written = "cascade(panel(openai/a, openai/b, weights=(2, 1)), consistent(openai/c, n=3), low=0.1, max_share=0.25)"
    judge = resolve(written, **HERE)
    assert isinstance(judge, Cascade) and isinstance(judge.first, Panel)
    assert judge.first.weights == (2.0, 1.0)
    assert judge.budget.max_share == 0.25
    assert judge.name == written
    assert resolve(judge.name, **HERE).fingerprint() == judge.fingerprint()


def test_options_beside_a_name_reach_the_judge_they_are_for() -> None:
    judge = resolve("cascade(openai/a, openai/b)", low=0.05, **HERE)
    assert isinstance(judge, Cascade) and judge.low == 0.05
    other = resolve("cascade(openai/a, openai/b)", low=0.05, base_url="http://127.0.0.1:8/v1")
    assert other.fingerprint() != judge.fingerprint()


def test_another_band_is_another_judge() -> None:
    prints = {Cascade(cheap(), dear(), low=low).fingerprint() for low in (0.1, 0.2)}
    assert len(prints | {Cascade(dear(), cheap()).fingerprint()}) == 3


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cascade(openai/a)", "names 1 judge: write cascade"),
        ("cascade(openai/a, openai/b, openai/c)", "names 3 judges"),
        ("cascade(openai/a, openai/b", "is not a judge"),
        ("cascade(openai/a, openai/b))", "do not match"),
        ("cascade openai/a, openai/b)", "is not a judge"),
        ("ladder(openai/a, openai/b)", "is not a judge"),
        ("cascade(openai/a,, openai/b)", "an empty argument"),
        ("cascade()", "an empty argument"),
        ("cascade(openai/a, openai/b, lo=0.1)", "has no option 'lo'; it takes: low, high"),
        ("cascade(openai/a, openai/b, low=0.1, low=0.2)", "twice"),
        ("cascade(openai/a, low=0.1, openai/b)", "comes after an option"),
        ("cascade(openai/a, openai/b, low=0.1.2)", "must be a number"),
        ("cascade(openai/a, openai/b, low=)", "must be a number"),
        ("cascade(openai/a, nobody/b)", "there is no judge 'nobody/b'"),
        ("consistent(openai/a, n=1)", "at least 2"),
        ("panel(openai/a, openai/b, weights=(1, 2, 3))", "2 numbers"),
        ("panel(openai/a, openai/b, weights=(1, -2))", "above 0"),
        ("panel(openai/a, openai/b, quorum=3)", "between 1 and 2"),
    ],
)
def test_a_name_that_cannot_be_read_says_why(name: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(name, **HERE)
    assert words in str(caught.value)


def test_an_option_that_no_judge_inside_takes_is_refused() -> None:
    with pytest.raises(InputError, match="takes the option 'base_url'"):
        resolve("panel(local, local)", **HERE)


def test_the_three_are_judges() -> None:
    assert isinstance(Cascade(cheap(), dear()), Judge)
    assert isinstance(Panel(cheap(), dear()), Judge)
