"""The guard: nothing wrong gets past it unmarked, and nothing is ever lost."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import halluscope
from halluscope import Support
from halluscope._internal.core.plumbing import sync
from halluscope.judges import ScriptedJudge
from halluscope.live import GuardedSentence

CONTEXT = [
    "Marie Curie was born in Warsaw in 1867. She won the Nobel Prize in Physics in 1903.",
    "The Eiffel Tower in Paris is 330 metres tall and painted every seven years.",
]
TEXT = (
    "Marie Curie won the Nobel Prize in Physics in 1903. She was born in Berlin.\n\n"
    "As for Mr. Eiffel's tower, e.g. in a list:\n"
    "- The Eiffel Tower is 330 metres tall.\n"
    "- It is painted every three years.\n\n"
    "```python\nyears = 3. # Painted every. Three years.\n```\nAsk me more!  \n"
)
WRONG = ["She was born in Berlin.", "It is painted every three years."]


def pieces(text: str = TEXT, size: int = 7) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


async def apieces(text: str = TEXT, size: int = 7) -> AsyncIterator[str]:
    for piece in pieces(text, size):
        yield piece


def flagged(sentences: tuple[GuardedSentence, ...]) -> list[str]:
    return [sentence.text for sentence in sentences if not (sentence.support or Support.SUPPORTED).holds]


@pytest.mark.slow("guards many texts with the embedded judge")
@pytest.mark.parametrize(
    "policy, expected",
    [
        ("pass", TEXT),
        (
            "mark",
            TEXT.replace(WRONG[0], f"{WRONG[0]} [contradicted]").replace(WRONG[1], f"{WRONG[1]} [contradicted]"),
        ),
        ("replace", TEXT.replace(WRONG[0], "[?]").replace(WRONG[1], "[?]")),
        (
            lambda sentence: sentence.text.upper(),
            TEXT.replace(WRONG[0], WRONG[0].upper()).replace(WRONG[1], WRONG[1].upper()),
        ),
        ("repair", TEXT.replace("Berlin", "Warsaw").replace("three", "seven")),
        ("stop", TEXT[: TEXT.index(WRONG[0]) - 1]),
    ],
    ids=["pass", "mark", "replace", "function", "repair", "stop"],
)
@pytest.mark.usefixtures("remembered_readings")
async def test_each_policy_in_both_worlds(policy: Any, expected: str) -> None:
    guarded = halluscope.guard(pieces(), CONTEXT, policy=policy, replacement="[?]")
    shown = await asyncio.get_running_loop().run_in_executor(None, "".join, guarded)
    beside = halluscope.guard(apieces(size=3), CONTEXT, policy=policy, replacement="[?]")
    assert "".join([text async for text in beside]) == shown
    assert shown == guarded.shown == beside.shown
    assert shown.replace("[unsupported]", "[contradicted]") == expected
    for made in (guarded, beside):
        whole = TEXT if policy != "stop" else TEXT[: len(made.original)]
        assert made.original == whole
        assert flagged(made.sentences) == WRONG[: len(flagged(made.sentences))] != []
        assert made.stopped == (policy == "stop")


@pytest.mark.usefixtures("remembered_readings")
def test_the_original_can_be_put_together_again_from_the_sentences() -> None:
    guarded = halluscope.guard(pieces(), CONTEXT, policy="replace")
    checked = list(guarded.checked())
    assert "".join(sentence.before + sentence.text for sentence in checked) == TEXT == guarded.original
    assert "".join(sentence.before + sentence.shown for sentence in checked) == guarded.shown != TEXT
    for sentence in checked:
        assert TEXT[sentence.start : sentence.end] == sentence.text
        for verdict in sentence.verdicts:
            assert verdict.claim.start is not None and verdict.claim.end is not None
            assert sentence.start <= verdict.claim.start < verdict.claim.end <= sentence.end
            assert all(sentence.start <= start < end <= sentence.end for start, end in verdict.marks)


def test_a_sentence_is_read_with_those_before_it() -> None:
    guarded = halluscope.guard([TEXT], CONTEXT)
    assert list(guarded)
    born = next(sentence for sentence in guarded.sentences if sentence.text == WRONG[0])
    assert "Marie Curie" in born.verdicts[0].claim.text
    assert born.reason


def test_a_sentence_is_passed_on_before_the_next_is_written() -> None:
    asked: list[str] = []

    def written() -> Iterator[str]:
        for piece in ("The Eiffel Tower is in Paris. ", "It is ", "330 metres tall. ", "And so on."):
            asked.append(piece)
            yield piece

    guarded = halluscope.guard(written(), CONTEXT)
    assert next(guarded) == "The Eiffel Tower is in Paris."
    assert len(asked) == 2
    assert guarded.sentences[0].delay_ms > 0
    assert guarded.original == "The Eiffel Tower is in Paris. It is "


class Upstream:
    """A stream that says whether it was closed, and may break."""

    def __init__(self, text: str, fault: Exception | None = None) -> None:
        self._pieces = iter(text.split("|"))
        self._fault = fault
        self.closed = False

    def __iter__(self) -> Upstream:
        return self

    def __next__(self) -> str:
        piece = next(self._pieces, None)
        if piece is not None:
            return piece
        raise self._fault or StopIteration

    def close(self) -> None:
        self.closed = True


def test_stopping_closes_the_stream_and_keeps_what_came() -> None:
    stream = Upstream("She was born in Berlin in 1867. Then| she|slept. ")
    guarded = halluscope.guard(stream, CONTEXT, policy="stop")
    assert list(guarded) == []
    assert guarded.stopped and stream.closed
    assert guarded.original == "She was born in Berlin in 1867. Then she"
    assert guarded.sentences[0].action == "stopped"


def test_what_came_before_a_fault_of_the_stream_is_passed_on() -> None:
    stream = Upstream("The Eiffel Tower is 330 metres| tall. It is", ConnectionResetError("gone"))
    guarded = halluscope.guard(stream, CONTEXT)
    shown = []
    with pytest.raises(ConnectionResetError):
        for text in guarded:
            shown.append(text)
    assert "".join(shown) == guarded.original == "The Eiffel Tower is 330 metres tall. It is"
    assert stream.closed


async def test_whoever_walks_away_leaves_nothing_running() -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[str]:
        try:
            while True:
                yield "The Eiffel Tower is 330 metres tall. "
        finally:
            closed.set()

    guarded = halluscope.guard(endless(), CONTEXT)
    assert await guarded.__anext__()
    await guarded.aclose()
    assert closed.is_set()
    del guarded
    gc.collect()


def test_what_cannot_be_judged_says_so_and_is_a_matter_of_choice() -> None:
    german = "Der Eiffelturm in Paris wurde im Jahr 1889 gebaut und ist ein Wahrzeichen der Stadt."
    guarded = halluscope.guard([german], CONTEXT)
    assert "".join(guarded) == german
    assert "chat judge" in (guarded.sentences[0].unchecked or "")
    assert list(halluscope.guard([german], CONTEXT, policy="stop", flag_unchecked=True)) == []


@pytest.mark.slow("guards many texts with the embedded judge")
@pytest.mark.usefixtures("remembered_readings")
def test_only_what_is_asked_for_is_flagged() -> None:
    guarded = halluscope.guard([TEXT], CONTEXT, policy="replace", flags=["contradicted"], min_confidence=1.1)
    assert "".join(guarded) == TEXT
    assert flagged(guarded.sentences) == WRONG
    assert "".join(halluscope.guard([TEXT], CONTEXT, flags="supported")).count("[supported]") >= 2


def test_an_empty_context_supports_nothing() -> None:
    guarded = halluscope.guard(["Paris is in France."], [], policy="stop")
    assert list(guarded) == [] and guarded.sentences[0].reason == "The context is empty."


def test_a_judge_is_asked_about_each_claim_once() -> None:
    asked: list[str] = []

    def replies(question: Any) -> Any:
        if question.kind == "extract":
            return {"claims": [claim for claim in ("It is red.", "It is old.") if claim in question.output]}
        asked.extend(claim.text for claim in question.claims)
        return {"verdicts": [{"statement": claim.text, "verdict": "no"} for claim in question.claims]}

    judge = ScriptedJudge(replies)
    guarded = halluscope.guard(["It is red. It is old. And"], ["It is red and old."], judge=judge)
    assert "".join(guarded) == "It is red. It is old. And"
    assert asked == ["It is red.", "It is old."]


def test_a_judge_that_fails_loses_no_text() -> None:
    failing = ScriptedJudge({"extract": halluscope.JudgeError("out of order")})
    guarded = halluscope.guard(pieces(), CONTEXT, judge=failing)
    assert "".join(guarded) == TEXT
    assert "out of order" in (guarded.sentences[0].unchecked or "")


def test_pieces_that_are_no_text_need_to_be_read() -> None:
    stream = [{"delta": "The Eiffel Tower "}, {"delta": "is in Paris."}, {"delta": ""}]
    guarded = halluscope.guard(stream, CONTEXT, text=lambda piece: piece["delta"])
    assert "".join(guarded) == "The Eiffel Tower is in Paris."


@pytest.mark.parametrize(
    "piece",
    [
        lambda text: {"choices": [{"delta": {"content": text}}]},
        lambda text: {"type": "response.output_text.delta", "delta": text},
        lambda text: {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}},
        lambda text: {"type": "text-delta", "payload": {"text": text}},
        lambda text: SimpleNamespace(type="AIMessageChunk", content=[{"type": "text", "text": text}]),
    ],
    ids=["chat", "responses", "anthropic", "mastra", "langchain"],
)
def test_pieces_of_the_known_clients_are_read(piece: Callable[[str], Any]) -> None:
    stream = [{"type": "response.created"}, piece("It "), {"choices": [{"delta": {}}]}, piece("is."), {"choices": []}]
    assert "".join(halluscope.guard(stream, [], policy="pass")) == "It is."


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: halluscope.guard(["a"], None), "needs a context"),
        (lambda: halluscope.guard(["a"], "b", policy="shout"), "no policy 'shout'"),  # type: ignore[call-overload]
        (lambda: halluscope.guard(5, "b"), "int is not a stream"),  # type: ignore[call-overload]
        (lambda: halluscope.guard(["a"], "b", flags=["wrong"]), "no support 'wrong'"),
        (lambda: halluscope.guard(["a"], "b", min_confidence="x"), "must be a number"),  # type: ignore[call-overload]
        (lambda: list(halluscope.guard([5], "b")), "a chunk of the stream is a int"),
        (lambda: list(halluscope.guard("Paris is blue.", [], policy=lambda s: 5)), "policy returned a int"),  # type: ignore[arg-type,return-value]
    ],
)
def test_bad_input_gets_one_sentence(call: Callable[[], object], said: str) -> None:
    with pytest.raises(halluscope.InputError) as caught:
        call()
    assert said in str(caught.value) and "\n" not in str(caught.value)


class ClosesPlainly:
    """An asynchronous stream whose `close` is no coroutine function."""

    def __init__(self, text: str) -> None:
        self._left = list(text)
        self.closed = 0

    def __aiter__(self) -> ClosesPlainly:
        return self

    async def __anext__(self) -> str:
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop(0)

    def close(self) -> None:
        self.closed += 1


async def test_an_asynchronous_stream_may_have_a_plain_close() -> None:
    stream = ClosesPlainly("Marie Curie was born in Warsaw. She was born in 1867.")
    guarded = halluscope.guard(stream, CONTEXT)
    assert "".join([text async for text in guarded]) == "Marie Curie was born in Warsaw. She was born in 1867."
    assert stream.closed == 1


def score_of(sentence: GuardedSentence) -> str:
    return f"[score {halluscope.check(sentence.text, CONTEXT).score}]"


async def test_a_policy_function_may_call_halluscope() -> None:
    assert "".join(halluscope.guard([WRONG[0]], CONTEXT, policy=score_of)) == "[score 1.0]"
    beside = halluscope.guard(apieces(WRONG[0]), CONTEXT, policy=score_of)
    assert [text async for text in beside] == ["[score 1.0]"]

    async def awaited(sentence: GuardedSentence) -> str:
        return f"[score {(await halluscope.acheck(sentence.text, CONTEXT)).score}]"

    assert [text async for text in halluscope.guard(apieces(WRONG[0]), CONTEXT, policy=awaited)] == ["[score 1.0]"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_slow_policy_function_does_not_block_other_streams(asynchronous: bool) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(sentence: GuardedSentence) -> str:
        begun.set()
        assert go_on.wait(60)
        return "late"

    shown: list[str] = []

    async def read() -> None:
        shown.extend([text async for text in halluscope.guard(apieces(WRONG[0]), CONTEXT, policy=slow)])

    def work() -> None:
        if asynchronous:
            sync.run(read())
        else:
            shown.extend(halluscope.guard([WRONG[0]], CONTEXT, policy=slow))

    reader = threading.Thread(target=work)
    reader.start()
    assert begun.wait(60)
    other = threading.Thread(target=lambda: halluscope.check(WRONG[0], CONTEXT))
    other.start()
    other.join(30)
    held_up = other.is_alive()
    go_on.set()
    reader.join(60)
    assert not held_up and shown == ["late"]


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_what_a_policy_function_raises_reaches_the_reader(kind: type[BaseException]) -> None:
    def leaves(sentence: GuardedSentence) -> str:
        raise kind("enough")

    guarded = halluscope.guard([WRONG[0]], CONTEXT, policy=leaves)
    with pytest.raises(kind, match="enough"):
        list(guarded)
    with pytest.raises(kind, match="enough"):
        asyncio.run(leaves_async(leaves))
    assert halluscope.check(WRONG[0], CONTEXT).score == 1.0


async def leaves_async(policy: Any) -> None:
    async for _ in halluscope.guard(apieces(WRONG[0]), CONTEXT, policy=policy):
        pass
