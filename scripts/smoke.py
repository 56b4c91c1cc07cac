"""Installs the wheel of a folder into an empty environment, and uses it from an empty folder.

python scripts/smoke.py dist
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

CHECK = ["check", "--output", "Einstein won the prize.", "--context", "Einstein won the prize in 1921."]
USE = """
import halluscope

wrong = halluscope.check("Einstein won the Nobel Prize in 1969.", ["Einstein won the Nobel Prize in 1921."])
right = halluscope.check("Einstein won the Nobel Prize in 1921.", ["Einstein won the Nobel Prize in 1921."])
assert (wrong.score, right.score) == (1.0, 0.0), (wrong, right)
print(halluscope.__version__, halluscope.__file__)
"""


def main() -> None:
    """Of the one wheel in the folder that is given."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    wheels = list(Path(sys.argv[1]).resolve().glob("*.whl"))
    if len(wheels) != 1:
        raise SystemExit(f"{sys.argv[1]} holds {len(wheels)} wheels, and should hold one: empty it and build again.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        venv.create(home / "venv", with_pip=True)
        bin = home / "venv" / ("Scripts" if os.name == "nt" else "bin")
        empty = home / "empty"
        empty.mkdir()

        def run(*command: str | Path) -> None:
            subprocess.run([*map(str, command)], cwd=empty, env=environment, check=True)

        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment["HALLUSCOPE_HOME"] = str(home / "kept")
        python = bin / "python"
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheels[0])
        run(python, "-m", "pip", "check", "--disable-pip-version-check")
        run(python, "-W", "error", "-c", USE)
        run(bin / "halluscope", *CHECK)
    print(f"{wheels[0].name} works.")


if __name__ == "__main__":
    main()
