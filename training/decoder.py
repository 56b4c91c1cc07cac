"""The teacher's network: a chat model that stays as it is, small updates beside its matrices, and one head.

The model reads evidence, question and claim as one prompt; the head tells supported, contradicted and unsupported from
the state of the last token. Claims over the same evidence stand behind one another on one sheet: the evidence is read
once, and no claim sees another. Only the updates and the head learn, so a billion parameters fit on one GPU with room
to spare, and what is kept of a training is a few megabytes.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from training.learn import SOMEHOW_WRONG, batches, padded
from training.rows import Row

HASH = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
"""Of Qwen2.5-Coder-1.5B-Instruct as a GGUF file (Q4_K_M), the base that the teachers were measured with."""
RANK, SCALE = 16, 2.0
QUESTION, CLAIM = 110, 160
"""Tokens of a question and of a claim that are read."""
HIDDEN = -1e4
"""What is added to the score of a token that is not to be seen."""
SHEET = 640
"""Tokens of claims and their questions on one sheet at most."""
ROOMY = 80 * 2**30
"""Bytes of a GPU from which on the states of all layers are kept for the way back, rather than computed again."""
State = dict[str, Any]


def is_known(base: Path) -> bool:
    """Whether a file is the base we know."""
    digest = hashlib.sha256()
    with base.open("rb") as file:
        while part := file.read(1 << 24):
            digest.update(part)
    return digest.hexdigest() == HASH


def load_base(base: Path, device: str) -> tuple[Any, Tokenizer]:
    """A chat model and its tokenizer, from a GGUF file or from a folder; 16 bits on a GPU, 32 on a CPU."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    # With a mask, the way back through cuDNN's attention came out as no number.
    torch.backends.cuda.enable_cudnn_sdp(False)
    precision = torch.bfloat16 if device == "cuda" else torch.float32
    if base.is_dir():
        where, more = base, {}
        tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    else:
        where, more = base.parent, {"gguf_file": base.name}
        tokenizer = AutoTokenizer.from_pretrained(where, **more).backend_tokenizer
    model = AutoModelForCausalLM.from_pretrained(where, dtype=precision, attn_implementation="sdpa", **more)
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return model.to(device).eval(), tokenizer


class Updated(nn.Module):  # type: ignore[misc,unused-ignore]
    """A matrix that stays as it is, and the product of two narrow ones that is added to it and learns."""

    whole: Tensor | None = None
    """The sum, while nothing is learnt."""

    def __init__(self, matrix: nn.Linear) -> None:
        super().__init__()
        self.matrix = matrix
        first = torch.randn(RANK, matrix.in_features) / math.sqrt(matrix.in_features)
        self.narrow = nn.Parameter(first.to(matrix.weight.device))
        self.wide = nn.Parameter(torch.zeros(matrix.out_features, RANK, device=matrix.weight.device))

    def train(self, mode: bool = True) -> Updated:
        super().train(mode)
        with torch.no_grad():
            weight = self.matrix.weight
            self.whole = None if mode else (weight.float() + SCALE * (self.wide @ self.narrow)).to(weight.dtype)
        return self

    def forward(self, value: Tensor) -> Tensor:
        if self.whole is not None:
            return functional.linear(value, self.whole, self.matrix.bias)
        narrow = functional.linear(value, self.narrow.to(value.dtype))
        result: Tensor = self.matrix(value) + SCALE * functional.linear(narrow, self.wide.to(value.dtype))
        return result


class Teacher(nn.Module):  # type: ignore[misc,unused-ignore]
    """The decoder of a chat model with updates beside all its matrices, and the head."""

    def __init__(self, model: Any, seed: int = 1) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.decoder = model.model
        self.decoder.config.use_cache = False
        for layer in self.decoder.layers:
            for part in (layer.self_attn, layer.mlp):
                for name, child in list(part.named_children()):
                    if isinstance(child, nn.Linear):
                        setattr(part, name, Updated(child))
        device = next(model.parameters()).device
        self.head = nn.Linear(self.decoder.config.hidden_size, 3).to(device)
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)
        if device.type == "cuda" and torch.cuda.get_device_properties(device).total_memory < ROOMY:
            self.decoder.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})

    def forward(self, sheets: Sheets) -> Tensor:
        """Logits of the three classes, for each claim."""
        part = sheets.parts
        past = torch.ones(part.shape[1], part.shape[1], dtype=torch.bool, device=part.device).tril()
        seen = past & ((part[:, None] == 0) | (part[:, None] == part[:, :, None]))
        hidden = torch.zeros(seen.shape, dtype=self.decoder.dtype, device=part.device).masked_fill(~seen, HIDDEN)
        states = self.decoder(
            input_ids=sheets.ids, position_ids=sheets.places, attention_mask=hidden[:, None]
        ).last_hidden_state
        result: Tensor = self.head(states[sheets.rows, sheets.last].float())
        return result

    def learnt(self) -> State:
        """What a training changes."""
        return {name: value.detach() for name, value in self.named_parameters() if value.requires_grad}

    def keep(self, path: Path) -> None:
        _write({name: value.to("cpu", torch.bfloat16) for name, value in self.learnt().items()}, path)

    def take(self, state: State) -> None:
        """Go on from what was learnt before."""
        mine = self.learnt()
        if {name: value.shape for name, value in state.items()} != {name: value.shape for name, value in mine.items()}:
            raise SystemExit("What was learnt before belongs to another base; name the base it was learnt on.")
        for name, value in state.items():
            mine[name].copy_(value)


def adapters_at(path: Path, device: str) -> State:
    """What a training kept, also in the form in which the given teacher's updates come (`lora` and `head`)."""
    state: State = torch.load(path, map_location=device, weights_only=True)
    if "lora" not in state:
        return state
    ends = {"a": "narrow", "b": "wide"}
    found = {f"head.{name}": value for name, value in state["head"].items()}
    for name, value in state["lora"].items():
        matrix, _, end = name.rpartition(".")
        found[f"decoder.{matrix}.{ends[end]}"] = value
    return found


def _write(state: State, path: Path) -> None:
    """As a whole or not at all."""
    part = path.with_suffix(".part")
    torch.save(state, part)
    part.replace(path)


@dataclass(frozen=True, slots=True)
class Sheets:
    """A batch of sheets, padded at the end."""

    ids: Tensor
    places: Tensor
    """Of each token in its prompt, as if its claim stood there alone."""
    parts: Tensor
    """Of each token: 0 in the evidence, then a number for each claim; what pads is seen by no claim."""
    rows: Tensor
    """The sheet of each claim."""
    last: Tensor
    """The last token of each claim."""
    claims: np.ndarray
    """Which rows the claims are."""


class Prompts:
    """Rows as token ids, cut to the length that is read."""

    def __init__(self, rows: Sequence[Row], tokenizer: Tokenizer, evidence: int) -> None:
        self.rows = rows
        texts = list(dict.fromkeys(text for row in rows for text in (row.question, row.evidence, row.claim)))
        self._ids: dict[str, np.ndarray] = {}
        for first in range(0, len(texts), 20_000):
            part = texts[first : first + 20_000]
            for text, item in zip(part, tokenizer.encode_batch(part, add_special_tokens=False), strict=True):
                self._ids[text] = np.array(item.ids[:evidence], dtype=np.int32)
        self._before = [
            np.array(tokenizer.encode(text, add_special_tokens=False).ids, dtype=np.int32)
            for text in ("Evidence:\n", "\n\nQuestion: ", "\n\nClaim: ", "\n\nVerdict:")
        ]
        self.labels = np.array([row.label for row in rows], dtype=np.int64)

    def evidence(self, place: int) -> np.ndarray:
        return np.concatenate([self._before[0], self._ids[self.rows[place].evidence]])

    def claim(self, place: int) -> np.ndarray:
        """What follows the evidence."""
        row, (_, question, claim, verdict) = self.rows[place], self._before
        asked = [question, self._ids[row.question][:QUESTION]] if row.question else []
        return np.concatenate([*asked, claim, self._ids[row.claim][:CLAIM], verdict])

    def sheets(self, chosen: np.ndarray) -> tuple[list[list[int]], np.ndarray]:
        """The chosen rows, those over the same evidence together, and how many tokens each sheet has."""
        found: list[list[int]] = []
        lengths: list[int] = []
        open_sheets: dict[str, tuple[int, int]] = {}
        for place in map(int, chosen):
            text, size = self.rows[place].evidence, len(self.claim(place))
            number, used = open_sheets.get(text, (-1, SHEET))
            if used + size > SHEET:
                number, used = len(found), 0
                found.append([])
                lengths.append(len(self.evidence(place)))
            found[number].append(place)
            lengths[number] += size
            open_sheets[text] = number, used + size
        return found, np.array(lengths, dtype=np.int64)

    def batch(self, sheets: Sequence[Sequence[int]], device: str) -> Sheets:
        evidence = [self.evidence(sheet[0]) for sheet in sheets]
        claims = [[self.claim(place) for place in sheet] for sheet in sheets]
        width = padded(max(len(e) + sum(map(len, c)) for e, c in zip(evidence, claims, strict=True)))
        ids, places, parts = (np.zeros((len(sheets), width), dtype=np.int64) for _ in range(3))
        parts[:] = -1
        ends: list[tuple[int, int]] = []
        for row, (before, those) in enumerate(zip(evidence, claims, strict=True)):
            pieces = [before, *those]
            whole = np.concatenate(pieces)
            ids[row, : len(whole)] = whole
            parts[row, : len(whole)] = np.repeat(np.arange(len(pieces)), list(map(len, pieces)))
            begins = [np.arange(len(before)), *(len(before) + np.arange(len(claim)) for claim in those)]
            places[row, : len(whole)] = np.concatenate(begins)
            ends += [(row, int(end) - 1) for end in np.cumsum(list(map(len, pieces)))[1:]]

        def placed(values: np.ndarray) -> Tensor:
            return torch.from_numpy(values).to(device, non_blocking=True)

        rows, last = np.array(ends, dtype=np.int64).T.copy()
        claims_of = np.array([place for sheet in sheets for place in sheet], dtype=np.int64)
        return Sheets(placed(ids), placed(places), placed(parts), placed(rows), placed(last), claims_of)


@dataclass(frozen=True, slots=True)
class Course:
    """How to learn: for how many seconds at most, how fast, and how many padded tokens at once."""

    seconds: float
    rate: float
    head_rate: float
    warm: int
    """Steps until the full rate."""
    budget: int = 16_384
    seed: int = 5
    every: float = 60
    """Seconds from one checkpoint to the next."""


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """A row that is somehow wrong counts against both wrong classes together."""
    logs = functional.log_softmax(logits, -1)
    wrong = torch.logsumexp(logs[:, 1:], -1, keepdim=True)
    assert logs.shape[1] == SOMEHOW_WRONG
    result: Tensor = functional.nll_loss(torch.cat([logs, wrong], -1), labels)
    return result


def learn(
    teacher: Teacher, parts: Sequence[tuple[Prompts, np.ndarray]], course: Course, out: Path, device: str
) -> None:
    """One pass over the chosen rows of each part, or as far as the time goes; `out` is what was learnt.

    A training that was cut off goes on from its last checkpoint: the same batches, the same rate, the time it had left.
    """
    rng = np.random.default_rng(course.seed)
    work = [
        (prompts, [sheets[place] for place in batch])
        for prompts, chosen in parts
        for sheets, lengths in [prompts.sheets(rng.permutation(chosen))]
        for batch in batches(lengths, np.arange(len(sheets)), course.budget, rng)
    ]
    work = [work[place] for place in rng.permutation(len(work))]
    updates = [value for name, value in teacher.named_parameters() if value.requires_grad and "head." not in name]
    groups = [{"params": updates, "most": course.rate}, {"params": teacher.head.parameters(), "most": course.head_rate}]
    optimiser = torch.optim.AdamW(groups, lr=course.rate, betas=(0.9, 0.98), weight_decay=0.0)
    checkpoint = out.with_suffix(".checkpoint")
    first, spent, mean = 0, 0.0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        if state["steps"] != len(work):
            raise SystemExit(f"{checkpoint} is of a training on other rows; remove it to begin anew.")
        teacher.take(state["learnt"])
        optimiser.load_state_dict(state["optimiser"])
        first, spent, mean = state["step"], state["spent"], state["mean"]
        print(f"{out.stem} goes on at step {first} of {len(work)}", flush=True)
    teacher.train()
    began = kept = time.perf_counter()
    for step in range(first, len(work)):
        now = time.perf_counter()
        done = max(step / len(work), (spent + now - began) / course.seconds)
        if done >= 1:
            break
        if step > first and now - kept >= course.every:
            state = {"learnt": teacher.learnt(), "optimiser": optimiser.state_dict(), "steps": len(work), "step": step}
            _write({**state, "spent": spent + now - began, "mean": mean}, checkpoint)
            kept = now
        share = min(1.0, (step + 1) / course.warm) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = group["most"] * share
        prompts, sheets = work[step]
        batch = prompts.batch(sheets, device)
        loss = loss_of(teacher(batch), torch.from_numpy(prompts.labels[batch.claims]).to(device))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(updates, 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        if step % 10 == 0:
            seen = float(loss.detach())
            if not math.isfinite(seen):
                raise SystemExit(f"{out.stem}: the loss is no number at step {step}; what was learnt is not kept.")
            mean = seen if step == 0 else 0.95 * mean + 0.05 * seen
        if step % 100 == 0:
            print(f"{out.stem} step {step} of {len(work)} loss {mean:.4f} progress {done:.3f}", flush=True)
    teacher.keep(out)
    checkpoint.unlink(missing_ok=True)
    print(f"{out.stem} learnt in {spent + time.perf_counter() - began:.0f} s", flush=True)


@torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
def views_of(teacher: Teacher, prompts: Prompts, budget: int, device: str) -> np.ndarray:
    """Log-probabilities of supported, contradicted and unsupported, a row each."""
    teacher.eval()
    found = np.zeros((len(prompts.rows), 3), dtype=np.float16)
    sheets, lengths = prompts.sheets(np.arange(len(prompts.rows)))
    for places in batches(lengths, np.arange(len(sheets)), budget, None):
        batch = prompts.batch([sheets[place] for place in places], device)
        found[batch.claims] = torch.log_softmax(teacher(batch), -1).cpu().numpy()
    return found


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    whole: bool
    """Whether the model came to its end, rather than to the most tokens it may write."""


def _chat(text: str) -> str:
    """A request in the chat format of Qwen's models."""
    system = "You are a careful assistant who writes plain English."
    turns = (("system", system), ("user", text))
    return "".join(f"<|im_start|>{who}\n{said}<|im_end|>\n" for who, said in turns) + "<|im_start|>assistant\n"


class Writer:
    """The untouched model, replying to many requests at once."""

    def __init__(self, model: Any, tokenizer: Tokenizer, device: str, tokens: int = 112) -> None:
        self._model, self._tokenizer, self._device, self._tokens = model, tokenizer, device, tokens
        ends = [tokenizer.token_to_id(name) for name in ("<|im_end|>", "<|endoftext|>")]
        self._ends = [end for end in ends if end is not None]
        if not self._ends:
            raise SystemExit("The base does not know the chat format of Qwen's models; name one that does.")

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        asked = [_chat(text) for text in texts]
        return [item.ids for item in self._tokenizer.encode_batch(asked, add_special_tokens=False)]

    def groups(self, texts: Sequence[str], size: int, budget: int) -> list[list[int]]:
        """Requests of like length, at most so many and so many tokens together."""
        length = [len(item) for item in self._ids(texts)]
        found: list[list[int]] = []
        for place in sorted(range(len(texts)), key=lambda place: (length[place], place)):
            if not found or len(found[-1]) >= size or length[place] * (len(found[-1]) + 1) > budget:
                found.append([])
            found[-1].append(place)
        return found

    @torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
    def replies(self, texts: Sequence[str], seed: int) -> Iterator[Reply]:
        """A reply to each request, with some chance in it; the same each time for one seed."""
        torch.manual_seed(seed)
        found = self._ids(texts)
        width = max(map(len, found))
        ids = torch.tensor([[self._ends[0]] * (width - len(item)) + item for item in found], device=self._device)
        seen = torch.tensor([[0] * (width - len(item)) + [1] * len(item) for item in found], device=self._device)
        written = self._model.generate(
            input_ids=ids,
            attention_mask=seen,
            max_new_tokens=self._tokens,
            do_sample=True,
            temperature=0.8,
            top_k=60,
            top_p=0.95,
            repetition_penalty=1.0,
            eos_token_id=self._ends,
            pad_token_id=self._ends[0],
        )
        for item in written[:, width:].tolist():
            end = next((place for place, token in enumerate(item) if token in self._ends), None)
            yield Reply(self._tokenizer.decode(item[:end]), end is not None)
