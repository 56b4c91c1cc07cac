"""Draws until the time is up: `python -m tests.fuzz --minutes 10`. A finding is shown in its smallest form."""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter

from hypothesis import HealthCheck, given, seed, settings

from .targets import TARGETS

_AT_ONCE = 100


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", choices=TARGETS, help="one target")
    asked = parser.parse_args()
    end = time.monotonic() + 60 * asked.minutes
    drawn: Counter[str] = Counter()
    for number in itertools.count(asked.seed):
        for name, (target, strategies) in TARGETS.items():
            if asked.only not in (None, name):
                continue
            if time.monotonic() > end:
                print(f"no finding in {asked.minutes:g} minutes:", ", ".join(f"{n} {k}" for k, n in drawn.items()))
                return 0
            run = settings(max_examples=_AT_ONCE, deadline=None, database=None, suppress_health_check=list(HealthCheck))
            try:
                run(seed(number)(given(**strategies)(target)))()
            except Exception as error:
                print(f"{name}, seed {number}: {type(error).__name__}: {error}", file=sys.stderr)
                raise
            drawn[name] += _AT_ONCE
    return 0


if __name__ == "__main__":
    sys.exit(main())
