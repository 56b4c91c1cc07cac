"""The labelled sets: where each comes from, under which licence, and what it is used for.

Shipped weights learn from freely licensed sources only. A set without a stated licence is left out, with two
exceptions whose terms are published by their authors and are free (the reason stands beside them). Sets with a
non-commercial licence are never opened by the trainer.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from halluscope._internal.proof.sets.public_sets import PACKAGED as PACKAGED_SETS
from halluscope._internal.proof.stress.answers import PACKAGED

Case = dict[str, Any]
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the data folder, or of this one where its folder is `training`."""

    name: str
    folder: str
    licence: str
    use: str
    """`base` (first stage), `folds`, `answers` and `evidence` (second stage, measured by cross-validation; `evidence`
    quotes the words that decide), `shared` (second stage,
    learnt with every fold and measured with none), `absences` (as `answers`, but never changed nor put among other
    documents: what one does not tell another may), `measure` or `left out`."""
    note: str = ""
    limit: int = 1_000_000


_DOMAINS = """
    absent3 agents arith2 article4 briefs2 chat3 civic commerce compare3 culture dialogue docs4 events2 everyday
    figures handbook4 health legal longform manydocs2 mixed money3 news operations people places policy press3
    public records2 report4 reworded rules2 science short2 software studies3 summaries technical2 thread4
    toolrun4 wording3 work
""".split()
"""Whole answers of our own, one file a domain."""

_EVIDENCE = """
    agents education finance health industry news oneline oneline2 oneline3 oneline4 passages3 passages4 public several
    software support
""".split()
"""Claims and answers of our own with the words of the context that decide them, one file each."""

ONE_LINE = "evidence_oneline"
"""How the sets of claims on one or two sentences begin; the other evidence sets are answers over passages."""

SOURCES: tuple[Source, ...] = (
    *(Source(f"evidence_{name}", "training/evidence", "our own", "evidence") for name in _EVIDENCE),
    *(Source(f"written_rag_{name}", "written", "our own", "answers") for name in _DOMAINS),
    Source("short_answers", "training", "our own", "answers"),
    Source("page_claims", "training", "our own", "answers", "web pages, and what an encyclopedia says of them"),
    Source("absences", "training", "our own", "absences"),
    Source("rag_answers", "training", "our own", "shared"),
    Source("piece_answers", "training", "our own", "shared", "pieces of pages, and questions that join them"),
    Source("reworded_answers", "training", "our own", "shared", "in words of their own, in twins of right and wrong"),
    Source("fresh_answers", "training", "our own", "left out", "kept for halluscope bench"),
    Source("bench_rag", "written", "our own", "measure"),
    Source("bench_evidence", "package", "our own", "measure", "comes with the package"),
    Source("begin_dev", "train", "CC BY 4.0, CDLA", "base"),
    Source("breaking_nli_test", "train", "CC BY-SA 4.0", "base", limit=3000),
    Source("cb_train", "train", "CC BY-SA 3.0", "base"),
    Source("cfnli_train", "train", "Apache-2.0", "base"),
    Source("contractnli_dev", "train", "CC BY 4.0", "base"),
    Source("covidqa_all", "train", "Apache-2.0", "base"),
    Source("factcg_doc_train", "train", "MIT", "base"),
    Source("factcg_musique_neg_train", "train", "MIT", "base"),
    Source(
        "fever_rte_dev",
        "train",
        "CC BY-SA 3.0",
        "base",
        "the copy states no licence; the annotations of FEVER are published under CC BY-SA 3.0",
    ),
    Source("fm2_dev", "train", "Apache-2.0", "base"),
    Source("hans_ni_train", "train", "MIT", "base", limit=1500),
    Source("mnli_ni_train", "train", "OANC", "base"),
    Source("negation_nli_test", "train", "MIT", "base"),
    Source("qasper_ni_train", "train", "CC BY 4.0", "base"),
    Source("qed_dev", "train", "CC BY-SA 3.0, GFDL", "base"),
    Source("scitail_train", "train", "Apache-2.0", "base"),
    Source("snli_ni_train", "train", "CC BY-SA 4.0", "base", limit=40000),
    Source("true_dialfact_test", "train", "BSD-3-Clause", "base"),
    Source(
        "true_paws_test",
        "train",
        "free use for any purpose",
        "base",
        "the copy states no licence; the authors of PAWS allow any use with acknowledgement",
    ),
    Source("tweetqa_train", "train", "CC BY-SA 4.0", "base"),
    Source(
        "wice_tokens_train",
        "train",
        "CC BY-SA 4.0, MIT",
        "left out",
        "wrong statements only: a network that learns from them doubts whatever is worded like an encyclopedia",
    ),
    Source("wice_tokens_dev", "train", "CC BY-SA 4.0, MIT", "left out", "its documents are those of wice_dev"),
    Source("xquad_en_test", "train", "CC BY-SA 4.0", "base"),
    Source("written_contracts", "written", "our own", "folds"),
    Source("written_news", "written", "our own", "folds"),
    Source("written_numbers", "written", "our own", "folds"),
    Source("written_science", "written", "our own", "folds"),
    Source("written_tools", "written", "our own", "folds"),
    Source("written_web", "written", "our own claims on public web passages", "folds"),
    Source("written_wiki", "written", "our own", "folds"),
    Source("written_wikilong", "written", "our own", "folds"),
    Source("ragtruth", "dev", "MIT", "folds"),
    Source("summedits", "dev", "Apache-2.0", "folds"),
    Source("factcheckgpt", "dev", "Apache-2.0", "folds"),
    Source("expertqa", "dev", "MIT", "folds"),
    Source("wice_dev", "dev", "CC BY-SA 4.0, MIT", "measure"),
    Source("lfqa", "dev", "none stated", "measure"),
    Source("halueval_qa", "dev", "MIT", "measure"),
    Source("frank_all", "dev", "MIT", "measure"),
    Source("medhallu", "dev", "MIT", "measure"),
    Source("begin2021_dev", "train", "unclear", "left out"),
    Source("begin2021_test", "train", "unclear", "left out"),
    Source("climate_fever_all", "train", "none stated", "left out"),
    Source("control_nli_dev", "train", "none stated", "left out"),
    Source("covidfact_all", "train", "none stated", "left out"),
    Source("healthver_dev", "train", "none stated", "left out"),
    Source("lingnli_train", "train", "none stated", "left out"),
    Source("lingnli_val", "train", "none stated", "left out"),
    Source("msmarco_ni_train", "train", "non-commercial", "left out"),
    Source("rte_train", "train", "none stated", "left out"),
    Source("shroom_dev", "train", "none stated", "left out"),
    Source("sick_train", "train", "CC BY-NC-SA 3.0", "left out"),
)


def sources(use: str) -> list[Source]:
    """The sets with one use."""
    return [source for source in SOURCES if source.use == use]


def own_answers() -> list[Source]:
    """The whole answers of our own that are learnt from."""
    return [*sources("answers"), *sources("shared")]


def read(data: Path, source: Source) -> Iterator[Case]:
    """The cases of a set, with `context` as a list of passages."""
    with gzip.open(path_of(data, source), "rt", encoding="utf-8") as lines:
        for line in lines:
            case: Case = json.loads(line)
            if isinstance(case["context"], str):
                case["context"] = [case["context"]]
            if "evidence" in case:
                case["spans"] = [{"start": a, "end": b, "label": case["label"]} for a, b in case["spans"]]
                meta = case.get("meta") or {**case["metadata"], "kind": case.get("kind")}
                case["meta"] = {"document": document_of(case), **meta}
                case = {"input": None, "task": "claim", **case}
            case["set"] = source.name
            yield case


def path_of(data: Path, source: Source) -> Path:
    """The file of a set: of this folder, of the package, or of the data folder."""
    if source.folder == "package":
        return PACKAGED_SETS / f"{source.name.removeprefix('bench_')}.jsonl.gz"
    ours = source.folder.split("/")[0] == HERE.name
    name = source.name.removeprefix("evidence_") if source.use == "evidence" else source.name
    return (HERE.parent if ours else data) / source.folder / f"{name}.jsonl.gz"


def document_of(case: Case) -> str:
    """The name of a case's document: our own answers have one, our own claims are named after it."""
    return str((case.get("meta") or {}).get("document") or case["id"].rpartition("-")[0])


@lru_cache(maxsize=1)
def never_learnt() -> frozenset[str]:
    """The documents that come with the package, for its stress test."""
    with gzip.open(PACKAGED, "rt", encoding="utf-8") as lines:
        return frozenset(str(json.loads(line)["metadata"]["document"]) for line in lines)
