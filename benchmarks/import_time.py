"""How long `import halluscope` takes, next to an empty interpreter and to importing json and asyncio.

python -m benchmarks.import_time
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

ROUNDS = 15
PROGRAMS = {
    "an empty interpreter": "pass",
    "import json, asyncio": "import json, asyncio",
    "import halluscope": "import halluscope",
    "import halluscope; halluscope.check": "import halluscope; halluscope.check",
}


def seconds(program: str) -> float:
    """The median wall time of a fresh interpreter running the program."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    empty = seconds(PROGRAMS["an empty interpreter"])
    print(f"{'program':<40}{'seconds':>9}{'over empty':>12}{'ratio':>8}")
    for name, program in PROGRAMS.items():
        taken = seconds(program)
        print(f"{name:<40}{taken:>9.3f}{taken - empty:>12.3f}{taken / empty:>8.2f}")


if __name__ == "__main__":
    main()
