"""Self-consistency: samples that differ, the majority of them, and the flip rate."""

from __future__ import annotations

import asyncio
import math

import pytest

from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import InputError, JudgeError
from halluscope._internal.core.result import Outcome, Result
from halluscope._internal.engine.driver import Driver
from halluscope._internal.engine.judge import Answer, Call, resolve
from halluscope._internal.engine.metrics import resolve as metric_named
from halluscope._internal.engine.questions import Question
from halluscope._internal.judges.chat.chat_judge import ChatJudge, ChatSettings
from halluscope._internal.judges.combined.consistency import Consistent
from halluscope._internal.judges.combined.panel import Panel
from halluscope._internal.judges.combined.vote_agreement import flip_rate, flip_rates

from ...helpers.loopback import Loopback
from ...helpers.views import NO, QUICK, YES, View, ViewsJudge, scored

STEADY, WAVERING = "Oslo is cold.", "Oslo is old."


def wavering(text: str, sample: int) -> View | None:
    """Steady on one sentence; on the other, samples 1 and 2 say no and the rest say yes."""
    return (NO if text == WAVERING and sample in (1, 2) else YES), None


async def test_the_majority_of_the_samples_decides_with_the_flip_rate() -> None:
    judge = ViewsJudge("j", wavering)
    result = Result.from_json((await scored(Consistent(judge, n=5), f"{STEADY} {WAVERING}")).to_json())
    assert [v.support for v in result.verdicts] == [YES, YES]
    assert [flip_rate(v) for v in result.verdicts] == [0.0, pytest.approx(0.4)]
    assert result.verdicts[1].notes == ("flip rate 0.40: 2 of 5 samples said otherwise",)
    assert result.verdicts[1].confidence == pytest.approx(0.6)
    assert [(v.judge, v.sample) for v in result.verdicts[1].votes] == [("j", i) for i in (1, 2, 3, 4, 5)]
    assert [sample for kind, _, sample in judge.asked if kind == "verify"] == [1, 2, 3, 4, 5]
    assert [sample for kind, _, sample in judge.asked if kind == "extract"] == [0]


async def test_flip_rates_of_a_run() -> None:
    judge = ViewsJudge("j", wavering)
    both = await scored(Consistent(judge, n=5), f"{STEADY} {WAVERING}")
    calm = await scored(Consistent(judge, n=5), STEADY)
    rates = flip_rates([both, calm])
    assert rates.claims == pytest.approx((0 + 0.4 + 0) / 3)
    assert rates.by_case == {both.case_id: pytest.approx(0.4), calm.case_id: 0.0}
    assert rates.cases == pytest.approx(0.2)


async def test_a_case_flips_where_different_claims_flip_in_different_samples() -> None:
    """Each claim is 1 of 3 off, but two of three samples find something wrong with the answer."""
    judge = ViewsJudge("j", lambda text, sample: ((NO if (text == STEADY) + 1 == sample else YES), None))
    result = await scored(Consistent(judge, n=3), f"{STEADY} {WAVERING}")
    rates = flip_rates([result])
    assert rates.claims == pytest.approx(1 / 3)
    assert rates.cases == pytest.approx(1 / 3)


async def test_what_was_not_sampled_has_no_flip_rate() -> None:
    alone = await scored(ViewsJudge("j", wavering), STEADY)
    panel = await scored(Panel(ViewsJudge("a", wavering), ViewsJudge("b", wavering)), STEADY)
    assert flip_rate(alone.verdicts[0]) is None and flip_rate(panel.verdicts[0]) is None
    assert math.isnan(flip_rates([alone, panel]).claims)


class Failing(ViewsJudge):
    """Some samples fail."""

    failing: tuple[int, ...] = ()

    async def answer(self, question: Question[object], call: Call) -> Answer[object]:  # type: ignore[override]
        if call.sample in self.failing:
            raise JudgeError("down")
        return await super().answer(question, call)


async def test_failed_samples_have_no_vote_and_more_than_half_must_succeed() -> None:
    judge = Failing("j", wavering)
    judge.failing = (1, 3)
    result = await scored(Consistent(judge, n=5), STEADY)
    assert [vote.sample for vote in result.verdicts[0].votes] == [2, 4, 5]
    assert "2 of 5 samples of j failed: down" in result.notes
    judge.failing = (1, 2, 3)
    assert (await scored(Consistent(judge, n=5), STEADY)).outcome is Outcome.FAILED


async def test_samples_of_samples_are_all_different() -> None:
    judge = ViewsJudge("j", wavering)
    await scored(Consistent(Consistent(judge, n=2), n=3), STEADY, metric="label")
    assert sorted(sample for _, _, sample in judge.asked) == [3, 4, 5, 6, 7, 8]


async def test_more_samples_than_calls_at_once() -> None:
    """Judges that wait for others hold no place that those need."""
    judge = ViewsJudge("j", wavering)
    result = await asyncio.wait_for(
        scored(Panel(Consistent(judge, n=20), Consistent(Consistent(judge, n=5), n=5)), STEADY), 120
    )
    assert result.score == 0.0 and len(judge.questions("verify")) == 45


async def test_each_sample_is_cached_on_its_own() -> None:
    kept: dict[str, bytes] = {}

    class Memory:
        def get(self, key: str) -> bytes | None:
            return kept.get(key)

        def put(self, key: str, entry: bytes) -> None:
            kept[key] = entry

    judge = ViewsJudge("j", wavering)
    case = Case.of(WAVERING, "c")
    metric = metric_named("label")
    first = await Driver(Consistent(judge, n=3), cache=Memory(), retry_policy=QUICK).score(metric, case)
    assert len(judge.asked) == 3 and first.score == 1.0
    more = await Driver(Consistent(judge, n=5), cache=Memory(), retry_policy=QUICK).score(metric, case)
    assert len(judge.asked) == 5 and more.score == 0.0
    await Driver(judge, cache=Memory(), retry_policy=QUICK).score(metric, case)
    assert len(judge.asked) == 6, "the judge's one answer is none of its samples"


def test_settings_of_a_sample() -> None:
    cold = ChatSettings()
    assert cold.drawn(0) is cold
    warm = cold.drawn(2)
    assert (warm.temperature, warm.seed) == (0.7, 2)
    assert ChatSettings(temperature=0.3, seed=10).drawn(1) == ChatSettings(temperature=0.3, seed=11)
    assert cold.drawn(1) != warm


async def test_samples_reach_a_server_with_their_own_seeds(server: Loopback) -> None:
    judge = resolve("consistent(openai/m, n=3, temperature=0.4)", base_url=server.base_url)
    assert isinstance(judge, Consistent) and isinstance(judge.judge, ChatJudge)
    result = await scored(judge, STEADY, STEADY, metric="label")
    assert len(result.verdicts[0].votes) == 3
    bodies = [call.asked.body for call in server.calls]
    assert sorted((body["seed"], body["temperature"]) for body in bodies) == [(1, 0.4), (2, 0.4), (3, 0.4)]


def test_bad_settings_are_refused() -> None:
    for n in (1, 0, True, 2.5, "5"):
        with pytest.raises(InputError, match="at least 2"):
            Consistent(ViewsJudge("j", wavering), n=n)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="set it on the judge"):
        Consistent(ViewsJudge("j", wavering), temperature=0.5)
    with pytest.raises(InputError, match="takes the option 'temperature'"):
        resolve("consistent(local, temperature=0.5)")
