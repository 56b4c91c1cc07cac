"""The evidence head: which words of the evidence decide a claim, learnt on top of the network that ships.

    python -m training.evidence_head --features FOLDER --head FILE     fit the head, print its figures
    python -m training.evidence_head --head FILE --into WEIGHTS        put a fitted head into a graph

The network stays as it is. For each token of the evidence the head sees how far the claim's tokens attend to it, in
every attention head of every layer, and how far it attends to the claim where evidence still attends; its own last
state; and the claim's. It learns from `training/evidence`, is measured by cross-validation over documents and on the
packaged benchmark, and never learns from that. `--rows` takes a few readings, for a rehearsal.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from halluscope._internal.engine.questions import Passage, numbered
from halluscope._internal.judges.embedded.claims.extracting import extract
from halluscope._internal.judges.embedded.network.model import (
    MAX_ALL,
    MAX_LEAD,
    MAX_TEXT,
    WEIGHTS,
    Place,
    sigmoid,
    token_range,
)
from halluscope._internal.judges.embedded.network.passes import all_looks
from halluscope._internal.judges.embedded.reading.evidence import ReadContext
from training.deciding import is_deciding, located, overlap_unit, unit_scores
from training.evidence_rows import FILES, read_rows
from training.pack import tokenizer_at
from training.sets import Case

PACKAGED = WEIGHTS.parents[3] / "proof/sets/packaged/evidence.jsonl.gz"
FOLDS, BATCH, RATE = 5, 96, 2e-3
LEAST = 1e-5
"""Added to attention before its logarithm."""


@dataclass(frozen=True, slots=True)
class Example:
    """One reading: token numbers as the network takes them, and which tokens of the evidence are quoted in gold."""

    case: int
    ids: tuple[int, ...]
    text: Place
    claims: tuple[Place, ...]
    evidence: str
    offsets: tuple[Place, ...]
    gold: tuple[bool, ...]

    @property
    def pairs(self) -> int:
        """Pairs of a claim and a token of the evidence."""
        return len(self.claims) * len(self.offsets)

    @property
    def first(self) -> int:
        """The place of the evidence's first token."""
        return self.text[1] + 1

    def given(self) -> dict[str, np.ndarray]:
        """The inputs of the graph."""
        begin, end = self.text
        members = np.zeros((len(self.claims), max(1, end - begin)), np.float32)
        for row, (start, stop) in enumerate(self.claims):
            members[row, slice(start, stop) if stop > start else slice(None)] = 1 / max(
                1, (stop - start) or end - begin
            )
        keep = np.array([0, *range(begin, begin + members.shape[1])], np.int64)
        return {"ids": np.array([self.ids], np.int64), "keep": keep, "members": members}


def examples(cases: Sequence[Case], tokenizer: Any) -> Iterator[Example]:
    """Every reading of every case."""

    def encoded(text: str) -> Any:
        return tokenizer.encode(text, add_special_tokens=False)

    for number, case in enumerate(cases):
        context = ReadContext([Passage(place, text) for place, text in enumerate(case["context"])])
        claims = numbered(extract(case["output"], case.get("input")))
        for reading in dict.fromkeys(all_looks(claims, case["output"], context.given, case.get("input"))):
            lead = encoded(reading.lead).ids[-MAX_LEAD:] if reading.lead else []
            text, evidence = encoded(reading.text), encoded(reading.evidence)
            said = text.ids[:MAX_TEXT]
            known = evidence.ids[: MAX_ALL - 4 - len(lead) - len(said)]
            offsets = tuple(evidence.offsets[: len(known)])
            gold = [place for quote in case["evidence"] for place in located(reading.evidence, quote["quote"])]
            yield Example(
                number,
                (0, *lead, 2, *said, 2, *known, 2),
                (len(lead) + 2, len(lead) + 2 + len(said)),
                tuple(token_range(text.offsets[:MAX_TEXT], *claim) for claim in reading.claims),
                reading.evidence,
                offsets,
                tuple(any(a < end and b > start for start, end in gold) for a, b in offsets),
            )


class Graph:
    """A graph without an evidence head, to which nodes are added."""

    def __init__(self, path: Path) -> None:
        self.model = onnx.load(path, load_external_data=False)
        self.nodes, self.inputs = self.model.graph.node, self.model.graph.initializer
        for part, mark in ((self.nodes, "decides"), (self.inputs, "decides"), (self.model.graph.output, "evidence")):
            for item in [item for item in part if item.name.startswith(mark)]:
                part.remove(item)
        (at,) = (node.input[0] for node in self.nodes if "keep" in node.input and "LayerNorm" in node.input[0])
        self.states, self.front = at, int(at.split(".")[1].split("/")[0]) + 1
        (verdict,) = (node.input[0] for node in self.nodes if "verdict.weight_quantized" in node.input)
        self.joined = verdict.removesuffix("_quantized")
        self.layers = sum(node.op_type == "Softmax" for node in self.nodes)

    def add(self, kind: str, inputs: Sequence[str], name: str, **options: Any) -> str:
        """Add a node; returns the name of its output."""
        self.nodes.append(helper.make_node(kind, inputs, [f"decides/{name}"], name=f"decides/{name}/node", **options))
        return f"decides/{name}"

    def hold(self, name: str, value: Any, kind: Any = np.float32) -> str:
        """Add a constant; returns its name."""
        self.inputs.append(numpy_helper.from_array(np.asarray(value, kind), f"decides.{name}"))
        return f"decides.{name}"

    def show(self, name: str, source: str, axes: Sequence[Any]) -> None:
        """Make a value an output of the graph."""
        self.nodes.append(helper.make_node("Identity", [source], [name], name=f"decides/show/{name}"))
        self.model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, axes))

    def attention(self) -> str:
        """For each claim and token, in every attention head: claim to token, and token to claim in the front layers."""
        none, one, two, three, end = (self.hold(f"at {value}", [value], np.int64) for value in (0, 1, 2, 3, 2**40))
        text = self.add("Slice", ["keep", one, end, none], "text")
        count = self.add("Gather", [self.add("Shape", ["ids"], "shape"), one], "length")
        start, step = self.hold("start", 0, np.int64), self.hold("step", 1, np.int64)
        places = self.add("Range", [start, self.add("Squeeze", [count, none], "count"), step], "places")
        here = self.add(
            "Equal",
            [self.add("Unsqueeze", [text, one], "rows"), self.add("Unsqueeze", [places, none], "columns")],
            "here",
        )
        spread = self.add("MatMul", ["members", self.add("Cast", [here], "spots", to=TensorProto.FLOAT)], "spread")
        whole = self.add("Transpose", [spread], "whole", perm=[1, 0])
        parts = []
        for layer in range(self.layers):
            seen = f"/layers.{layer}/Softmax_output_0"
            if layer < self.front:
                to = self.add("MatMul", [seen, whole], f"to {layer}")
                parts.append(self.add("Transpose", [to], f"by claim {layer}", perm=[0, 1, 3, 2]))
                own = self.add("Gather", [seen, text], f"own {layer}", axis=2)
            else:
                own = self.add("Slice", [seen, one, end, two], f"own {layer}")
                own = self.add("Slice", [own, none, count, three], f"old {layer}")
            parts.append(self.add("MatMul", ["members", own], f"from {layer}"))
        joined = self.add("Squeeze", [self.add("Concat", parts, "all", axis=1), none], "flat")
        return self.add("Transpose", [joined], "attention", perm=[1, 2, 0])


class Head(nn.Module):  # type: ignore[misc,unused-ignore]
    """A hidden layer over the attention, the token's vector, and its product with the claim's."""

    mean: Tensor
    scale: Tensor

    def __init__(self, attention: int, state: int, claim: int, width: int = 64) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(attention))
        self.register_buffer("scale", torch.ones(attention))
        self.a, self.l = nn.Linear(attention, width), nn.Linear(attention, 1)
        self.s, self.q = nn.Linear(state, width), nn.Linear(claim, width)
        self.p, self.d, self.o = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, 1)

    def forward(self, attention: Tensor, state: Tensor, claim: Tensor) -> Tensor:
        """The log-odds of each pair."""
        seen = (torch.log(attention.float() + LEAST) - self.mean) * self.scale
        drop = self.training
        token = torch.tanh(self.s(functional.dropout(state.float(), 0.1, drop)))
        asked = torch.tanh(self.q(claim.float()))
        hidden = self.a(functional.dropout(seen, 0.1, drop)) + self.p(token * asked) + self.d(token)
        result: Tensor = (self.l(seen) + self.o(functional.gelu(hidden)))[:, 0]
        return result


def put(head: dict[str, Tensor], folder: Path) -> None:
    """Put a head into the graph of a folder of weights, and record the new hash."""
    graph = Graph(folder / "model.onnx")
    value = {name: tensor.double().numpy() for name, tensor in head.items()}
    scale, mean_ = value["scale"], value["mean"]

    def matrix(given: str, name: str, weight: np.ndarray, bias: np.ndarray | float) -> str:
        product = graph.add("MatMul", [given, graph.hold(f"{name}.weight", weight.T)], f"{name} product")
        return graph.add("Add", [product, graph.hold(f"{name}.bias", bias)], name)

    attention = graph.attention()
    logs = graph.add("Log", [graph.add("Add", [attention, graph.hold("least", LEAST)], "shifted")], "logs")
    states = graph.add("Squeeze", [graph.states, "decides.at 0"], "states")
    token = graph.add("Tanh", [matrix(states, "token", value["s.weight"], value["s.bias"])], "token vector")
    claim = graph.add("Tanh", [matrix(graph.joined, "claim", value["q.weight"], value["q.bias"])], "claim vector")
    agreement = graph.add("Mul", [graph.add("Unsqueeze", [claim, "decides.at 1"], "claims"), token], "agreement")
    by, line = value["a.weight"] * scale, value["l.weight"] * scale
    hidden = graph.add(
        "Sum",
        [
            matrix(logs, "attended", by, value["a.bias"] - by @ mean_),
            matrix(agreement, "agreed", value["p.weight"], value["p.bias"]),
            matrix(token, "alone", value["d.weight"], value["d.bias"]),
        ],
        "hidden",
    )
    erf = graph.add("Erf", [graph.add("Mul", [hidden, graph.hold("root", 0.5**0.5)], "rooted")], "erf")
    half = graph.add("Mul", [hidden, graph.hold("half", 0.5)], "halved")
    gelu = graph.add("Mul", [half, graph.add("Add", [erf, graph.hold("unit", 1.0)], "grown")], "gelu")
    total = graph.add(
        "Add",
        [
            matrix(gelu, "out", value["o.weight"], value["o.bias"]),
            matrix(logs, "linear", line, value["l.bias"] - line @ mean_),
        ],
        "logits",
    )
    graph.show("evidence", graph.add("Squeeze", [total, "decides.at 2"], "logit"), ["c", "n"])
    onnx.save(graph.model, folder / "model.onnx")
    recorded = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    files = recorded["files"]
    files["model.onnx"] = hashlib.blake2b((folder / "model.onnx").read_bytes()).hexdigest()
    named = "".join(value for name, value in files.items() if name != "tokenizer.json")
    recorded["name"] = f"pair-{hashlib.blake2b(named.encode()).hexdigest()[:8]}"
    (folder / "model.json").write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


class Features:
    """What the network says of every reading, in files: attention of pairs, states of tokens, vectors of claims."""

    def __init__(self, made: Sequence[Example], folder: Path) -> None:
        self.made, self.folder = made, folder
        self.pair, self.token, self.claim = (
            [0, *accumulate(sizes)]
            for sizes in (
                (one.pairs for one in made),
                (len(one.offsets) for one in made),
                (len(one.claims) for one in made),
            )
        )

    def extract(self, graph: Path, workers: int) -> None:
        """Run the network once over every reading."""
        shown = Graph(graph)
        attention = shown.attention()
        shown.show("attention", attention, ["c", "n", "a"])
        shown.show("states", shown.states, [1, "n", "s"])
        shown.show("joined", shown.joined, ["c", "j"])
        onnx.save(shown.model, graph.with_name("shown.onnx"))
        try:
            sizes = self._session(graph).run(["attention", "states", "joined"], self.made[0].given())
            shape = {"sizes": [part.shape[-1] for part in sizes]}
            (self.folder / "sizes.json").write_text(json.dumps(shape), encoding="utf-8")
            self.files("w+")
            jobs = [(graph, range(start, len(self.made), workers * 8)) for start in range(workers * 8)]
            with multiprocessing.get_context("fork").Pool(workers) as pool:
                for done, _ in enumerate(pool.imap_unordered(self._read, jobs), 1):
                    print(done, "of", len(jobs), "parts read", flush=True)
        finally:
            graph.with_name("shown.onnx").unlink()

    def files(self, mode: Any = "r") -> list[np.memmap[Any, Any]]:
        """Attention, states and claims."""
        sizes = json.loads((self.folder / "sizes.json").read_text(encoding="utf-8"))["sizes"]
        rows = (self.pair[-1], self.token[-1], self.claim[-1])
        names = ("attention", "states", "claims")
        return [
            np.memmap(self.folder / name, np.float16, mode, shape=(count, size))
            for name, count, size in zip(names, rows, sizes, strict=True)
        ]

    @staticmethod
    def _session(graph: Path) -> Any:
        import onnxruntime

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(graph.with_name("shown.onnx")), options)

    def _read(self, job: tuple[Path, range]) -> None:
        graph, rows = job
        session, (attention, states, claims) = self._session(graph), self.files("r+")
        for row in rows:
            one = self.made[row]
            seen, state, joined = session.run(["attention", "states", "joined"], one.given())
            shown = slice(one.first, one.first + len(one.offsets))
            attention[self.pair[row] : self.pair[row + 1]] = seen[:, shown].reshape(one.pairs, -1)
            states[self.token[row] : self.token[row + 1]] = state[0, shown]
            claims[self.claim[row] : self.claim[row + 1]] = joined


class Fit:
    """Heads for choices of readings, on one device."""

    def __init__(self, features: Features) -> None:
        self.features, self.device = features, "cuda" if torch.cuda.is_available() else "cpu"
        self._attention, self._states, self._claims = (
            torch.from_numpy(np.array(part)).to(self.device) for part in features.files()
        )

    def _batch(self, rows: Sequence[int]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The numbers of pairs, tokens and claims, pair by pair, and what is gold."""
        made, features = self.features.made, self.features
        parts: list[list[np.ndarray]] = [[], [], [], []]
        for row in rows:
            one = made[row]
            tokens, claims = np.arange(len(one.offsets)), np.arange(len(one.claims))
            parts[0].append(features.pair[row] + np.arange(one.pairs))
            parts[1].append(features.token[row] + np.tile(tokens, len(claims)))
            parts[2].append(features.claim[row] + np.repeat(claims, len(tokens)))
            parts[3].append(np.tile(np.array(one.gold, np.float32), len(claims)))
        pair, token, claim, gold = (torch.from_numpy(np.concatenate(part)).to(self.device) for part in parts)
        return pair, token, claim, gold

    def head(self, rows: Sequence[int], epochs: int) -> Head:
        """A head that has learnt from these readings."""
        torch.manual_seed(0)
        chance = np.random.default_rng(0)
        head: Head = Head(self._attention.shape[1], self._states.shape[1], self._claims.shape[1]).to(self.device)
        some, *_ = self._batch(list(chance.permutation(rows)[:400]))
        logs = torch.log(self._attention[some].float() + LEAST)
        head.mean, head.scale = logs.mean(0), 1 / (logs.std(0) + 1e-3)
        optimizer = torch.optim.AdamW(head.parameters(), RATE, weight_decay=0.02)
        steps = epochs * -(-len(rows) // BATCH)
        shape = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1, (step + 1) / 50) * max(0.02, 1 - step / steps)
        )
        for _ in range(epochs):
            order = chance.permutation(rows)
            for start in range(0, len(order), BATCH):
                pair, token, claim, gold = self._batch(list(order[start : start + BATCH]))
                loss = _loss(head(self._attention[pair], self._states[token], self._claims[claim]), gold, claim)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                shape.step()
        head.eval()
        return head

    @torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
    def scores(self, head: Head, row: int) -> np.ndarray:
        """The log-odds of a reading's tokens, claim by claim."""
        pair, token, claim, _ = self._batch([row])
        logits = head(self._attention[pair], self._states[token], self._claims[claim]).cpu().numpy()
        result: np.ndarray = logits.reshape(len(self.features.made[row].claims), -1)
        return result


def _loss(logits: Tensor, gold: Tensor, claim: Tensor) -> Tensor:
    """Each token by itself, and the tokens of a claim against each other."""
    alone = functional.binary_cross_entropy_with_logits(logits, gold, pos_weight=torch.tensor(2.0, device=gold.device))
    _, group = torch.unique(claim, return_inverse=True)
    none = torch.zeros(int(group.max()) + 1, device=logits.device)
    most = (none - 1e9).scatter_reduce(0, group, logits.detach(), "amax")
    share = torch.exp(logits - most[group])
    right, every = none.index_add(0, group, share * gold), none.index_add(0, group, share)
    known = none.index_add(0, group, gold) > 0
    against = torch.log(every[known] + 1e-9) - torch.log(right[known] + 1e-9)
    return alone + 0.3 * against.mean() if len(against) else alone


def report(cases: Sequence[Case], scored: Iterator[tuple[Example, np.ndarray]]) -> None:
    """How often the likeliest unit of a reading is evidence, beside the unit that shares most words."""
    found: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for one, logits in scored:
        case = cases[one.case]
        if not case["evidence"]:
            continue
        chances = [sigmoid(float(value)) for value in logits.max(0)]
        tokens = [(start, end, chance) for (start, end), chance in zip(one.offsets, chances, strict=True)]
        units = unit_scores(case["context"], one.evidence, tokens)
        if units:
            near = overlap_unit(case["context"], [case["output"]])
            right = is_deciding(max(units, key=lambda unit: units[unit]), case)
            found[case["file"]].append((right, near is not None and is_deciding(near, case)))
    for name, rows in found.items():
        ours, words = (mean(row[place] for row in rows) for place in (0, 1))
        print(f"{name:24} {len(rows):5} readings: decides {ours:.3f}, most words in common {words:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--head", type=Path, required=True, help="the file of the fitted head")
    parser.add_argument("--features", type=Path, help="a folder for what the network says of every reading (5 GB)")
    parser.add_argument("--into", type=Path, help="the folder of weights whose graph gets the head")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the network to learn on top of")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if options.features:
        _fit(options)
    if options.into:
        put(torch.load(options.head), options.into)


def _fit(options: argparse.Namespace) -> None:
    cases = [{**row, "file": path.name} for path in (*FILES, PACKAGED) for row in read_rows(path)]
    tokenizer = tokenizer_at(options.weights / "tokenizer.json")
    made = list(examples(cases, tokenizer))
    made = made[:: max(1, len(made) // options.rows)] if options.rows else made
    features = Features(made, options.features)
    options.features.mkdir(parents=True, exist_ok=True)
    features.extract(options.weights / "model.onnx", options.workers)
    documents = [str((cases[one.case].get("meta") or {}).get("document") or cases[one.case]["id"][:-2]) for one in made]
    packaged = np.array([cases[one.case]["file"] == PACKAGED.name for one in made])
    names = sorted(set(documents))
    folds = dict(zip(names, np.random.default_rng(0).permutation(len(names)) % FOLDS, strict=True))
    fold = np.where(packaged, -1, [folds[name] for name in documents])
    fit = Fit(features)
    scores: dict[int, np.ndarray] = {}
    for number in range(FOLDS):
        head = fit.head(np.flatnonzero((fold != number) & ~packaged).tolist(), options.epochs)
        scores |= {row: fit.scores(head, row) for row in np.flatnonzero(fold == number).tolist()}
    head = fit.head(np.flatnonzero(~packaged).tolist(), options.epochs)
    scores |= {row: fit.scores(head, row) for row in np.flatnonzero(packaged).tolist()}
    report(cases, ((made[row], scores[row]) for row in sorted(scores)))
    torch.save({name: value.cpu() for name, value in head.state_dict().items()}, options.head)


if __name__ == "__main__":
    main()
