"""Made-up data that comes with the package, to try things with."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError
from ..plumbing.public import public

FOLDER = Path(__file__).with_name("samples")
SAMPLES = ("answers", "labels")


@public
def sample(name: str = "answers") -> Path:
    """The path of a file of made-up data, to try things with.

    `answers`: twelve answers with their questions and contexts, right and wrong in different ways. `labels`: 52 short
    answers of which a person has said whether they hold up.
    """
    if name not in SAMPLES:
        raise InputError(f"there is no sample {name!r}: it is {' or '.join(map(repr, SAMPLES))}.")
    return FOLDER / f"{name}.jsonl"
