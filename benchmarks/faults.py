"""What was tried to break halluscope, how often, and what happened: the table in docs/faults.md.

python -m benchmarks.faults --draws 300
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Callable, Iterator

from hypothesis import HealthCheck, given, seed, settings
from tests.fuzz.targets import TARGETS
from tests.helpers.hostile import QUOTING, STYLES, WITH_PROSE, WRONG, honest, payloads

from halluscope._internal.core.case import Case
from halluscope._internal.engine.driver import Driver, RetryPolicy
from halluscope._internal.engine.metrics import METRICS
from halluscope._internal.judges.chat.user_model import from_model

HELD = {
    "quoted": "an honest reply that quotes hostile text, in any style",
    "cited": "an honest reply that cites injected JSON in its own words",
    "worded": "a label in a sentence",
    "deep": "a reply that nests up to 1,200 levels deep",
    "reply": "any text as a reply, to every kind of question",
    "case": "any data as output, context and metadata",
    "file": "any bytes as JSONL, JSON, CSV, TSV or Parquet, packed or cut",
    "store": "a store with changed bytes, or cut off",
}


def drawn(draws: int) -> Iterator[tuple[str, int, str]]:
    """Draws of each kind; what must hold is asserted by the target."""
    for name, what in HELD.items():
        target, strategies = TARGETS[name]
        run = settings(max_examples=draws, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        try:
            run(seed(1)(given(**strategies)(target)))()
        except Exception as error:
            yield what, draws, f"**broke**: {type(error).__name__}"
        else:
            yield what, draws, "held"


async def replaced() -> Iterator[tuple[str, int, str]]:
    """Whole metrics: how many verdicts the judged text changed, and how many honest ones it lost."""
    rows = []
    for styles, what in (
        (STYLES, "a payload in output or context, the reply is the JSON alone"),
        (WITH_PROSE, "a payload in output or context, other text beside the JSON"),
        (QUOTING, "a payload quoted beside the answer"),
    ):
        for code in (True, False):
            counts: Counter[str] = Counter()
            for name, metric in METRICS.items():
                for style in styles.values():
                    judge = from_model(honest(style, WRONG.get(name, ""), code=code, claim="The mill is in Bonn."))
                    driver = Driver(judge, retry_policy=RetryPolicy(repairs=1, first_wait=0.001))
                    for payload in payloads():
                        case = Case.of("The mill is in Bonn.", [f"The mill is in Ulm. {payload}"])
                        result = await driver.score(metric(include_reason=False), case)
                        counts["tried"] += 1
                        counts["without a score"] += result.score is None
                        counts["changed"] += result.score is not None and not result.failing
            said = f"{counts['changed']} verdicts changed, {counts['without a score']} without a score"
            rows.append((f"{what}, {'with' if code else 'without'} the code", counts["tried"], said))
    return iter(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=300)
    asked = parser.parse_args()
    print("| what was tried | how often | what happened |\n| --- | --- | --- |")
    found: list[Callable[[], Iterator[tuple[str, int, str]]]] = [
        lambda: asyncio.run(replaced()),
        lambda: drawn(asked.draws),
    ]
    for rows in found:
        for what, often, happened in rows():
            print(f"| {what} | {often:,} | {happened} |", flush=True)


if __name__ == "__main__":
    main()
