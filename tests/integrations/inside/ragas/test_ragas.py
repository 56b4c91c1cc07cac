from __future__ import annotations

import asyncio
import math

from ragas import EvaluationDataset, evaluate

from halluscope.integrations.ragas import Groundedness

PASSAGE = "The tower was built in 1889 and is 300 metres high."


def test_a_missing_score_is_nan_and_the_mean_leaves_it_out() -> None:
    rows = [
        {"user_input": "How high?", "response": text, "retrieved_contexts": [PASSAGE]}
        for text in ("It is 300 metres high.", "I cannot answer that.")
    ]
    evaluated = evaluate(EvaluationDataset.from_list(rows), metrics=[Groundedness()], show_progress=False)
    first, second = evaluated["groundedness"]
    assert first == 1.0 and math.isnan(second)


def test_one_response_has_a_reason() -> None:
    scored = asyncio.run(Groundedness().ascore(response="It is 200 metres high.", retrieved_contexts=[PASSAGE]))
    assert scored.value == 0.0 and "300 metres" in str(scored.reason)
