"""Killed ten times in one run of 2,000 cases: what is paid twice, and whether the result is the same.

    python -m benchmarks.kills [--cases 2000] [--kills 10] [--at-once 50] [--latency 0.02]

The run is killed with SIGKILL at random moments and started again. Calls are counted at the server,
replies in the store: a session may make at most as many calls that leave no reply as were in flight
when it was killed, and none where it was not.
"""

from __future__ import annotations

import argparse
import random
import signal
import tempfile
import time
from pathlib import Path

from tests.helpers.loopback import Loopback
from tests.runs.runner.test_kill import Session, data, end, wait_for_calls


def main() -> None:
    """Print one line per kill, and the verdict."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    drawn = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        file = data(Path(folder) / "data.jsonl", given.cases)
        with Loopback(latency=given.latency) as server:
            session = Session(Path(folder) / "undisturbed", server, file, given.at_once)
            session.finish()
            wanted, needed = session.export(), server.quiet()
        print(f"undisturbed: {len(wanted)} results, {needed} calls")
        repeated = 0
        with Loopback(latency=given.latency) as server:
            session = Session(Path(folder) / "killed", server, file, given.at_once)
            for kill in range(1, given.kills + 1):
                before = (server.quiet(), session.stored())
                process = session.start()
                count = before[0] + drawn.randrange(1, needed // (given.kills + 1))
                wait_for_calls(server, count, process, most=before[0] + needed)
                time.sleep(drawn.random() * 0.1)
                end(process, server, signal.SIGKILL)
                calls, stored = server.quiet() - before[0], session.stored() - before[1]
                repeated += calls - stored
                print(
                    f"kill {kill}: {calls} calls, {stored} replies stored, {calls - stored} in flight lost", flush=True
                )
                assert 0 <= calls - stored <= given.at_once, "a stored reply was asked for again"
            before = (server.quiet(), session.stored())
            session.finish()
            calls, stored = server.quiet() - before[0], session.stored() - before[1]
            assert calls == stored, "a stored reply was asked for again"
            same = session.export() == wanted
            print(f"last: {calls} calls, {stored} replies stored")
            print(
                f"{server.quiet()} calls in all for {needed}: {repeated} in flight when killed, 0 stored ones repeated"
            )
            print(f"the result {'equals' if same else 'DIFFERS FROM'} that of the undisturbed run")
            assert same


if __name__ == "__main__":
    main()
