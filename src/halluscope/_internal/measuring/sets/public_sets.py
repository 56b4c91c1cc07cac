"""The sets by name: where they live, at which revision, under which licence, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ...errors import InputError, UnknownName
from ...plumbing.public import public
from ...version import __version__
from ..labelled_case import LabelledCase
from .fetch import RemoteFile, fetched
from .formats import FORMATS, recognised

GITHUB = "https://raw.githubusercontent.com"
HUB = "https://huggingface.co/datasets"
PACKAGED = Path(__file__).with_name("packaged")


class PublicSet(Struct, frozen=True, kw_only=True):
    """A set that can be fetched, or comes with the package. `note` says what a reader of its figures should know."""

    name: str
    about: str
    home: str
    licence: str
    files: dict[str, tuple[RemoteFile, ...]] = {}
    """What to fetch, by split."""
    packaged: Path | None = None
    """The file that comes with the package."""
    split: str = "test"
    note: str = ""

    @property
    def splits(self) -> tuple[str, ...]:
        return (self.split,) if self.packaged else tuple(self.files)


@public
class Loaded(Struct, frozen=True, kw_only=True):
    """A set in memory, and where it came from."""

    name: str
    cases: tuple[LabelledCase, ...]
    source: str
    licence: str | None = None
    notes: tuple[str, ...] = ()


def _github(repository: str, revision: str, *paths: str) -> tuple[RemoteFile, ...]:
    return tuple(RemoteFile(url=f"{GITHUB}/{repository}/{revision}/{path}", revision=revision) for path in paths)


def _halueval(task: str, about: str, note: str = "") -> PublicSet:
    files = _github("RUCAIBox/HaluEval", "0c6f4dd6ab5e5f7a593dd1505936dd8b6874bfa5", f"data/{task}_data.json")
    return PublicSet(
        name=f"halueval-{task}",
        about=about,
        home="https://github.com/RUCAIBox/HaluEval",
        licence="MIT",
        files={"test": files},
        note=note,
    )


def _wice(split: str) -> tuple[RemoteFile, ...]:
    path = f"data/entailment_retrieval/claim/{split}.jsonl"
    return _github("ryokamoi/wice", "5d8b84633d4fb55e5c0fd1e1dc0868098be17e56", path)


def _aggrefact(split: str) -> tuple[RemoteFile, ...]:
    return (RemoteFile(url=f"{HUB}/lytang/LLM-AggreFact/resolve/main/data/{split}-00000-of-00001.parquet", gated=True),)


_HALUBENCH = "5966a87929f51c204ab3cbef986b449495cc97b6"
_SUMMEDITS = "dd891c290baa301b61040b0be75cadc482f5108e"
_BATCHES = [f"data_for_release/batch_{i}.json" for i in range(1, 17) if i != 13]

SETS: dict[str, PublicSet] = {
    item.name: item
    for item in (
        PublicSet(
            name="rag",
            about="2,112 answers to questions about 264 invented contexts, kinds of error named; comes with halluscope",
            home="halluscope",
            licence="Apache-2.0",
            packaged=PACKAGED / "rag.jsonl.gz",
        ),
        _halueval("qa", "10,000 HotpotQA questions, each with a right and a hallucinated answer"),
        _halueval("dialogue", "10,000 dialogue turns, each with a right and a hallucinated answer"),
        _halueval("summarization", "10,000 news articles, each with a right and a hallucinated summary"),
        _halueval(
            "general",
            "4,507 answers to general questions, labelled by people",
            "There is no context in this set: only the metric `label`, with a judge that knows the world, scores it.",
        ),
        PublicSet(
            name="ragtruth",
            about="answers, summaries and descriptions by six models, with hallucinated spans marked by people",
            home="https://github.com/ParticleMedia/RAGTruth",
            licence="MIT",
            files={
                split: _github(
                    "ParticleMedia/RAGTruth",
                    "9b1847c3b14ee91246e3d8848982cd43647dbe7e",
                    "dataset/response.jsonl",
                    "dataset/source_info.jsonl",
                )
                for split in ("test", "train")
            },
        ),
        PublicSet(
            name="llm-aggrefact",
            about="claims of language models from eleven sets, each against a document",
            home="https://huggingface.co/datasets/lytang/LLM-AggreFact",
            licence="CC BY-ND 4.0; its owners ask you to agree to their terms first (set HF_TOKEN)",
            files={split: _aggrefact(split) for split in ("test", "dev")},
            note="The revision of this set is not pinned: the hash of what came first is kept and checked later.",
        ),
        PublicSet(
            name="faithbench",
            about="summaries that detectors disagree on, with spans marked by people",
            home="https://github.com/vectara/FaithBench",
            licence="none stated in its repository",
            files={"test": _github("vectara/FaithBench", "abb6503bb2356da196260fbc4cb7837fb1742bb5", *_BATCHES)},
        ),
        PublicSet(
            name="wice",
            about="claims of Wikipedia against the web pages they cite",
            home="https://github.com/ryokamoi/wice",
            licence="annotations ODC-BY; Wikipedia text CC BY-SA; web text under the terms of Common Crawl",
            files={split: _wice(split) for split in ("test", "dev", "train")},
        ),
        PublicSet(
            name="halubench",
            about="14,900 answers from six sources, finance and medicine among them",
            home="https://huggingface.co/datasets/PatronusAI/HaluBench",
            licence="CC BY-NC 2.0: not for commercial use",
            files={
                "test": (
                    RemoteFile(
                        url=f"{HUB}/PatronusAI/HaluBench/resolve/{_HALUBENCH}/data/test-00000-of-00001.parquet",
                        revision=_HALUBENCH,
                    ),
                )
            },
        ),
        PublicSet(
            name="summedits",
            about="summaries of ten domains, edited so that they stay right or become wrong",
            home="https://huggingface.co/datasets/Salesforce/summedits",
            licence="CC BY 4.0",
            files={
                "test": (
                    RemoteFile(
                        url=f"{HUB}/Salesforce/summedits/resolve/{_SUMMEDITS}/summedits.json", revision=_SUMMEDITS
                    ),
                )
            },
        ),
        PublicSet(
            name="true",
            about="eleven sets of summaries, dialogue, paraphrase and claims in one form",
            home="https://github.com/google-research/true",
            licence="that of each of its sources",
            files={
                "test": (
                    *_github("W4ngatang/qags", "07449840cc46a1980b4623644cff726b4fa4a371", "data/mturk_cnndm.jsonl"),
                    *_github("W4ngatang/qags", "07449840cc46a1980b4623644cff726b4fa4a371", "data/mturk_xsum.jsonl"),
                    *_github("google/BEGIN-dataset", "6f881995bca5405918f3138b04f29fdd2a1b73ae", "dev_05_24_21.tsv"),
                    *_github(
                        "orhonovich/q-squared",
                        "dd048c628a3d44180226515b2fc10e8deb031039",
                        "third_party/data/cross_annotation.csv",
                    ),
                )
            },
            note="Fetched are the four of its eleven parts that need no other corpus (QAGS twice, BEGIN, Q2); "
            "for all of them run its authors' script and pass the folder of CSV files with --file.",
        ),
    )
}


@public
def load_set(spec: str, *, file: Path | None = None, split: str | None = None, offline: bool = False) -> Loaded:
    """The set that a name or a file means. With `file`, the name says which format the file is in."""
    if file is not None:
        if spec not in FORMATS:
            raise UnknownName("format", spec, FORMATS)
        return _from_file(spec, file, split)
    if spec in SETS:
        chosen = SETS[spec]
        wanted = split or chosen.split
        if wanted not in chosen.splits:
            raise UnknownName(f"split of {spec}", wanted, chosen.splits)
        if chosen.packaged is not None:
            source = f"the package, version {__version__}"
            return Loaded(
                name=spec, cases=_read(spec, [chosen.packaged], wanted), source=source, licence=chosen.licence
            )
        paths = [fetched(spec, remote, offline=offline) for remote in chosen.files[wanted]]
        cases = _read(spec, paths, wanted)
        revision = chosen.files[wanted][0].revision or "unpinned"
        return Loaded(
            name=spec,
            cases=cases,
            source=f"{chosen.home}, revision {revision[:12]}, split {wanted}",
            licence=chosen.licence,
            notes=(chosen.note,) if chosen.note else (),
        )
    path = Path(spec)
    if not path.exists():
        known = ", ".join(SETS)
        raise InputError(f"{spec!r} is neither a file nor a set; the sets are: {known}.")
    return _from_file(recognised(path), path, split)


def _from_file(form: str, path: Path, split: str | None) -> Loaded:
    if not path.exists():
        raise InputError(f"there is no file {str(path)!r}.")
    known = SETS.get(form)
    name = path.name.split(".")[0] if form == "labelled" else form
    cases = _read(form, [path], split or (known.split if known else "test"))
    return Loaded(name=name, cases=cases, source=path.name, licence=known.licence if known else None)


def _read(form: str, paths: Sequence[Path], split: str) -> tuple[LabelledCase, ...]:
    cases = tuple(FORMATS[form](paths, split))
    if not cases:
        raise InputError(f"there is no case in {', '.join(path.name for path in paths)} (split {split!r}).")
    return cases
