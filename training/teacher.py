"""The teacher: a larger network that learns from the labels, and whose views the judge's own network learns from.

    python -m training.teacher rows DATA --out FOLDER
    python -m training.teacher fit --base BASE --out FOLDER
    python -m training.teacher write DATA --base BASE --out FOLDER
    python -m training.teacher swap --out FOLDER
    python -m training.teacher views --base BASE --out FOLDER

and, for the rows that quote what decides, with a teacher that is there already:

    python -m training.teacher tune --base BASE --begin ADAPTERS --packed FOLDER --out FOLDER
    python -m training.teacher view --base BASE --packed FOLDER --out FOLDER --tokenizer TOKENIZER

`tune` goes on from its updates with the rows that `training.prepare` writes beside the packed files. `view` writes
views of them, and finds by leaving out one sentence at a time what decides the answers that quote nothing.

BASE is Qwen2.5-Coder-1.5B-Instruct as a GGUF file (its hash is checked; transformers reads it with the help of gguf and
accelerate), or a folder with any model of its kind and its tokenizer (`python -m training.tiny` makes one for
rehearsals). The first training is on the pairs of both stages, the second goes on from it with whole answers, claim by
claim with their leads. What the untouched model writes about single documents is viewed by the first teacher, like the
pairs; what has a lead by the second, and so is every claim of the whole answers. A file that is there is not made
again, and a training that was cut off goes on from its last checkpoint.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training.lessons import OURS, answer_claims, chosen_again, chosen_first, led_rows
from training.prepare import all_rows, folds_of
from training.readings import UNKNOWN, key_of
from training.rows import Row, read_rows, seed_of, write_rows
from training.swaps import swaps
from training.writing import all_requests, sentences_of

if TYPE_CHECKING:
    from training.decoder import Teacher

FIRST_EVIDENCE, SECOND_EVIDENCE = 420, 600
"""Tokens of evidence that are read."""
SWAPS = {"first": 5_000, "second": 15_000, "answers": 60_000}
"""Exchanges: pairs of the first stage, and answers of the second and of our own, with their leads."""
Item = dict[str, Any]


def _written(path: Path, write: Callable[[Path], None]) -> None:
    """Write a file as a whole or not at all, unless it is there."""
    if not path.exists():
        part = path.with_name("part-" + path.name)
        write(part)
        part.replace(path)
        print(f"{path.name} written", flush=True)


def _teacher(options: argparse.Namespace) -> tuple[Teacher, Any]:
    from training.decoder import Teacher, load_base

    model, tokenizer = load_base(_base(options), options.device)
    return Teacher(model), tokenizer


def _base(options: argparse.Namespace) -> Path:
    """The base, if it is the one we know; a folder is taken as it is."""
    from training.decoder import is_known

    base: Path = options.base
    if not base.exists():
        raise SystemExit(f"There is no base at {base}; name a GGUF file or a folder.")
    if base.is_file() and not is_known(base):
        raise SystemExit(f"{base} is not the file this training was measured with")
    return base


def _rows(options: argparse.Namespace) -> None:
    folds = folds_of(options.data)
    _written(
        options.out / "answers.jsonl.gz",
        lambda path: write_rows(led_rows(options.data, folds, options.limit), path),
    )
    _written(
        options.out / "claims.jsonl.gz",
        lambda path: write_rows(answer_claims(options.data, folds, options.limit), path),
    )
    _written(
        options.out / "rows.jsonl.gz",
        lambda path: write_rows(all_rows(options.data, folds, options.limit, options.workers), path),
    )


def _fit(options: argparse.Namespace) -> None:
    import torch

    from training.decoder import Course, Prompts, learn

    first, second = options.out / "first.pt", options.out / "second.pt"
    if second.exists():
        return
    teacher, tokenizer = _teacher(options)
    rows = list(read_rows(options.rows))
    shared = {"budget": options.budget, "every": options.every}
    if not first.exists():
        prompts = Prompts(rows, tokenizer, FIRST_EVIDENCE)
        course = Course(options.seconds, 2.5e-4, 1e-3, 60, seed=5, **shared)
        learn(teacher, [(prompts, chosen_first(rows))], course, first, options.device)
    teacher.take(torch.load(first, map_location=options.device, weights_only=True))
    answers = list(read_rows(options.answers))
    again = chosen_again(rows, answers)
    parts = [
        (Prompts(answers, tokenizer, SECOND_EVIDENCE), np.arange(len(answers))),
        (Prompts(rows, tokenizer, SECOND_EVIDENCE), again),
    ]
    course = Course(options.seconds, 1.5e-4, 3e-4, 40, seed=9, **shared)
    learn(teacher, parts, course, second, options.device)


def _write(options: argparse.Namespace) -> None:
    """Replies come in groups, a file each, so that writing too goes on where it was cut off."""
    from training.decoder import Reply, Writer, load_base

    alone, led = options.out / "sentences.jsonl.gz", options.out / "led_sentences.jsonl.gz"
    if alone.exists() and led.exists():
        return
    requests = all_requests(options.data, folds_of(options.data), options.limit)
    model, tokenizer = load_base(_base(options), options.device)
    writer = Writer(model, tokenizer, options.device, options.tokens)
    folder = options.out / "replies"
    folder.mkdir(parents=True, exist_ok=True)
    replies: dict[int, Reply] = {}
    groups = writer.groups([request.text for request in requests], options.group, options.budget)
    random.Random(3).shuffle(groups)
    began = time.perf_counter()
    for number, group in enumerate(groups):
        texts = [requests[place].text for place in group]
        seed = seed_of("\n".join(texts))
        path = folder / f"{seed:08x}.json"
        if not path.exists():
            if time.perf_counter() - began > options.seconds:
                print(f"Time is up after {number} of {len(groups)} groups; what is written is used.", flush=True)
                break
            found = [(reply.text, reply.whole) for reply in writer.replies(texts, seed)]
            _written(path, lambda part, found=found: _save_text(part, json.dumps(found)))  # type: ignore[misc]
        for place, (text, whole) in zip(group, json.loads(path.read_text(encoding="utf-8")), strict=True):
            replies[place] = Reply(text, whole)

    def items(with_lead: bool) -> Iterator[Item]:
        for place, reply in sorted(replies.items()):
            request = requests[place]
            if request.led == with_lead:
                for row in sentences_of(request, reply.text, reply.whole):
                    yield as_item(row, request.kind)

    _written(alone, lambda path: write_items(items(False), path))
    _written(led, lambda path: write_items(items(True), path))


def _tune(options: argparse.Namespace) -> None:
    from training.decoder import Course, Prompts, adapters_at, learn

    out: Path = options.out / "tuned.pt"
    if out.exists():
        return
    teacher, tokenizer = _teacher(options)
    teacher.take(adapters_at(options.begin, options.device))
    quoting = [row for row in read_rows(options.packed / "evidence_rows.jsonl.gz") if not row.made]
    answers = list(read_rows(options.packed / "answer_rows.jsonl.gz"))[: options.others]
    parts = [(Prompts(rows, tokenizer, SECOND_EVIDENCE), np.arange(len(rows))) for rows in (quoting, answers)]
    parts[0] = (parts[0][0], np.tile(parts[0][1], options.times))
    print(f"{len(quoting)} rows that quote, {len(answers)} others", flush=True)
    course = Course(options.seconds, 1.5e-4, 3e-4, 40, budget=options.budget, seed=9, every=options.every)
    learn(teacher, parts, course, out, options.device)


def _view(options: argparse.Namespace) -> None:
    from training.decoder import Prompts, adapters_at, views_of
    from training.left_out import left_out
    from training.pack import tokenizer_at

    out: Path = options.out
    began = time.perf_counter()
    teacher, tokenizer = _teacher(options)
    teacher.take(adapters_at(out / "tuned.pt", options.device))

    def viewed(rows: Sequence[Row]) -> np.ndarray:
        prompts = Prompts(rows, tokenizer, SECOND_EVIDENCE)
        found: np.ndarray = views_of(teacher, prompts, options.budget, options.device)
        return found

    def evidence(path: Path) -> None:
        rows = list(read_rows(options.packed / "evidence_rows.jsonl.gz"))
        keys = np.array([key_of(row.question, row.evidence, row.claim) for row in rows], dtype=np.uint64)
        views = viewed(rows)
        agrees = views.argmax(1) == [row.label for row in rows]
        natural = np.array([not row.made for row in rows])
        print(f"agrees with {agrees[natural].mean():.3f} of the labels, {agrees.mean():.3f} with those by rule")
        with path.open("wb") as file:
            np.savez_compressed(file, keys=keys, views=views)

    def others(path: Path) -> None:
        rows = list(read_rows(options.packed / "answer_rows.jsonl.gz"))
        left = options.seconds - (time.perf_counter() - began)
        found = left_out(rows, viewed, tokenizer_at(options.tokenizer), left)
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **found)

    _written(out / "evidence_views.npz", evidence)
    _written(out / "left_out_views.npz", others)


def _save_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _swap(options: argparse.Namespace) -> None:
    def made() -> Iterator[Item]:
        rows = [row for row in read_rows(options.rows) if row.fold < 0]
        answers = list(read_rows(options.answers))
        ours = [row for row in answers if row.name in OURS]
        others = [row for row in answers if row.name not in OURS]
        for seed, (name, part) in enumerate((("first", rows), ("second", others), ("answers", ours))):
            for row in swaps(part, SWAPS[name], seed):
                yield as_item(row, "swap")

    _written(options.out / "swaps.jsonl.gz", lambda path: write_items(made(), path))


def _views(options: argparse.Namespace) -> None:
    """Views of the claims, of the sentences and of the pairs; those of the pairs come last: with them all is there."""
    import torch

    from training.decoder import Prompts, views_of

    out: Path = options.out
    if (out / "views.npz").exists():
        return
    teacher, tokenizer = _teacher(options)

    def viewed(rows: Sequence[Row]) -> np.ndarray:
        found: np.ndarray = views_of(teacher, Prompts(rows, tokenizer, SECOND_EVIDENCE), options.budget, options.device)
        return found

    def items(paths: Iterable[Path], asked: str) -> Iterator[Item]:
        found = [item for path in paths for item in read_items(path)]
        rows = [
            Row(item["question"], item["evidence"], item["claim"], UNKNOWN, None, item["set"], item["fold"])
            for item in found
        ]
        for item, view in zip(found, viewed(rows), strict=True):
            said = {asked if key == "question" else key: value for key, value in item.items()}
            yield {**said, "views": [round(float(value), 3) for value in view]}

    def keyed(source: Path, path: Path) -> None:
        rows = {key_of(row.question, row.evidence, row.claim): row for row in read_rows(source)}
        with path.open("wb") as file:
            np.savez_compressed(file, keys=np.array(list(rows), dtype=np.uint64), views=viewed(list(rows.values())))

    teacher.take(torch.load(out / "second.pt", map_location=options.device, weights_only=True))
    _written(out / "answer_views.npz", partial(keyed, out / "claims.jsonl.gz"))
    with_lead = [out / "swaps.jsonl.gz", out / "led_sentences.jsonl.gz"]
    _written(out / "lead.jsonl.xz", lambda path: write_items(items(with_lead, "lead"), path))
    teacher.take(torch.load(out / "first.pt", map_location=options.device, weights_only=True))
    alone = [out / "sentences.jsonl.gz"]
    _written(out / "generated.jsonl.gz", lambda path: write_items(items(alone, "question"), path))
    _written(out / "views.npz", partial(keyed, options.rows))


def as_item(row: Row, kind: str) -> Item:
    """A row without a label, as it lies in a file."""
    return {
        "question": row.question,
        "evidence": row.evidence,
        "claim": row.claim,
        "fold": row.fold,
        "kind": kind,
        "set": row.name,
    }


def write_items(items: Iterable[Item], path: Path) -> None:
    with (lzma if path.suffix == ".xz" else gzip).open(path, "wt", encoding="utf-8") as lines:
        for item in items:
            lines.write(json.dumps(item, ensure_ascii=False) + "\n")


def read_items(path: Path) -> Iterator[Item]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)

    def verb(name: str, run: Callable[[argparse.Namespace], None], about: str, *, data: bool, base: bool) -> Any:
        found = verbs.add_parser(name, help=about, description=about)
        found.set_defaults(run=run)
        found.add_argument("--out", type=Path, required=True)
        if data:
            found.add_argument("data", type=Path)
            found.add_argument("--limit", type=int, help="cases a set, for a rehearsal")
        else:
            found.add_argument("--rows", type=Path, help="the pairs of both stages; OUT/rows.jsonl.gz unless given")
            found.add_argument("--answers", type=Path, help="answers with leads; OUT/answers.jsonl.gz unless given")
        if base:
            found.add_argument("--base", type=Path, required=True)
            found.add_argument("--device", help="cuda or cpu; a GPU is used if there is one")
        return found

    verb("rows", _rows, "the rows to learn from", data=True, base=False).add_argument("--workers", type=int, default=2)
    fit = verb("fit", _fit, "both trainings", data=False, base=True)
    fit.add_argument("--seconds", type=float, default=720, help="for each of the two at most")
    fit.add_argument("--budget", type=int, default=16_384, help="tokens a step")
    fit.add_argument("--every", type=float, default=60, help="seconds from one checkpoint to the next")
    write = verb("write", _write, "sentences by the untouched model", data=True, base=True)
    write.add_argument("--seconds", type=float, default=1_800)
    write.add_argument("--tokens", type=int, default=112, help="tokens a reply at most")
    write.add_argument("--group", type=int, default=384, help="replies at once at most")
    write.add_argument("--budget", type=int, default=160_000, help="tokens of requests at once at most")
    verb("swap", _swap, "rows with two things in each other's place", data=False, base=False)
    views = verb("views", _views, "the views of all of them", data=False, base=True)
    views.add_argument("--budget", type=int, default=49_152, help="tokens at once")
    for name, run, about in (
        ("tune", _tune, "go on with the rows that quote what decides"),
        ("view", _view, "views of these rows, and what decides others"),
    ):
        found = verb(name, run, about, data=False, base=True)
        found.add_argument("--packed", type=Path, required=True, help="the folder that `training.prepare` wrote")
        if name == "tune":
            found.add_argument("--begin", type=Path, required=True, help="the updates to go on from")
            found.add_argument("--seconds", type=float, default=110, help="at most")
            found.add_argument("--budget", type=int, default=16_384, help="tokens a step")
            found.add_argument("--every", type=float, default=40, help="seconds from one checkpoint to the next")
            found.add_argument("--others", type=int, default=8_000, help="rows of other answers at most")
            found.add_argument("--times", type=int, default=1, help="how often each row that quotes comes")
        else:
            found.add_argument("--tokenizer", type=Path, required=True, help="of the judge's own network")
            found.add_argument("--seconds", type=float, default=150, help="after which no more answers are taken")
            found.add_argument("--budget", type=int, default=49_152, help="tokens at once")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    if hasattr(options, "rows"):
        options.rows = options.rows or options.out / "rows.jsonl.gz"
        options.answers = options.answers or options.out / "answers.jsonl.gz"
    if hasattr(options, "device") and options.device is None:
        import torch

        options.device = "cuda" if torch.cuda.is_available() else "cpu"
    options.run(options)


if __name__ == "__main__":
    main()
