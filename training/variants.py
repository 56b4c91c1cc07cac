"""Our own answers once more, otherwise: with one thing changed, or with other names throughout.

A network that reads the same two thousand documents ten times learns them by heart. With other names in question,
context and answer alike, nothing about right and wrong changes, and what was learnt by heart no longer helps.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

import halluscope
from halluscope._internal.proof.stress.mutation import mutants
from training.corrupt import names
from training.rows import seed_of
from training.sets import Case

_CHANGED_AS = {
    "numbers": "wrong_number",
    "dates": "wrong_date",
    "names": "wrong_entity",
    "roles": "swapped_roles",
    "negation": "negation",
    "units": "wrong_unit",
    "quantities": "wrong_quantifier",
    "order": "wrong_order",
    "numbers rewritten": "",
    "dates rewritten": "",
}
"""The changes that the stress test makes, as kinds of error; those that change nothing have none."""

_NAME_WORD = re.compile(r"\b[A-Z][a-z]{2,}\b")
_DATES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun january february"
    " march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct"
    " nov dec mondays tuesdays wednesdays thursdays fridays saturdays sundays".split()
)


def changed(case: Case, draw: int = 0) -> Iterator[Case]:
    """A right answer with one thing changed, and with one thing only written otherwise; each draw changes others."""
    if case["label"] != "supported":
        return
    given = halluscope.Case(output=case["output"], context=case["context"], input=case["input"])
    for mutant in mutants(given, kinds=_CHANGED_AS, seed=seed_of(case["id"]) + draw):
        label = "supported" if mutant.harmless else "contradicted"
        spans = [] if mutant.harmless else [{"start": mutant.start, "end": mutant.start + max(1, len(mutant.after))}]
        meta = {**(case.get("meta") or {}), "kind": _CHANGED_AS[mutant.kind]}
        name = f"{case['id']}-{mutant.kind.replace(' ', '-')}"
        yield {**case, "id": name, "output": mutant.output, "label": label, "spans": spans, "meta": meta}


class Names:
    """The words of many documents that are nothing but names: nowhere written small."""

    def __init__(self, cases: Iterable[Case]) -> None:
        texts = {text for case in cases for text in (*case["context"], case["input"] or "", case["output"])}
        joined = "\n".join(sorted(texts))
        self._small = set(re.findall(r"\b[a-z]{3,}\b", joined)) | _DATES
        self.words = self.of(joined)

    def of(self, text: str) -> list[str]:
        """Those of one text."""
        found = dict.fromkeys(word for a, b in names(text) for word in _NAME_WORD.findall(text[a:b]))
        return sorted(word for word in found if word.lower() not in self._small)


def renamed(case: Case, known: Names, rng: random.Random) -> Case:
    """The case with other names in question, context and answer alike: as right or as wrong as before."""
    texts = [*case["context"], case["input"] or "", case["output"]]
    taken = set(re.findall(r"\w+", " ".join(texts)))
    mine = known.of("\n".join(texts))
    drawn = rng.sample(known.words, min(len(known.words), 2 * len(mine) + 20))
    others = [word for word in drawn if word not in taken]
    other = dict(zip(mine, others, strict=False))
    if not other:
        return case
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, other)) + r")\b")

    def said(text: str) -> str:
        return pattern.sub(lambda match: other[match.group()], text)

    spans = [
        {**mark, "start": len(said(case["output"][: mark["start"]])), "end": len(said(case["output"][: mark["end"]]))}
        for mark in case.get("spans") or []
    ]
    return {
        **case,
        "context": [said(text) for text in case["context"]],
        "input": said(case["input"]) if case["input"] else case["input"],
        "output": said(case["output"]),
        "spans": spans,
    }
