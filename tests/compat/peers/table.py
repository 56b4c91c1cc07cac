"""The table of all peers' tests, made from the tests that carry them over."""

from __future__ import annotations

from pathlib import Path

from . import (
    DIFFERENT,
    PASSED,
    test_deepeval,
    test_deepeval_ex,
    test_mastra_evals,
    test_mastra_scorers,
    test_opik,
    test_phoenix,
)

PAGE = Path(__file__).parent / "README.md"
MODULES = (test_mastra_scorers, test_mastra_evals, test_opik, test_deepeval, test_deepeval_ex, test_phoenix)
_HEAD = """# The peers' own tests

What the test suites of the tools behind `halluscope.compat` check, by the names that the tests have there. A test that
is passed is carried over, in our own words, by the test named beside it; where one is not, the table says why. The
documents come first: where a tool has moved on since, its newer tests differ. A test is a function of the suite, with
all its parameters. Listed are the suites of hallucination and faithfulness, and of what scorers and evaluators are
built on; tests of other metrics are not.

`python -m tests.compat.peers` writes this page.
"""


def page() -> str:
    """The page as it should be."""
    files = list(dict.fromkeys(file for file, _ in [*PASSED, *DIFFERENT]))
    every = len(PASSED) + len(DIFFERENT)
    total = f"{len(PASSED)} of {every} are passed, {len(PASSED) / every:.0%}."
    parts = [_HEAD, total]
    for file in sorted(files, key=str.casefold):
        rows = [f"| {_cell(name)} | passed: `{test}` |" for (home, name), test in PASSED.items() if home == file]
        rows += [f"| {_cell(name)} | no: {reason} |" for (home, name), reason in DIFFERENT.items() if home == file]
        parts.append("\n".join([f"\n## {file}\n", "| test | here |", "| --- | --- |", *rows]))
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
