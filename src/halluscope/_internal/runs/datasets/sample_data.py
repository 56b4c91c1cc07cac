"""Sample data in the package."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import InputError
from ...core.plumbing.public import public

FOLDER = Path(__file__).with_name("samples")
SAMPLES = ("answers", "labels")


@public
def sample(name: str = "answers") -> Path:
    """Return the path of a file of sample data.

    Args:
        name: "answers" (twelve answers with questions and contexts, correct and hallucinated) or "labels" (52 short
            labelled answers).

    Returns:
        The path.

    Raises:
        InputError: There is no such sample.

    Example:
        >>> run = evaluate(sample())
    """
    if name not in SAMPLES:
        raise InputError(f"there is no sample {name!r}: choose {' or '.join(map(repr, SAMPLES))}.")
    return FOLDER / f"{name}.jsonl"
