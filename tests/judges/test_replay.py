"""Replies recorded once and given again: the same result, no judge, and a clear word where one is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from halluscope import Outcome, Result, Support
from halluscope._internal.core.errors import InputError, JudgeError
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.engine.judge import Answer, Call, Judge
from halluscope._internal.engine.questions import ExtractClaims, Question
from halluscope._internal.engine.questions.verify import Verification
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.judges.replay import Recording, ReplayJudge
from halluscope._internal.judges.scripted import ScriptedJudge
from tests.helpers.scoring import Scorer

from ..helpers.loopback import Faults, Features, Loopback

OUTPUT = "The tower is 300 metres high. It was built in 1950. Everybody loves it."
CONTEXT = ["The tower was built in 1889 and is 300 metres high.", "It stands in Paris."]
SETTINGS: dict[str, Any] = {"retry_policy": RetryPolicy(first_wait=0.01, longest_wait=0.05)}


def live(server: Loopback) -> Judge:
    return openai_judge("any", base_url=server.base_url)


def scored(judge: Judge, metric: str = "hallucination", output: str = OUTPUT, **options: Any) -> Result:
    return Scorer(metric, judge, **SETTINGS, **options).score(output=output, context=CONTEXT)


def found(result: Result) -> Any:
    """What was found, without what it took."""
    return result.outcome, result.score, result.label, result.reason, result.verdicts, result.truths


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "recording.json"


@pytest.mark.parametrize("metric", ["hallucination", "faithfulness", "truth_faithfulness", "label", "contradiction"])
def test_a_replay_gives_the_same_result_without_the_judge(server: Loopback, path: Path, metric: str) -> None:
    recording = Recording(path)
    first = scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)), metric)
    assert recording.save()
    calls = len(server.calls)
    replay = ReplayJudge(Recording(path), "openai/any")
    second = scored(replay, metric)
    assert first.outcome is Outcome.SCORED
    assert found(second) == found(first)
    assert len(server.calls) == calls
    assert replay.missing == []
    assert replay.replayed == len(Recording(path))
    assert second.usage.calls == 0
    assert [e.prompt for e in second.exchanges] == [e.prompt for e in first.exchanges]


def test_what_was_recorded_is_not_asked_again(server: Loopback, path: Path) -> None:
    recording = Recording(path)
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)))
    calls = len(server.calls)
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)))
    assert len(server.calls) == calls
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server), again=True))
    assert len(server.calls) == 2 * calls


def test_faults_of_the_judge_do_not_reach_the_recording(path: Path) -> None:
    faults = Faults(throttled=0.3, invalid=0.2, missing=0.2, truncated=0.1, seed=5)
    with Loopback(faults=faults) as server:
        recording = Recording(path)
        first = scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)))
        recording.save()
        assert any(call.fault for call in server.calls)
    second = scored(ReplayJudge(Recording(path), "openai/any"))
    assert found(second) == found(first)
    assert not any(exchange.error for exchange in second.exchanges)


def test_a_question_that_was_asked_in_parts_is_replayed_whole(path: Path) -> None:
    long = " ".join(f"Item {i} weighs {i} kilograms." for i in range(60))
    with Loopback(features=Features(window=4000)) as server:
        recording = Recording(path)
        first = scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)), output=long)
        recording.save()
    second = scored(ReplayJudge(Recording(path), "openai/any"), output=long)
    assert len(first.verdicts) == 60
    assert found(second) == found(first)


def test_a_changed_output_prompt_or_setting_is_another_question(server: Loopback, path: Path) -> None:
    recording = Recording(path)
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server), settings={"temperature": 0}))
    recording.save()

    def replayed(**settings: Any) -> ReplayJudge:
        return ReplayJudge(Recording(path), "openai/any", settings=settings, how="say the magic word")

    same, other_output, other_setting = replayed(temperature=0), replayed(temperature=0), replayed(temperature=1)
    assert scored(same).outcome is Outcome.SCORED
    result = scored(other_output, output=OUTPUT + " It is made of iron.")
    assert result.outcome is Outcome.FAILED
    assert result.failure is not None and result.failure.kind == "unrecorded"
    assert "say the magic word" in result.failure.message and str(path) in result.failure.message
    assert len(other_output.missing) == 1
    assert scored(other_setting).outcome is Outcome.FAILED
    assert scored(ReplayJudge(Recording(path), "openai/another")).outcome is Outcome.FAILED


def test_an_answer_that_no_reply_holds_is_recorded_as_it_is(path: Path) -> None:
    class Silent(ScriptedJudge):
        async def answer(self, question: Any, call: Call) -> Any:
            answer = await super().answer(question, call)
            return structs.replace(answer, value=question.read(json.loads(answer.reply or "")), reply=None)

    replies: Any = {
        "extract": {"claims": ["The tower is 300 metres high."]},
        "verify": {"verdicts": [{"id": "c1", "verdict": "no", "reason": "It says so.", "evidence": "300 metres high"}]},
        "explain": {"reason": "Fine."},
    }
    recording = Recording(path)
    first = scored(ReplayJudge(recording, "silent", live=lambda: Silent(replies)))
    recording.save()
    second = scored(ReplayJudge(Recording(path), "silent"))
    assert first.score == 0.0 and first.verdicts[0].evidence
    assert found(second) == found(first)


def test_a_judge_that_asks_others_is_recorded_by_what_it_decided(path: Path, server: Loopback) -> None:
    class Contrary:
        """Passes questions on, and turns every verdict around."""

        name, window, asks = "contrary", None, True

        def fingerprint(self) -> str:
            return self.name

        async def answer(self, question: Question[Any], call: Call) -> Answer[Any]:
            assert call.ask is not None
            answer = await call.ask(live(server), question)
            if not isinstance(answer.value, Verification):
                return answer
            turned = tuple(structs.replace(v, support=Support.UNSUPPORTED, word="yes") for v in answer.value.verdicts)
            return structs.replace(answer, value=Verification(turned))

    recording = Recording(path)
    first = scored(ReplayJudge(recording, "contrary", live=Contrary))
    recording.save()
    assert first.score == 1.0
    assert found(scored(ReplayJudge(Recording(path), "contrary"))) == found(first)


def test_the_file_can_be_read_by_people(server: Loopback, path: Path) -> None:
    recording = Recording(path)
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)))
    recording.save()
    held = json.loads(path.read_text(encoding="utf-8"))
    entries = list(held["replies"].values())
    assert [entry["question"] for entry in entries] == ["extract", "verify", "explain"]
    assert "The tower is 300 metres high." in entries[0]["reply"]["claims"]
    assert entries[0]["about"].startswith("The tower is 300 metres high.")
    assert path.read_text(encoding="utf-8").endswith("}\n")


def test_unused_replies_are_removed(server: Loopback, path: Path) -> None:
    recording = Recording(path)
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)))
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)), output="The tower is 300 metres high.")
    recording.save()
    again = Recording(path)
    both = len(again)
    scored(ReplayJudge(again, "openai/any", live=lambda: live(server)), output="The tower is 300 metres high.")
    again.forget_unused()
    assert again.save()
    assert 0 < len(Recording(path)) < both


def test_an_emptied_recording_is_removed_and_nothing_new_is_not_written(path: Path, server: Loopback) -> None:
    recording = Recording(path)
    assert not recording.save()
    assert not path.exists()
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)))
    recording.save()
    emptied = Recording(path)
    emptied.forget_unused()
    assert emptied.save()
    assert not path.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"halluscope_recording": 1, "replies": {"k": 3}}',
        b"\xff\xfe",
        b'{"halluscope_recording": 9}',
    ],
)
def test_a_damaged_file_is_said_and_not_trusted(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(InputError, match="delete it and record again"):
        Recording(path)


def test_a_recorded_answer_of_another_shape_is_an_error_that_says_what_to_do(path: Path, server: Loopback) -> None:
    recording = Recording(path)
    scored(ReplayJudge(recording, "openai/any", live=lambda: live(server)))
    recording.save()
    held = json.loads(path.read_text(encoding="utf-8"))
    for entry in held["replies"].values():
        del entry["reply"]
        entry["value"] = 7
    path.write_text(json.dumps(held), encoding="utf-8")
    result = scored(ReplayJudge(Recording(path), "openai/any"))
    assert result.outcome is Outcome.FAILED
    assert "record it again" in (result.reason or "")


async def test_it_cannot_be_asked_without_a_driver(path: Path) -> None:
    with pytest.raises(JudgeError, match="must be used through a metric"):
        await ReplayJudge(Recording(path), "x").answer(ExtractClaims(output="a"), Call())


def test_a_judge_that_cannot_be_made_is_said(path: Path) -> None:
    def impossible() -> Judge:
        raise InputError("the judge needs an API key: set OPENAI_API_KEY.")

    judge = ReplayJudge(Recording(path), "openai/any", live=impossible)
    try:
        message = str(scored(judge).reason)
    except InputError as error:
        message = str(error)
    assert "set OPENAI_API_KEY" in message
