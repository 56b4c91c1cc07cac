"""The network: a piece of an answer, what went before it and evidence in; a view of each claim out.

Every reading is run alone, unpadded, on one thread, so its result cannot depend on what else is asked or on how
many threads there are; threads work on different readings. A process that was forked loads a model of its own: the
other one may have been in use in that moment. onnxruntime, tokenizers and numpy are imported when the model is
loaded, not before.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

from ....core.errors import ModelFileError
from ....core.plumbing.threads import checkpoint, compiled_code, cores, spread
from ..reading.evidence import Window

WEIGHTS = Path(__file__).parent / "weights"
OVERFLOW = Path(__file__).parent / "overflow.onnx"
"""A graph that multiplies by a matrix of the largest 8-bit weights. `training.ship` makes it."""
KINDS = tuple("number date name role binding status negation order cause generalised invented premise".split())
"""The kinds of error that the network tells apart."""
MAX_LEAD, MAX_TEXT, MAX_ALL = 72, 200, 512
"""Tokens of each part; evidence takes what is left. Of a longer lead the end is kept."""
_BEGIN, _SEPARATOR = 0, 2
_OUTPUTS = ("classes", "kinds", "marks", "evidence")
"""The outputs of the graph. The last is optional."""
_SURROGATE = re.compile("[\ud800-\udfff]")
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read in one go. `claims` are places in `text`; each is judged over its own tokens."""

    lead: str
    text: str
    evidence: str
    claims: tuple[Place, ...]
    windows: tuple[Window, ...] = field(default=(), compare=False)
    """Where the evidence stands in the passages: its windows in order, with a blank between them."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """What the network makes of one claim."""

    supported: float
    contradicted: float
    unsupported: float
    kinds: tuple[float, ...]
    """If it is wrong, how likely in which way, in the order of `KINDS`."""
    marks: tuple[tuple[int, int, float], ...]
    """Start and end in the text, and the probability that these characters are wrong."""
    evidence: tuple[tuple[Window, float], ...] = ()
    """Where each token of the evidence stands in the passages, and the probability that it decides the claim."""

    @property
    def against(self) -> float:
        """If it is wrong, how likely the evidence contradicts it rather than says nothing of it."""
        wrong = self.contradicted + self.unsupported
        return self.contradicted / wrong if wrong > 0 else 0.5


_wanted = ["CPUExecutionProvider"]


def use_gpu() -> None:
    """Let models that are loaded from now on in this process use a GPU, where onnxruntime can."""
    _wanted[:] = ["CUDAExecutionProvider", "CPUExecutionProvider"]


class Network:
    """A loaded network. Safe to share between threads."""

    def __init__(self, folder: Path, threads: int) -> None:
        import numpy as np
        import onnxruntime
        from tokenizers import Tokenizer

        self._numpy = np
        onnxruntime.disable_telemetry_events()  # the application may have imported it before halluscope
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        if _overflows():
            # With unsigned weights the products are right, in twice the time.
            options.add_session_config_entry("session.x64quantprecision", "1")
        # The weights are in files of their own beside the graph; onnxruntime maps them into memory.
        self._session: Any = onnxruntime.InferenceSession(
            str(folder / "model.onnx"),
            options,
            providers=[p for p in _wanted if p in onnxruntime.get_available_providers()],
        )
        named = [output.name for output in self._session.get_outputs()]
        self._outputs = [name for name in _OUTPUTS if name in named]
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._evidence = lru_cache(maxsize=64)(self._encode)
        self._threads = threads
        self._readers: set[object] = set()

    def read(self, readings: Sequence[Reading]) -> list[tuple[ClaimView, ...]]:
        """A view of each claim of each reading, in order; equal readings are computed once."""
        found: dict[Reading, tuple[ClaimView, ...]] = {}
        wanted = list(dict.fromkeys(readings))
        reader = object()
        self._readers.add(reader)
        try:
            # Where several outputs are read at once, they keep the cores busy without more threads for each.
            views = spread(self._view, wanted, self._threads // len(self._readers))
            for place, (reading, seen) in enumerate(zip(wanted, views, strict=True)):
                found[reading] = seen
                checkpoint(place + 1, len(wanted))
        finally:
            self._readers.discard(reader)
        return [found[reading] for reading in readings]

    def _encode(self, text: str) -> Any:
        return self._tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False)

    def _view(self, reading: Reading) -> tuple[ClaimView, ...]:
        with compiled_code():
            return self._read(reading)

    def _read(self, reading: Reading) -> tuple[ClaimView, ...]:
        np = self._numpy
        lead = self._encode(reading.lead).ids[-MAX_LEAD:] if reading.lead else []
        encoded = self._encode(reading.text)
        text, offsets = encoded.ids[:MAX_TEXT], encoded.offsets[:MAX_TEXT]
        evidence = self._evidence(reading.evidence)
        known = evidence.ids[: MAX_ALL - 4 - len(lead) - len(text)]
        ranges = [token_range(offsets, start, end) for start, end in reading.claims]
        members = np.zeros((len(ranges), max(1, len(text))), dtype=np.float32)
        for row, (first, last) in enumerate(ranges):
            # What has no token of its own (a lone mark, a word beyond the network's reach) is judged with its piece.
            members[row, slice(first, last) if last > first else slice(None)] = 1.0 / max(1, last - first or len(text))
        line = np.array([_BEGIN, *lead, _SEPARATOR, *text, _SEPARATOR, *known, _SEPARATOR], dtype=np.int64)
        begin = len(lead) + 2
        keep = np.array([0, *range(begin, begin + max(1, len(text)))], dtype=np.int64)
        classes, kinds, marks, *decides = self._session.run(
            self._outputs, {"ids": line[None], "keep": keep, "members": members}
        )
        doubts = [(a, b, sigmoid(float(mark))) for (a, b), mark in zip(offsets, marks, strict=False)]
        # The evidence follows the first token, the lead, the text and a separator after each of these two.
        first = begin + len(text) + 1
        places = list(in_passages(reading.windows, evidence.offsets[: len(known)]))
        deciding = [
            [(place, sigmoid(float(logit))) for place, logit in zip(places, row, strict=False)]
            for logits in decides
            for row in logits[:, first : first + len(known)]
        ]
        return tuple(
            view_of(classes[row], kinds[row], doubts[slice(*ranges[row])], deciding[row] if deciding else ())
            for row in range(len(ranges))
        )


@lru_cache
def _overflows() -> bool:
    """Whether products of large 8-bit numbers overflow on this processor, as on x86 without VNNI."""
    import numpy as np
    import onnxruntime

    product = onnxruntime.InferenceSession(str(OVERFLOW), providers=["CPUExecutionProvider"])
    rows, columns = 8, 64
    (found,) = product.run(None, {"activations": np.full((rows, columns), 255, np.uint8)})
    return bool((found != 255 * 127 * columns).any())


def view_of(
    classes: Iterable[Any],
    kinds: Iterable[Any],
    marks: Iterable[tuple[int, int, float]],
    evidence: Iterable[tuple[Window, float]] = (),
) -> ClaimView:
    """A view from the network's logits."""
    supported, contradicted, unsupported = shares(classes)
    return ClaimView(supported, contradicted, unsupported, shares(kinds), tuple(marks), tuple(evidence))


def in_passages(windows: Sequence[Window], offsets: Sequence[Place]) -> Iterator[Window]:
    """Where tokens of the evidence stand in the passages, for as long as there are windows."""
    shown = iter(windows)
    window, begin = next(shown, None), 0
    for start, end in offsets:
        while window is not None and start >= begin + window.end - window.start:
            begin += window.end - window.start + 1
            window = next(shown, None)
        if window is None:
            return
        shift = window.start - begin
        yield Window(window.passage, start + shift, min(end + shift, window.end))


def token_range(offsets: Sequence[Place], start: int, end: int) -> Place:
    """The tokens that a stretch of characters covers."""
    touched = [place for place, (a, b) in enumerate(offsets) if a < end and b > start]
    return (touched[0], touched[-1] + 1) if touched else (0, 0)


def shares(logits: Iterable[Any]) -> tuple[float, ...]:
    """Probabilities that sum to one."""
    values = [float(value) for value in logits]
    top = max(values)
    grown = [math.exp(value - top) for value in values]
    total = sum(grown)
    return tuple(value / total for value in grown)


def sigmoid(value: float) -> float:
    """The probability of log-odds."""
    return 1.0 / (1.0 + math.exp(-value)) if value >= 0 else math.exp(value) / (1.0 + math.exp(value))


@lru_cache(maxsize=4)
def settings(folder: Path = WEIGHTS) -> dict[str, Any]:
    """What was recorded with the weights: hashes, threshold, coefficients."""
    try:
        recorded: dict[str, Any] = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ModelFileError(f"The model in {folder} has no readable model.json: {problem}") from problem
    return recorded


def load(path: Path | None = None, threads: int | None = None) -> Network:
    """The model of the package, or of another folder; loaded once, its files checked against their hashes."""
    return _load((path or WEIGHTS).resolve(), threads or cores(), os.getpid())


@lru_cache(maxsize=16)
def _load(folder: Path, threads: int, process: int) -> Network:
    # Hashing takes about as long as loading, and neither holds the interpreter: a cold start waits for the longer one.
    tasks: list[Callable[[], object]] = [partial(_loaded, folder, threads), partial(_check, folder)]
    network, _ = spread(lambda task: task(), tasks, 2)
    return cast("Network", network)


def _loaded(folder: Path, threads: int) -> Network:
    try:
        with compiled_code():
            return Network(folder, threads)
    except Exception:
        _check(folder)  # which says what is wrong with the files, if anything is
        raise


def _check(folder: Path) -> None:
    """Whether the files are the ones that the figures are of."""
    for name, recorded in settings(folder)["files"].items():
        try:
            seen = _hash(folder / name)
        except OSError as problem:
            raise ModelFileError(f"The model file {name} in {folder} cannot be read: {problem}") from problem
        if seen != recorded:
            raise ModelFileError(
                f"The model file {name} in {folder} is not the one this version was measured with: "
                f"its BLAKE2b is {seen[:12]}…, {recorded[:12]}… was recorded."
            )


def _hash(path: Path) -> str:
    found = hashlib.blake2b()  # half the time of SHA-256 where the processor has no instructions for that
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()
