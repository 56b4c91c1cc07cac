"""The input and output formats of specialised models.

The words of a format are those that the model was trained with, as its model card has them: any others cost accuracy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ...core.errors import ReplyError
from ...core.result import Usage
from ...text.lenient_json import NoJson, Unreadable, parse_json

_SCORE = re.compile(r"<score>\s*(yes|no)\s*</score>", re.IGNORECASE)
_WORD = re.compile(r"\W*(yes|no)\b[^\w\n?]*(?:\n.*)?", re.IGNORECASE | re.DOTALL)
"""The word alone on the first line. Elsewhere it may be denied: "I would not say yes"."""
_VERDICT = re.compile(r"SCORE[\"'*\s:]*(PASS|FAIL)\b(?!\?)")


class Pair(Struct, frozen=True):
    """What a specialised model is asked about: a text, the passages that should support it, and the question."""

    text: str
    passages: tuple[str, ...]
    question: str | None = None

    @property
    def document(self) -> str:
        return "\n\n".join(self.passages)


class PairOpinion(Struct, frozen=True):
    """Whether a pair's text is supported, with the probability that it is, the reasoning, and what it took."""

    supported: bool
    probability: float | None = None
    reason: str | None = None
    usage: Usage = Usage()
    prompt: str | None = None
    reply: str | None = None


class Format(Struct, frozen=True, kw_only=True):
    """How a family of models is asked, from `formats.json`.

    `yes` and `no` are the words for supported and unsupported. `window` is in tokens. With `whole`, the model judges
    whole answers, otherwise one statement at a time.
    """

    name: str
    matches: str
    example: str
    about: str
    window: int
    max_tokens: int
    yes: str
    no: str
    whole: bool

    def fields(self, pair: Pair, model: str, ollama: bool) -> dict[str, Any]:
        """The fields of a request apart from model and settings, for a server that is Ollama or another."""
        return _FUNCTIONS[self.name][0](pair, model, ollama)

    def read(self, reply: str) -> PairOpinion:
        return _FUNCTIONS[self.name][1](reply)


@lru_cache
def _words(name: str) -> str:
    return Path(__file__).with_name("formats").joinpath(f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def _minicheck(pair: Pair, model: str, ollama: bool) -> dict[str, Any]:
    asked = {"role": "user", "content": f"Document: {pair.document}\nClaim: {pair.text}"}
    # The model file of Ollama brings the system prompt along.
    system = [] if ollama else [{"role": "system", "content": _words("minicheck")}]
    return {"messages": [*system, asked]}


def _granite_guardian(pair: Pair, model: str, ollama: bool) -> dict[str, Any]:
    said = {"role": "assistant", "content": pair.text}
    asked = [{"role": "user", "content": pair.question}] if pair.question else []
    version = _granite_version(model)
    if ollama:
        risk = {"role": "system", "content": "groundedness"}
        if version < (3, 3):
            return {"messages": [risk, {"role": "context", "content": pair.document}, said]}
        documents = [{"role": f"document {n}", "content": text} for n, text in enumerate(pair.passages, start=1)]
        return {"messages": [risk, *documents, *asked, said]}
    documents = [{"doc_id": str(n), "text": text} for n, text in enumerate(pair.passages, start=1)]
    if version < (3, 3):
        messages = [{"role": "context", "content": pair.document}, said]
        return {"messages": messages, "chat_template_kwargs": {"guardian_config": {"risk_name": "groundedness"}}}
    if version < (4, 0):
        config = {"guardian_config": {"criteria_id": "groundedness"}, "think": False}
        return {"messages": [*asked, said], "documents": documents, "chat_template_kwargs": config}
    block = {"role": "user", "content": _words("granite_guardian")}
    first = asked or [{"role": "user", "content": ""}]
    return {"messages": [*first, said, block], "documents": documents}


def _granite_version(model: str) -> tuple[int, int]:
    found = re.search(r"(\d)(?:\.(\d))?", model.partition("granite")[2])
    return (int(found[1]), int(found[2] or 0)) if found else (4, 1)


def _lynx(pair: Pair, model: str, ollama: bool) -> dict[str, Any]:
    slots = {"{question}": pair.question or "", "{document}": pair.document, "{answer}": pair.text}
    # In one pass: a text that contains the name of a slot stays as it is.
    asked = re.sub("|".join(map(re.escape, slots)), lambda slot: slots[slot[0]], _words("lynx"))
    return {"messages": [{"role": "user", "content": asked}]}


def _read_word(text: str) -> PairOpinion:
    found = _WORD.fullmatch(text)
    if found is None:
        raise ReplyError("the reply is neither Yes nor No", reply=text)
    return PairOpinion(found[1].lower() == "yes")


def _read_risk(text: str) -> PairOpinion:
    """Read Granite Guardian's answer, where "yes" says that the text is not grounded."""
    scores = {score.lower() for score in _SCORE.findall(text)}
    if len(scores) > 1:
        raise ReplyError("the reply has two different scores", reply=text)
    return PairOpinion(scores == {"no"} if scores else not _read_word(text).supported)


def _read_lynx(text: str) -> PairOpinion:
    try:
        data, _ = parse_json(text, "")
        score, reason = str(data["SCORE"]).strip().upper(), data.get("REASONING")
    except (NoJson, Unreadable, KeyError, TypeError, AttributeError):
        verdicts, reason = set(_VERDICT.findall(text)), None
        score = verdicts.pop() if len(verdicts) == 1 else ""
    if score not in ("PASS", "FAIL"):
        raise ReplyError("the reply has no SCORE that is PASS or FAIL", reply=text)
    told = " ".join(map(str, reason)) if isinstance(reason, list) else reason
    return PairOpinion(score == "PASS", reason=str(told) if told else None)


_FUNCTIONS: dict[str, tuple[Callable[[Pair, str, bool], dict[str, Any]], Callable[[str], PairOpinion]]] = {
    "Bespoke-MiniCheck": (_minicheck, _read_word),
    "Granite Guardian": (_granite_guardian, _read_risk),
    "Patronus Lynx": (_lynx, _read_lynx),
}

FORMATS = msgspec.json.decode(Path(__file__).with_name("formats.json").read_bytes(), type=tuple[Format, ...])


def format_of(model: str) -> Format | None:
    return next((format for format in FORMATS if re.search(format.matches, model, re.IGNORECASE)), None)
