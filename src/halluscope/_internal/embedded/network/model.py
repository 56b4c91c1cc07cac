"""The pair model: evidence and a claim in, three probabilities and doubtful tokens out.

Every pair is run alone, unpadded, on one thread, so its reading cannot depend on what else is asked or on how
many threads there are; threads work on different pairs. A process that was forked loads a model of its own: the other
one may have been in use in that moment. onnxruntime, tokenizers and numpy are imported
when the model is loaded, not before.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ModelFileError
from ...plumbing.threads import checkpoint, cores, spread
from .encoding import CLAIM_MET, EVIDENCE, MAX_CLAIM, MAX_EVIDENCE, MAX_QUESTION, kinds, vocabulary

if TYPE_CHECKING:
    from .encoding import Numbers

__all__ = ["WEIGHTS", "PairModel", "PairReading", "load", "settings"]

WEIGHTS = Path(__file__).parent / "weights"
_BEGIN, _SEPARATOR = 101, 102
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PairReading:
    """What the model makes of one claim and its evidence."""

    supported: float
    contradicted: float
    unsupported: float
    token_marks: tuple[tuple[int, int, float], ...]
    """Start and end in the claim, and the probability that these characters are unsupported."""


class PairModel:
    """A loaded model. Safe to share between threads."""

    def __init__(self, folder: Path, threads: int) -> None:
        import numpy as np
        import onnxruntime
        from tokenizers import Tokenizer

        self._numpy = np
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        known: dict[str, int] = self._tokenizer.get_vocab()
        self._vocabulary = vocabulary(sorted(known, key=lambda token: known[token]))
        # In a short context all claims have the same evidence.
        self._evidence = lru_cache(maxsize=64)(lambda text: self._ids(text)[:MAX_EVIDENCE])
        self._threads = threads
        self._readers: set[object] = set()

    def read(self, pairs: Sequence[tuple[str, str]], question: str | None = None) -> list[PairReading]:
        """One reading for each (evidence, claim), in order; equal pairs are computed once.

        The question, where there is one, stands before the evidence: a short answer says little without it.
        """
        found: dict[tuple[str, str], PairReading] = {}
        wanted = list(dict.fromkeys(pairs))
        asked = self._ids(question or "")[-MAX_QUESTION:]

        def one(pair: tuple[str, str]) -> PairReading:
            return self._read(asked, *pair)

        reader = object()
        self._readers.add(reader)
        try:
            # Where several outputs are read at once, they keep the cores busy without more threads for each.
            readings = spread(one, wanted, self._threads // len(self._readers))
            for place, (pair, reading) in enumerate(zip(wanted, readings, strict=True)):
                found[pair] = reading
                checkpoint(place + 1, len(wanted))
        finally:
            self._readers.discard(reader)
        return [found[pair] for pair in pairs]

    def _encode(self, text: str) -> Any:
        return self._tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False)

    def _ids(self, text: str) -> Numbers:
        ids: Numbers = self._numpy.array(self._encode(text).ids if text else [], dtype=self._numpy.int64)
        return ids

    def _read(self, asked: Numbers, evidence: str, claim: str) -> PairReading:
        known = self._evidence(evidence)
        encoded = self._encode(claim)
        pieces = [
            self._run(asked, known, encoded.ids[first : first + MAX_CLAIM], encoded.offsets[first : first + MAX_CLAIM])
            for first in range(0, max(1, len(encoded.ids)), MAX_CLAIM)
        ]
        if len(pieces) == 1:
            return pieces[0]
        # A claim longer than the model reads at once holds as far as its weakest piece holds.
        weakest = min(pieces, key=lambda piece: piece.supported)
        marks = tuple(mark for piece in pieces for mark in piece.token_marks)
        return PairReading(weakest.supported, weakest.contradicted, weakest.unsupported, marks)

    def _run(self, asked: Numbers, known: Numbers, ids: list[int], offsets: list[tuple[int, int]]) -> PairReading:
        np = self._numpy
        claim = np.array(ids, dtype=np.int64)
        of_question, of_evidence, of_claim = kinds(asked, known, claim, self._vocabulary)
        tokens: list[Any] = [[_BEGIN]]
        sorts: list[Any] = [[EVIDENCE]]
        if len(asked):
            tokens += [asked, [_SEPARATOR]]
            sorts += [of_question, [EVIDENCE]]
        tokens += [known, [_SEPARATOR], claim, [_SEPARATOR]]
        sorts += [of_evidence, [EVIDENCE], of_claim, [CLAIM_MET]]
        line, sort = np.concatenate(tokens).astype(np.int64), np.concatenate(sorts).astype(np.int64)
        end = len(line) - 1
        keep = np.concatenate([[0], np.arange(end - len(claim), end)]) if len(claim) else np.array([0, end])
        classes, marks = self._session.run(
            None, {"ids": line[None], "kinds": sort[None], "keep": keep.astype(np.int64)}
        )
        top = float(classes.max())
        shares = [math.exp(float(value) - top) for value in classes]
        total = sum(shares)
        doubts = tuple(
            (int(start), int(stop), 1.0 / (1.0 + math.exp(-float(mark))))
            for (start, stop), mark in zip(offsets, marks, strict=False)
        )
        return PairReading(shares[0] / total, shares[1] / total, shares[2] / total, doubts)


@lru_cache(maxsize=4)
def settings(folder: Path = WEIGHTS) -> dict[str, Any]:
    """What was recorded with the weights: hashes, threshold, coefficients."""
    try:
        recorded: dict[str, Any] = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ModelFileError(f"The model in {folder} has no readable model.json: {problem}") from problem
    return recorded


def load(path: Path | None = None, threads: int | None = None) -> PairModel:
    """The model of the package, or of another folder; loaded once, its files checked against their hashes."""
    return _load((path or WEIGHTS).resolve(), threads or cores(), os.getpid())


@lru_cache(maxsize=16)
def _load(folder: Path, threads: int, process: int) -> PairModel:
    for name, recorded in settings(folder)["files"].items():
        try:
            seen = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        except OSError as problem:
            raise ModelFileError(f"The model file {name} in {folder} cannot be read: {problem}") from problem
        if seen != recorded:
            raise ModelFileError(
                f"The model file {name} in {folder} is not the one this version was measured with: "
                f"its sha256 is {seen[:12]}…, {recorded[:12]}… was recorded."
            )
    return PairModel(folder, threads)
