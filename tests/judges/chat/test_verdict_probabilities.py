"""Probabilities of verdicts from the log-probabilities of tokens: read, attached, and used."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from halluscope import Label, Store, evaluate
from halluscope._internal.core.errors import InputError
from halluscope._internal.core.verdict import Claim, Support
from halluscope._internal.engine.judge import resolve
from halluscope._internal.engine.questions import LabelAnswer, Passage, VerifyClaims
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.judges.chat.verdict_probabilities import (
    Token,
    tokens_of,
    verdict_probabilities,
    word_probabilities,
)
from halluscope._internal.runs.profile import probability_of
from tests.helpers.scoring import Scorer

from ...helpers.loopback import Features, Loopback
from ...helpers.oracle import Asked, oracle

GOOD: dict[str, Any] = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}
WRONG: dict[str, Any] = {"output": "The mill closed in 1969.", "context": ["The mill closed in 1921."]}
WORDS = ("yes", "no", "unsure")


def tokens(*pieces: str | tuple[str, dict[str, float]]) -> tuple[Token, ...]:
    return tuple(Token(piece, {piece: 1.0}) if isinstance(piece, str) else Token(*piece) for piece in pieces)


def close(found: dict[str, float] | None, **expected: float) -> bool:
    return found is not None and found == pytest.approx(expected)


def test_the_words_share_what_their_tokens_have() -> None:
    reply = tokens('{"verdict": "', ("no", {"no": 0.6, "yes": 0.2, "Uns": 0.1, "maybe": 0.05}), '"}')
    ((word, found),) = verdict_probabilities(reply, WORDS)
    assert word == "no" and close(found, yes=0.2 / 0.9, no=0.6 / 0.9, unsure=0.1 / 0.9)


def test_a_word_that_is_not_listed_gets_what_the_list_leaves() -> None:
    reply = tokens('{"verdict":"', ("fact", {"fact": 0.9}), 'ual"}')
    assert close(verdict_probabilities(reply, ("factual", "hallucinated"))[0][1], factual=0.9, hallucinated=0.1)


def test_the_quotation_mark_may_be_in_the_token_of_the_word() -> None:
    reply = tokens('{"verdict":', (' "yes"', {' "yes"': 0.7, ' "no': 0.3}), "}")
    assert close(verdict_probabilities(reply, ("yes", "no"))[0][1], yes=0.7, no=0.3)


def test_words_that_begin_alike_are_told_apart_at_a_later_token() -> None:
    words = ("unsupported", "unsure", "supported")
    reply = tokens(
        '{"verdict": "', ("un", {"un": 0.8, "supported": 0.2}), ("sure", {"sure": 0.75, "supported": 0.25}), '"}'
    )
    assert close(verdict_probabilities(reply, words)[0][1], unsure=0.6, unsupported=0.2, supported=0.2)


def test_a_word_may_be_the_beginning_of_another() -> None:
    reply = tokens('{"verdict": "', ("no", {"no": 0.9, "yes": 0.1}), ('"', {'"': 0.5, "ne": 0.5}), "}")
    assert close(verdict_probabilities(reply, ("no", "none", "yes"))[0][1], no=0.45, none=0.45, yes=0.1)


def test_a_reply_of_one_word() -> None:
    ((word, found),) = verdict_probabilities(tokens("\n", ("Yes", {"Yes": 0.8, "No": 0.2})), ("yes", "no"))
    assert word == "yes" and close(found, yes=0.8, no=0.2)
    given = word_probabilities(tokens("<score> ", ("no", {"no": 1.0}), " </score>"), 8, ("yes", "no"))
    assert given is not None and close(given[1], yes=0.0, no=1.0)


@pytest.mark.parametrize(
    "logprobs",
    [None, [], {}, {"content": None}, {"content": [3]}, {"content": [{"token": 3, "logprob": 0}]}],
)
def test_log_probabilities_that_cannot_be_read_are_none(logprobs: Any) -> None:
    assert tokens_of(logprobs) == ()


def test_a_token_without_usable_numbers_gives_no_probability() -> None:
    content = [{"token": text, "logprob": logprob} for text, logprob in (('{"verdict": "', 0.0), ("no", math.nan))]
    assert verdict_probabilities(tokens_of({"content": content}), ("yes", "no")) == ()
    assert verdict_probabilities(tokens_of({"content": [{"token": "maybe", "logprob": -1}]}), ("yes", "no")) == ()
    assert verdict_probabilities((), ("yes", "no")) == ()


VERIFY = VerifyClaims(
    claims=(Claim("c1", "Ulm is old."), Claim("c2", "Ulm is new.")),
    passages=(Passage(0, "Ulm is old."),),
    words={"yes": Support.SUPPORTED, "no": Support.CONTRADICTED, "unsure": Support.UNSUPPORTED},
)


def verdict(id: str, word: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "verdict": word, **more}


def test_the_confidence_is_that_the_claim_holds_or_does_not() -> None:
    reply = json.dumps({"verdicts": [verdict("c2", "no"), verdict("c1", "yes")]})
    given = (("no", {"yes": 0.1, "no": 0.5, "unsure": 0.4}), ("yes", {"yes": 0.7, "no": 0.2, "unsure": 0.1}))
    found = VERIFY.read_reply(reply, probabilities=given).verdicts
    assert [v.claim.id for v in found] == ["c1", "c2"]
    assert [v.confidence for v in found] == pytest.approx([0.7, 0.9])


@pytest.mark.parametrize(
    "given",
    [
        (),
        (("no", {"yes": 0.1, "no": 0.9}),),
        (("no", {"yes": 0.1, "no": 0.9}), ("yes", {"yes": 0.9, "no": 0.1})),
    ],
)
def test_probabilities_that_do_not_fit_the_verdicts_are_not_used(given: Any) -> None:
    reply = json.dumps({"verdicts": [verdict("c1", "yes"), verdict("c2", "no")]})
    assert [v.confidence for v in VERIFY.read_reply(reply, probabilities=given).verdicts] == [None, None]


def test_a_reply_cannot_state_its_own_probabilities() -> None:
    claimed = {"yes": 1.0, "no": 0.0, "unsure": 0.0}
    reply = json.dumps({"verdicts": [verdict("c1", "yes", probabilities=claimed)]})
    assert [v.confidence for v in VERIFY.read_reply(reply).verdicts] == [None]
    label = '{"reason": [], "verdict": "factual", "probabilities": {"hallucinated": 0.5}}'
    assert LabelAnswer(output="x").read_reply(label).probability is None


def test_a_reply_that_is_the_word_alone_has_its_probability() -> None:
    given = (("hallucinated", {"factual": 0.3, "hallucinated": 0.7}),)
    assert LabelAnswer(output="x").read_reply("Hallucinated.", probabilities=given).probability == 0.7


def test_drafts_before_the_reply_do_not_count() -> None:
    reply = '<think>{"verdict": "hallucinated"}?</think>{"reason": ["x"], "verdict": "factual"}'
    drafted = (
        ("hallucinated", {"factual": 0.0, "hallucinated": 1.0}),
        ("factual", {"factual": 0.8, "hallucinated": 0.2}),
    )
    assert LabelAnswer(output="x").read_reply(reply, probabilities=drafted).probability == 0.2


async def test_verdicts_of_a_chat_judge_have_a_probability(server: Loopback) -> None:
    server.features = Features(logprobs=0.9)
    judge = openai_judge("any", base_url=server.base_url)
    assert (await Scorer("label", judge).ascore(**GOOD)).probability == pytest.approx(0.1, abs=0.01)
    assert (await Scorer("label", judge).ascore(**WRONG)).probability == pytest.approx(0.9, abs=0.01)
    for metric, word in (("hallucination", "no"), ("faithfulness", "yes"), ("contradiction", "yes")):
        result = await Scorer(metric, judge).ascore(**GOOD)
        assert [v.word for v in result.verdicts] == [word]
        assert [v.confidence for v in result.verdicts] == [pytest.approx(0.9, abs=0.01)], metric
        assert probability_of(result) == pytest.approx(0.1, abs=0.01)
    asked = {call.asked.kind: "logprobs" in call.asked.body for call in server.calls}
    assert asked == {"label": True, "extract": False, "verify": True, "explain": False, "compare": True}


@pytest.mark.parametrize("logprobs", [None, False])
async def test_a_server_without_log_probabilities_answers_as_before(server: Loopback, logprobs: bool | None) -> None:
    server.features = Features(logprobs=logprobs)
    scorer = Scorer("label", openai_judge(f"any-{logprobs}", base_url=server.base_url))
    for _ in range(2):
        result = await scorer.ascore(**WRONG)
        assert (result.score, result.probability) == (1.0, None)
    refused = [call.status for call in server.calls]
    assert refused == ([400, 200, 200] if logprobs is False else [200, 200])


async def test_a_probability_is_kept_with_the_reply(server: Loopback, tmp_path: Any) -> None:
    server.features = Features(logprobs=0.8)
    with Store(tmp_path / "kept.db") as store:
        from halluscope._internal.runs.store import Replies

        for _ in range(2):
            scorer = Scorer("label", openai_judge("any", base_url=server.base_url), cache=Replies(store))
            assert (await scorer.ascore(**WRONG)).probability == pytest.approx(0.8, abs=0.01)
    assert len(server.calls) == 1


async def test_it_can_be_turned_off(server: Loopback) -> None:
    server.features = Features(logprobs=0.8)
    scorer = Scorer("label", openai_judge("any", base_url=server.base_url, logprobs=False))
    assert (await scorer.ascore(**WRONG)).probability is None
    assert not server.calls[0].asked.body.keys() & {"logprobs", "top_logprobs"}


def test_a_cascade_passes_on_what_the_tokens_are_not_sure_of(server: Loopback) -> None:
    judge = resolve("cascade(openai/cheap, openai/dear)", base_url=server.base_url)
    for certain, asked in ((0.95, ["cheap"]), (0.6, ["cheap", "dear"])):
        server.forget()
        server.features = Features(logprobs=certain)
        Label().score(**WRONG, judge=judge)
        assert [call.asked.body["model"] for call in server.calls] == asked


def test_votes_are_drawn_where_tokens_have_no_probability(server: Loopback) -> None:
    def divided(asked: Asked) -> Any:
        return oracle(asked) if asked.body["seed"] != 3 else {"reason": ["x"], "verdict": "factual"}

    server.answer = divided
    judge = resolve("openai/any", base_url=server.base_url, votes=5)
    assert judge.name == "consistent(openai/any, n=5, if_needed=true)"
    result = Label().score(**WRONG, judge=judge)
    assert len(server.calls) == 5 and server.calls[0].asked.body["seed"] == 0
    assert result.score == 1.0 and result.probability == pytest.approx(0.8)
    server.forget()
    server.features = Features(logprobs=0.7)
    assert Label().score(**WRONG, judge=judge).probability == pytest.approx(0.7, abs=0.01)
    assert len(server.calls) == 1
    with pytest.raises(InputError, match="at least 2"):
        resolve("openai/any", base_url=server.base_url, votes=1)


def test_calibration_uses_them(server: Loopback, tmp_path: Any) -> None:
    """The probability of a right answer is not that of the label alone, so a threshold can lie between them."""
    server.features = Features(logprobs=0.75)
    rows = [GOOD, WRONG] * 3
    with Store(tmp_path / "kept.db") as store:
        run = evaluate(rows, "label", "openai/any", base_url=server.base_url, store=store)
        found = sorted(probability_of(result) or 0.0 for result in run.results("label"))
    assert found == pytest.approx([0.25] * 3 + [0.75] * 3, abs=0.01)
