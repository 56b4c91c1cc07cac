"""Cases for measuring: samples of the sets, and cases made from them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from halluscope._internal.core.errors import InputError
from halluscope._internal.proof.stress.answers import PACKAGED, from_passage, read_answers, wording
from halluscope._internal.proof.stress.mutation import mutants
from training.harder import without_support
from training.rows import seed_of, statements
from training.sets import Case, document_of, read, sources
from training.variants import changed


def sample(data: Path, name: str, count: int) -> list[Case]:
    """The same cases each time: ordered by a hash of their id."""
    source = next(item for use in ("folds", "measure", "evidence") for item in sources(use) if item.name == name)
    cases = list(read(data, source))
    cases.sort(key=lambda case: seed_of("sample" + case["id"]))
    return cases[:count]


def ablated(data: Path, count: int) -> list[Case]:
    """Right sentences of real outputs, each with its context and with a context that no longer says it."""
    found: list[Case] = []
    for case in sample(data, "ragtruth", 10_000):
        right = [text for text, label, _ in statements(case) if label == 0 and len(text.split()) >= 8]
        right.sort(key=seed_of)
        for text in right[:1]:
            rest = without_support(text, case["context"])
            if rest is not None:
                shared = {**case, "output": text, "spans": None, "task": "claim", "set": "ragtruth_ablated"}
                found.append({**shared, "id": case["id"] + "-kept", "label": "supported"})
                found.append(
                    {
                        **shared,
                        "id": case["id"] + "-cut",
                        "label": "unsupported",
                        "context": rest,
                        "document": case["context"],
                    }
                )
    return found[: 2 * count]


def longer(data: Path, folds: Mapping[str, int], count: int) -> Iterator[Case]:
    """Our own answers, their documents among others of the same domain and fold: 1,000 words and more."""
    for source in sources("answers"):
        cases = list(read(data, source))
        contexts: dict[int, dict[str, list[str]]] = {}
        for case in cases:
            contexts.setdefault(folds[document_of(case)], {})[document_of(case)] = case["context"]
        for case in sorted(cases, key=lambda case: seed_of("longer" + case["id"]))[:count]:
            name = document_of(case)
            rng = random.Random(seed_of(name))
            passages, others = list(case["context"]), sorted(set(contexts[folds[name]]) - {name})
            rng.shuffle(others)
            for other in others:
                if sum(len(text.split()) for text in passages) > 1000:
                    break
                passages += contexts[folds[name]][other]
            rng.shuffle(passages)
            yield {**case, "id": case["id"] + "-longer", "context": passages, "set": "longer"}


def reworded(data: Path, count: int) -> Iterator[Case]:
    """Right answers in words of their own with one thing changed, and the same with nothing changed."""
    for source in sources("answers"):
        cases = [case for case in read(data, source) if case["label"] == "supported"]
        for case in sorted(cases, key=lambda case: seed_of("changed" + case["id"]))[:count]:
            made = list(changed(case))
            if made:
                yield {**case, "id": case["id"] + "-unchanged", "set": "reworded"}
                yield from ({**other, "set": "reworded"} for other in made)


def stressed(count: int) -> Iterator[Case]:
    """Reworded answers that come with the package for its stress test, and a few changes of each."""
    for case in read_answers(PACKAGED):
        if isinstance(case, str) or wording(case) == "copied":
            continue
        given: Case = {
            "id": f"stress-{case.id}",
            "set": "stress",
            "task": "qa",
            "input": case.input,
            "context": list(case.context or ()),
            "output": case.output,
            "label": "supported",
        }
        yield given
        yield from sorted(changed(given), key=lambda other: seed_of(other["id"]))[:count]


def copied(data: Path, count: int) -> list[Case]:
    """Answers made of a passage's own sentences, as they are and with one thing changed.

    The company of claims that hold must not excuse the one that does not.
    """
    written = [case for source in sources("folds") if source.folder == "written" for case in read(data, source)]
    passages = {"\n".join(case["context"]): case for case in written}
    found: list[Case] = []
    for text in sorted(passages, key=seed_of)[:count]:
        try:
            answer = from_passage(passages[text]["context"])
        except InputError:  # a passage without sentences to take
            continue
        made = mutants(answer)
        made.sort(key=lambda mutant: seed_of(mutant.kind + text))
        shared = {**passages[text], "input": None, "spans": None, "task": "claim", "set": "copied"}
        outputs = [("", answer.output, True)]
        outputs += [(m.kind, m.output, True) for m in made if m.harmless][:1]
        outputs += [(m.kind, m.output, False) for m in made if not m.harmless][:2]
        for kind, output, holds in outputs:
            label = "supported" if holds else "hallucinated"
            found.append({**shared, "id": f"copied-{seed_of(text)}-{kind}", "output": output, "label": label})
    return found
