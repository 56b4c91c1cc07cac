"""A judge without a model: reads the material out of our prompts and answers by comparing words and numbers.

It is no good judge, but a steady one: the same question always gets the same answer, in the
documented keys, and the answer depends on the material.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_FENCED = re.compile(r"<(\w+)-([0-9a-f]{12})>\n(.*?)\n</\1-\2>", re.DOTALL)
_SCORE = re.compile(r"The score: (\S+) on a scale")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NOT_STATED = re.compile(r"\s*(?:I (?:don't|do not) know|sorry|sure|hello|thank)", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """One request as the server understood it."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    system: str
    user: str
    kind: str
    material: dict[str, Any] = field(default_factory=dict)
    seal: str = ""

    @property
    def prompt(self) -> str:
        return f"{self.system}\n\n{self.user}" if self.system else self.user

    @property
    def key(self) -> str:
        """Names the question, whatever remark about an earlier reply is appended to it."""
        return self.kind + json.dumps(self.material, sort_keys=True) if self.material else self.prompt

    @property
    def schema(self) -> dict[str, Any] | None:
        """The schema the reply was asked to keep to, where one was sent."""
        wanted = (self.body.get("response_format") or {}).get("json_schema")
        if isinstance(wanted, dict):
            return dict(wanted["schema"])
        return next((dict(tool["input_schema"]) for tool in self.body.get("tools") or ()), None)


def understood(path: str, body: dict[str, Any], headers: dict[str, str]) -> Asked:
    """The question in a request's body, of either protocol."""
    system = _text(body.get("system"))
    user = ""
    for message in body.get("messages") or ():
        text = _text(message.get("content"))
        if message.get("role") in ("system", "developer"):
            system = text
        else:
            user = text
    found = _FENCED.findall(f"{system}\n\n{user}")
    material = {name: json.loads(content) for name, _, content in found}
    seal = found[-1][1] if found else ""  # the code of the user message
    return Asked(path, body, headers, system, user, _kind(body, material), material, seal)


def oracle(asked: Asked) -> dict[str, Any]:
    """An answer to any question of ours."""
    given = asked.material
    if asked.kind == "extract":
        return {"claims": [s for s in _sentences(given["output"]) if not s.endswith("?") and not _NOT_STATED.match(s)]}
    if asked.kind == "truths":
        return {"truths": [s for passage in given["context"] for s in _sentences(passage)]}
    if asked.kind == "verify":
        return {"verdicts": [_verified(asked, claim) for claim in given["claims"]]}
    if asked.kind == "label":
        passages = given["context"] or []
        wrong = [s for s in _sentences(given["output"]) if _judged(s, passages)[0] != "supported"]
        reasons = [f"{s!r} is not in the context." for s in wrong] or ["Everything is in the context."]
        return {"reason": reasons, "verdict": "hallucinated" if wrong else "factual"}
    if asked.kind == "compare":
        return {"verdicts": [_compared(given["output"], passage) for passage in given["context"]]}
    if asked.kind == "explain":
        score = _SCORE.search(asked.user)
        shown = score.group(1) if score else "what it is"
        return {"reason": f"The score is {shown} because of {len(given['verdicts'])} findings."}
    raise LookupError(f"a question the oracle does not know: {asked.prompt[:200]!r}")


def _verified(asked: Asked, claim: dict[str, str]) -> dict[str, str]:
    context = asked.material["context"]
    if context and "case" in context[0]:  # several cases in one question
        context = next(each["context"] for each in context if claim["id"].startswith(f"{each['case']}-"))
    basis, sentence = _judged(claim["statement"], [passage["text"] for passage in context])
    return {
        "id": claim["id"],
        "statement": claim["statement"],
        "reason": f"The context says: {sentence}" if sentence else f"Nothing is said of {claim['statement']!r}.",
        "evidence": sentence,
        "basis": basis,
        "verdict": _words(asked)[basis],
    }


def _words(asked: Asked) -> dict[str, str]:
    """The metric's vocabulary, from its prompt."""
    if '"unsure"' in asked.system:
        return {"supported": "yes", "contradicted": "no", "unsupported": "unsure"}
    if '"idk"' in asked.system:
        return {"supported": "yes", "contradicted": "no", "unsupported": "idk"}
    return {"supported": "no", "contradicted": "yes", "unsupported": "yes"}


def _compared(output: str, passage: dict[str, str]) -> dict[str, str]:
    clashes = [s for s in _sentences(output) if _judged(s, [passage["text"]])[0] == "contradicted"]
    reason = f"{clashes[0]!r} clashes with it." if clashes else f"Nothing clashes with {passage['text'][:80]!r}."
    return {"id": passage["id"], "reason": reason, "verdict": "no" if clashes else "yes"}


def _judged(statement: str, passages: list[str]) -> tuple[str, str]:
    """How a statement stands to the passages, and the sentence that decides."""
    words, numbers = _words_of(statement), set(_NUMBER.findall(statement))
    clash = ""
    for passage in passages:
        for sentence in _sentences(passage):
            shared = len(words & _words_of(sentence)) / max(1, len(words))
            if shared >= 0.6 and numbers <= set(_NUMBER.findall(sentence)):
                return "supported", sentence
            if shared >= 0.6 and numbers and _NUMBER.search(sentence):
                clash = clash or sentence
    return ("contradicted", clash) if clash else ("unsupported", "")


def _words_of(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _sentences(text: str) -> list[str]:
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+|\n+", text) if s.strip()]


def _kind(body: dict[str, Any], material: dict[str, Any]) -> str:
    """By the name of the schema or tool where there is one, else by what the prompt shows."""
    named = (body.get("response_format") or {}).get("json_schema") or next(iter(body.get("tools") or ()), None)
    if named and named.get("name"):
        return str(named["name"])
    shown = set(material)
    for kind, needs in (
        ("verify", {"claims"}),
        ("explain", {"verdicts"}),
        ("label", {"input", "context", "output"}),
        ("compare", {"context", "output"}),
        ("extract", {"output"}),
        ("truths", {"context"}),
    ):
        if needs <= shown:
            return kind
    return "unknown"


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")
