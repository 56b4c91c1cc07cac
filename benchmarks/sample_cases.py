"""Cases that are made up by number, for benchmarks that need many of one size. It imports nothing of halluscope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_PASSAGES = (
    "The reading room of the old library at {town} was rebuilt in {year} after the fire that had begun in the "
    "bindery. The new roof rests on {n} iron columns, and daylight falls through a lantern of glass above the "
    "long tables, where readers may keep their books for as many days as they like if they sign the ledger.",
    "In {town} the harbour was deepened twice, and {n} ships could then lie along the northern quay. The town "
    "paid for the works with a tax on salt, which was given up again in {year} when trade had moved to the "
    "southern basin and the warehouses along the quay had been let to weavers and to makers of rope.",
    "The school for surveyors opened its doors to {n} pupils in {year}. They were taught geometry, drawing and "
    "the use of instruments, and spent each summer in the hills around {town}, where they measured the heights "
    "of summits that nobody had measured before, and drew the maps that are shown in the museum to this day.",
)

_SENTENCES = (
    "The library at {town} burned after a fire broke out in the bindery.",
    "Its reading room was rebuilt in {year}.",
    "The roof of the reading room is carried by {n} columns of iron.",
    "Daylight reaches the long tables through a glass lantern.",
    "Readers who sign the ledger may keep their books as long as they like.",
    "The harbour of {town} was deepened two times.",
    "Afterwards {n} ships found room along the northern quay.",
    "A tax on salt paid for the works.",
    "Weavers and rope makers later rented the warehouses on the quay.",
    "A school for surveyors in {town} began with {n} pupils and a library of maps.",
)


def long_answer(sentences: int = 30) -> dict[str, Any]:
    """A case whose answer has so many sentences, ten about each town, with the passages about these towns."""
    towns = range(1, -(-sentences // len(_SENTENCES)) + 1)
    told = [sentence.format(**_about(town)) for town in towns for sentence in _SENTENCES]
    return {
        "id": "long",
        "input": "What is known about these towns?",
        "output": " ".join(told[:sentences]),
        "context": [_passage(town, place) for town in towns for place in range(len(_PASSAGES))],
    }


def rows(count: int, passages: int = 3) -> Iterator[dict[str, Any]]:
    """Cases of three sentences with passages of some sixty words, those after the third about other towns."""
    for i in range(count):
        about = _about(i)
        yield {
            "id": f"case-{i}",
            "input": f"What is known about Town {i}?",
            "output": "The library at {town} was rebuilt in {year}. Its roof rests on {n} iron columns. "
            "The harbour of {town} could take {n} ships along the northern quay.".format(**about),
            "context": [_passage(i, place) for place in range(passages)],
        }


def _passage(case: int, place: int) -> str:
    turn, which = divmod(place, len(_PASSAGES))
    return _PASSAGES[which].format(**_about(case + 101 * turn))


def _about(number: int) -> dict[str, Any]:
    return {"town": f"Town {number}", "year": 1700 + number % 200, "n": 10 + number % 90}
