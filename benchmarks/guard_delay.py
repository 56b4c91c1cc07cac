"""How long the guard holds a sentence back.

    python -m benchmarks.guard_delay [--answers 40]

Answers of three sentences over five passages of some sixty words, in pieces of four characters, as models stream. A
sentence's delay runs from the moment it is whole to the moment it is passed on. The first answer, which loads the
model, is told apart.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator

import halluscope
from benchmarks.sample_cases import rows

PIECE = 4


def streamed(text: str) -> Iterator[str]:
    yield from (text[at : at + PIECE] for at in range(0, len(text), PIECE))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=40)
    delays: list[list[float]] = []
    for row in rows(parser.parse_args().answers + 1, 5):
        guarded = halluscope.guard(streamed(row["output"]), row["context"], row["input"])
        shown = "".join(guarded)
        assert guarded.original == row["output"] and shown
        delays.append([sentence.delay_ms for sentence in guarded.sentences])
    first, rest = delays[0], sorted(delay for answer in delays[1:] for delay in answer)
    print(f"{len(rest)} sentences of {len(delays) - 1} answers")
    print(f"added delay per sentence: median {statistics.median(rest):.0f} ms, ", end="")
    print(f"95th percentile {rest[int(0.95 * len(rest))]:.0f} ms, longest {rest[-1]:.0f} ms")
    print(f"the very first sentence, with loading the model: {first[0]:.0f} ms")


if __name__ == "__main__":
    main()
