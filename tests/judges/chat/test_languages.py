"""No claim and no truth is lost because the judge states it in another language than the output's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from halluscope import Faithfulness, Hallucination, Outcome, TruthFaithfulness

GERMAN = "Der Turm steht in Paris. Er wurde 1950 gestrichen."
JAPANESE = "塔はパリにある。1950年に塗装された。"
CONTEXT = ["The tower stands in Paris, France."]
STATED = ["The tower is in Paris.", "It was painted in 1950."]


class English:
    """Speaks English whatever it reads, and knows that the second claim does not hold."""

    def __init__(self, right: str, wrong: str, stated: list[str]) -> None:
        self.right, self.wrong, self.stated = right, wrong, stated
        self.calls = 0

    async def __call__(self, prompt: str, schema: dict[str, Any]) -> str:
        self.calls += 1
        if "claims" in schema["properties"]:
            return json.dumps({"claims": self.stated})
        if "truths" in schema["properties"]:
            return json.dumps({"truths": ["Der Turm befindet sich dort."]})
        kinds = {"c1": (self.right, "supported"), "c2": (self.wrong, "unsupported")}
        verdicts = [
            {"id": id, "statement": text, "reason": "", "evidence": "", "basis": basis, "verdict": word}
            for (id, (word, basis)), text in zip(kinds.items(), STATED, strict=True)
        ]
        return json.dumps({"verdicts": verdicts})


@pytest.mark.parametrize("output", [GERMAN, JAPANESE], ids=["German", "Japanese"])
def test_claims_in_english_of_an_output_in_another_language_are_judged(output: str) -> None:
    model = English("no", "yes", STATED)
    result = Hallucination(include_reason=False).score(output=output, context=CONTEXT, judge=model)
    assert result.outcome is Outcome.SCORED, result.reason
    assert result.score == 0.5
    assert model.calls == 2
    assert any("no word in common with the output" in note for note in result.notes) == (output == JAPANESE)


def test_claims_that_are_restated_in_english_keep_their_verdicts() -> None:
    model = English("yes", "no", ["塔はパリにある", "塔は1950年に塗装された"])
    result = Faithfulness(include_reason=False).score(output=JAPANESE, context=CONTEXT, judge=model)
    assert (result.outcome, result.score, model.calls) == (Outcome.SCORED, 0.5, 2)


def test_truths_in_another_language_count_and_the_notes_say_so() -> None:
    model = English("yes", "no", STATED)
    result = TruthFaithfulness(include_reason=False).score(output=STATED[0], context=["塔はパリにある"], judge=model)
    assert result.truths == ("Der Turm befindet sich dort.",)
    assert result.score == 0.5
    assert any("1 of 1 truths has no word in common with the context" in note for note in result.notes)
