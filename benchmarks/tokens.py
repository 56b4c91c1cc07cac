"""Bytes and tokens that each metric sends for a case, beside what other tools' documented prompts take.

    python -m benchmarks.tokens [--cases 500] [--encoding FILE]

The cases are those of `benchmarks.sample_cases`: an answer of three sentences and three passages of some sixty words.
Each metric is driven with answers of the usual size, as in `eval --dry-run`. Bytes are those of the prompts, system
message included, without the JSON around them. Tokens are counted with the tokenizer of the network in the package, or
with the one in FILE, a `tokenizer.json`.

Two other tools show their template in their documentation. `TEMPLATES` has the lengths in bytes of UTF-8, without the
slots; the texts of each case are added. Examples, for which Opik's template has a slot, are not counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from halluscope._internal.core.case import Case
from halluscope._internal.engine.metric import Metric
from halluscope._internal.engine.metrics import METRICS
from halluscope._internal.engine.questions import VerifyClaims
from halluscope._internal.judges.combined.packed_cases import PackedClaims
from halluscope._internal.runs.runner.dry_run import asked_questions

from .sample_cases import rows

TEMPLATES = {"Phoenix, HallucinationEvaluator": 1204, "Opik, Hallucination": 1415}
"""Bytes of the templates in the documentation of Phoenix's evaluator and of Opik's metric."""


def cases(count: int) -> list[Case]:
    return [Case.of(row["output"], row["context"], row["input"]) for row in rows(count)]


def sent(metric: Metric, given: Iterable[Case], pack: int = 1) -> list[str]:
    """The prompts of all calls. With `pack`, claims of so many cases share one."""
    prompts: list[str] = []
    waiting: list[VerifyClaims] = []
    for case in given:
        for question in asked_questions(metric, case):
            if pack > 1 and isinstance(question, VerifyClaims):
                waiting.append(question)
            else:
                prompts.append(str(question.prompt))
    for start in range(0, len(waiting), pack):
        group = waiting[start : start + pack]
        by_code = {f"{place}abcd": question for place, question in enumerate(group)}
        packed = PackedClaims(template=group[0].template, examples=group[0].examples, cases=by_code)
        prompts.append(str(packed.prompt))
    return prompts


def tokenizer(path: Path | None) -> Callable[[str], int]:
    from tokenizers import Tokenizer

    from halluscope._internal.judges.embedded.network.model import WEIGHTS

    loaded = Tokenizer.from_file(str(path or WEIGHTS / "tokenizer.json"))
    loaded.no_truncation()
    loaded.no_padding()
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--encoding", type=Path, help="a tokenizer.json")
    options = parser.parse_args()
    given, count = cases(options.cases), tokenizer(options.encoding)
    texts = [" ".join([case.output, case.input or "", *(case.context or ())]) for case in given]
    material, material_tokens = sum(len(t.encode()) for t in texts), sum(map(count, texts))
    print(f"{len(given)} cases; {'the texts alone':42}", end="")
    print(f"{material / len(given):>9,.0f}{material_tokens / len(given):>9,.0f}\n")
    print(f"{'':44}{'calls':>7}{'bytes':>9}{'tokens':>9}   a case")
    for name, metric in METRICS.items():
        kinds: list[tuple[str, Metric, int]] = [(name, metric(), 1)]
        if metric().shots():
            kinds.append((f"{name}, without examples", metric(examples=()), 1))
        if any(isinstance(question, VerifyClaims) for question in asked_questions(metric(), given[0])):
            kinds.append((f"{name}, without reasons", metric(include_reason=False), 1))
            kinds.append((f"{name}, without reasons, pack=5", metric(include_reason=False), 5))
        for said, made, pack in kinds:
            prompts = sent(made, given, pack)
            show(said, len(prompts), sum(len(p.encode()) for p in prompts), sum(map(count, prompts)), len(given))
    print()
    for tool, length in TEMPLATES.items():
        show(f"{tool} (documented)", len(given), material + length * len(given), None, len(given))


def show(name: str, calls: int, size: int, tokens: int | None, among: int) -> None:
    counted = "" if tokens is None else f"{tokens / among:,.0f}"
    print(f"{name:44}{calls / among:>7.1f}{size / among:>9,.0f}{counted:>9}")


if __name__ == "__main__":
    main()
