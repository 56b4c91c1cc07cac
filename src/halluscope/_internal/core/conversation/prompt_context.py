"""Finding the context that is written into a prompt, by tags, labels, headings, rulers and numbers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from .messages import passages_in

_NOUN = (
    r"contexts?|documents?|docs?|sources|passages?|excerpts?|snippets?|chunks?|articles?|references?|evidence"
    r"|knowledge(?:\s+base)?|background(?:\s+information)?|search\s+results?|facts?|transcript|kontext|contexte"
    r"|contexto|contesto|上下文|背景|コンテキスト|文脈"
)
_GIVEN = r"(?:(?:the|retrieved|relevant|provided|given|following|additional|supporting|reference|source)\s+){0,3}"
_CONTEXT = rf"{_GIVEN}(?:{_NOUN}|context(?:ual)?\s+information|information|text)"
_QUESTION = (
    r"(?:(?:the|user|user['’]s|current|my|follow[- ]?up)\s+){0,2}(?:question|query|q|input|request|task)"
    r"|the\s+original\s+query\s+is\s+as\s+follows|frage|pregunta|pergunta|domanda|问题|質問"
)
_ANSWER = (
    r"(?:(?:the|your|final|helpful|direct|refined|short|detailed)\s+){0,2}(?:answer|response|summary)"
    r"|antwort|réponse|respuesta|resposta|risposta|答案|回答"
)
_OTHER = (
    r"(?:important\s+)?(?:instructions?|rules|guidelines|constraints|notes?)|(?:(?:chat|conversation|message)\s+)?history"
    r"|examples?|output(?:\s+format)?|completed"
    r"|(?:we\s+have\s+provided\s+an\s+)?(?:existing|previous|original)\s+answer"
)
_KINDS = {"context": _CONTEXT, "question": _QUESTION, "answer": _ANSWER, "other": _OTHER}
_NAMES = "|".join(f"(?P<{kind}>{names})" for kind, names in _KINDS.items())
_LABEL = re.compile(
    rf"""^[ \t]*(?:
      (?P<open>\[\[[ ]?\#\#|\[|<<|[-=]{{2,}}[ ])[ \t]*(?:{_NAMES})[ \t]*(?:\#\#[ ]?\]\]|\]|>>|[-=]{{2,}}):?
    | (?P<hashes>\#{{1,6}})[ \t]+(?:\d+[.)][ ])?\**(?:{_NAMES.replace("P<", "P<h_")})\**[ \t]*:?\**[ \t]*$
    | \**(?:{_NAMES.replace("P<", "P<c_")})(?:[ ]?\([^)\n]{{0,40}}\))?\**[ \t]*[:：]\**
    )""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_INLINE = re.compile(
    r"(?<=[.!?…”\"')\]\s])[ ](?:(?P<context>Context|CONTEXT)|(?P<question>Question|QUESTION|Query|QUERY)"
    r"|(?P<answer>Answer|ANSWER)):(?=\s|$)"
)
"""Labels within a line, for prompts that are written without line breaks."""
_LEAD_IN = re.compile(
    rf"^(?=[^\n]{{0,300}}$)(?:[^\n]*\b(?:here|below|following|relevant|these|numbered)\b[^\n]*\b(?:{_NOUN}|information)\b"
    rf"[^\n]*:|context\s+information\s+is\s+below\.?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ANNOUNCED = re.compile(
    rf"^(?![ \t]*[-*•\d])[^\n]*(?:\b(?:following|below)\b[^\n]{{0,60}}\b(?:{_NOUN}|information|text)\b"
    rf"|\b(?:{_NOUN}|information|text)\s+(?:below|delimited|enclosed|between|in)\b)[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Instructions such as "Use the following pieces of context …", after which the context comes without a label."""
_RULER = re.compile(
    r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|~{3,}|`{3}\w*)[ \t]*$|^[ \t]*(?:\"{3}|'{3})|(?:\"{3}|'{3})[ \t]*$", re.MULTILINE
)
"""Lines, fences and triple quotes that stand around a text."""
_ITEM = re.compile(
    r"^[ \t]*(?:\#+[ ]*|\*\*|[-=]{2,}[ ]*)?(?:(?:document|doc|source|passage|context|chunk|result|article"
    r"|search\s+result|excerpt|snippet|reference|node)"
    r"[ ]?[\[#(]?(\d{1,4})[\])]?|\[\^?(\d{1,4})\])(?:\*\*)?[ ]*[:.)\-–=]*[ ]*",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = re.compile(r"^[ \t]*(\d{1,4})[.)][ ]+", re.MULTILINE)
_INSTRUCTION = re.compile(
    rf"^\W*(?:given|based|using|according\s+to|use|answer|please|with)\b[^\n]*\b(?:{_NOUN}|information|above|question"
    r"|query)\b[^\n?]*[.:]?$",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(/?)([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_CONTEXT_TAG = re.compile(
    rf"(?:[a-z]+[_-])?(?:{_NOUN.replace(chr(92) + 's+', '[_-]')}|text|data|information)", re.IGNORECASE
)
_ITEM_TAG = re.compile(r"(?:document|doc|passage|chunk|excerpt|snippet|result|item|article|source|node)", re.IGNORECASE)
_QUESTION_TAG = re.compile(r"(?:user[_-])?(?:question|query|input|request|task)", re.IGNORECASE)


class PromptParts(Struct, frozen=True):
    """A prompt taken apart: the passages it contains, the rest (question and instructions), and where they were."""

    passages: tuple[str, ...]
    rest: str
    where: str


class _Mark(Struct, frozen=True):
    """A label in a prompt: its kind, where it starts, and where what it announces begins."""

    kind: str
    start: int
    end: int
    text: str = ""


def read_prompt(text: str, *, instructions: bool = False) -> PromptParts | None:
    """Take the context out of a prompt. `instructions`: a system prompt, which needs no question beside the context."""
    found = _by_tags(text) or _by_labels(text, instructions)
    if found is None or not found.passages or not (found.rest or instructions):
        return None
    return found


def _by_tags(text: str) -> PromptParts | None:
    elements = list(_elements(text))
    contexts = [e for e in elements if _CONTEXT_TAG.fullmatch(e[0])]
    passages = [passage for _, _, _, inner in contexts for passage in _items(inner)]
    if not passages:
        return None
    asked = [inner.strip() for name, _, _, inner in elements if _QUESTION_TAG.fullmatch(name) and inner.strip()]
    rest = asked[-1] if asked else _bare(_without(text, [(start, end) for _, start, end, _ in contexts]))
    return PromptParts(tuple(passages), rest, f"in <{contexts[0][0]}> tags")


def _elements(text: str) -> Iterator[tuple[str, int, int, str]]:
    """The outermost elements that hold context or a question: name, start, end and content."""
    unclosed: set[str] = set()
    lowered, at = text.lower(), 0
    while opened := _TAG.search(text, at):
        name, at = opened[2], opened.end()
        known = _CONTEXT_TAG.fullmatch(name) or _QUESTION_TAG.fullmatch(name)
        if opened[1] or not known or name.lower() in unclosed or len(lowered) != len(text):
            continue
        close = f"</{name.lower()}>"
        end = lowered.find(close, at)
        if end < 0:
            unclosed.add(name.lower())
            continue
        # A tag may be mentioned before it is used: "Read the text in <doc>. <doc>…</doc>".
        again = [tag for tag in _TAG.finditer(text, at, end) if (tag[1], tag[2].lower()) == ("", name.lower())]
        opened = again[-1] if again else opened
        yield name, opened.start(), end + len(close), text[opened.end() : end]
        at = end + len(close)


def _items(inner: str) -> list[str]:
    """The passages in an element: its inner elements where it has any, else those in its text."""
    items = [e for e in _elements(inner) if _ITEM_TAG.fullmatch(e[0])]
    within = [item for item in items if not any(o[1] < item[1] and item[2] < o[2] for o in items)]
    covered = sum(end - start for _, start, end, _ in within)
    if within and covered > 0.5 * len(inner.strip()):
        return [text for item in within if (text := _bare(_TAG.sub("\n", item[3])))]
    return _split(_bare(_TAG.sub("\n", inner)), "documents")


def _by_labels(text: str, instructions: bool) -> PromptParts | None:
    marks = _marks(text)
    context = _context_mark(marks)
    if context is None:
        context = _announced(text, marks, instructions)
    if context is None:
        return None
    fenced = _fenced(text, context.end)
    before, after = _question_marks(marks, context, fenced)
    question = before or after
    if fenced is not None:
        start, end, behind = fenced
    else:
        start, behind = context.end, _end(text, marks, context, after)
        end = behind
    body = text[start:end]
    if question is not None:
        rest = _body(text, marks, question, context)
    else:
        preamble, tail = _bare(text[: context.start]), _bare(text[behind:])
        paragraphs = re.split(r"\n[ \t]*\n", body.rstrip())
        if fenced is None and len(paragraphs) > 1 and paragraphs[-1].rstrip().endswith("?") and "?" not in preamble:
            body, tail = body[: body.rstrip().rindex(paragraphs[-1])], paragraphs[-1].strip()
        rest = "\n\n".join(part for part in (preamble, tail) if part) if instructions else tail or preamble
        rest = rest or preamble
    body = body.lstrip()
    body = body[ruler.end() :] if (ruler := _RULER.match(body)) else body
    passages = _split(_without_instruction(body), context.text)
    return PromptParts(
        tuple(passages), _bare(rest), f"after “{context.text}”" if context.text else "in numbered documents"
    )


def _marks(text: str) -> list[_Mark]:
    found = [_mark(match) for match in _LABEL.finditer(text)]
    taken = {mark.start for mark in found}
    found += [_mark(match) for match in _INLINE.finditer(text)]
    found += [
        _Mark("context", lead.start(), lead.end(), " ".join(lead[0].split())[:60])
        for lead in _LEAD_IN.finditer(text)
        if lead.start() not in taken
    ]
    found.sort(key=lambda mark: mark.start)
    cited = {after.start for mark, after in itertools.pairwise(found) if mark.kind == "answer"}
    return [mark for mark in found if not (mark.start in cited and mark.text.lower().startswith("sources"))]


def _mark(match: re.Match[str]) -> _Mark:
    kind = str(match.lastgroup).rpartition("_")[2]
    return _Mark(kind, match.start(), match.end(), match[0].strip(" \t#*[]<>=-"))


def _context_mark(marks: Sequence[_Mark]) -> _Mark | None:
    """The first label of a context; where worked examples come before it, with contexts of their own, the last."""
    chosen: _Mark | None = None
    answered = asked = False
    for mark in marks:
        if mark.kind == "context" and (chosen is None or (answered and mark.text == chosen.text)):
            chosen, asked, answered = mark, False, False
        elif mark.kind == "context" and chosen is not None and not asked and mark.start - chosen.end < 3:
            chosen = mark
        asked = asked or mark.kind == "question"
        answered = asked and (answered or mark.kind == "answer")
    return chosen


def _announced(text: str, marks: Sequence[_Mark], instructions: bool) -> _Mark | None:
    """Where a context without a label begins: after the instruction that announces it, or with numbered documents."""
    announced = _ANNOUNCED.search(text)
    asked = [mark for mark in marks if mark.kind == "question"]
    if announced:
        ruler = _RULER.search(text, announced.end())
        ruled = [ruler for ruler in _RULER.finditer(text) if asked and ruler.start() > asked[-1].start]
        said = " ".join(announced[0].split())[:60]
        if len(ruled) > 1:  # the question comes first, then the context between rulers
            return _Mark("context", ruled[0].start(), ruled[0].start(), said)
        if ruler or asked or instructions:
            gap = re.compile(r"\n[ \t]*\n").search(text, announced.end())
            ruled_off = ruler and (gap is None or ruler.start() <= gap.end())
            start = ruler.start() if ruler and ruled_off else gap.end() if gap else announced.end()
            if not asked or start < asked[-1].start:
                return _Mark("context", announced.start(), start, said)
    items = list(_ITEM.finditer(text))
    if len(items) > 1 and _consecutive(items):
        return _Mark("context", items[0].start(), items[0].start())
    return None


def _fenced(text: str, start: int) -> tuple[int, int, int] | None:
    """Start and end of what stands between rulers, and where the second ruler ends."""
    opened = _RULER.search(text, start)
    if opened is None or text[start : opened.start()].strip():
        return None
    closed = next(
        (ruler for ruler in _RULER.finditer(text, opened.end()) if ruler[0].strip()[0] == opened[0].strip()[0]), None
    )
    return None if closed is None else (opened.end(), closed.start(), closed.end())


def _question_marks(
    marks: Sequence[_Mark], context: _Mark, fenced: tuple[int, int, int] | None
) -> tuple[_Mark | None, _Mark | None]:
    """The label of a question that stands before the context unanswered, else that of the last one behind it."""
    earlier = [mark for mark in marks if mark.start < context.start and mark.kind in ("question", "answer")]
    if earlier and earlier[-1].kind == "question":
        return earlier[-1], None
    behind = context.end if fenced is None else fenced[1]
    return None, next((mark for mark in reversed(marks) if mark.kind == "question" and mark.start >= behind), None)


def _end(text: str, marks: Sequence[_Mark], context: _Mark, question: _Mark | None) -> int:
    """Where the context ends: before its question, before instructions, or before an answer that is left open."""
    ends = [question.start] if question else []
    ends += [mark.start for mark in marks if mark.kind == "other" and mark.start > context.start]
    ends += [mark.start for mark in marks if mark.kind == "answer" and not text[mark.end :].strip()]
    return min((end for end in ends if end >= context.end), default=len(text))


def _body(text: str, marks: Sequence[_Mark], mark: _Mark, context: _Mark) -> str:
    """What a label announces, up to the next label."""
    ends = [other.start for other in (*marks, context) if other.start > mark.start and other.kind != "question"]
    return text[mark.end : min(ends, default=len(text))]


def _split(body: str, label: str) -> list[str]:
    """The passages of a context: numbered documents, the items of a list in JSON, or all of it."""
    text = body.strip().strip("`").strip()
    items = list(_ITEM.finditer(text))
    if not _consecutive(items) and not re.search(r"context|text|information", label, re.IGNORECASE):
        items = list(_LISTED.finditer(text))
    if not text or not _consecutive(items) or text[: items[0].start()].strip():
        return [passage for passage in passages_in(text) if passage.strip()]
    ends = [item.start() for item in items[1:]] + [len(text)]
    found = (text[item.end() : end].strip().strip("«»").strip() for item, end in zip(items, ends, strict=True))
    return [passage for passage in found if passage]


def _consecutive(items: Sequence[re.Match[str]]) -> bool:
    numbers = [int(next(filter(None, item.groups()))) for item in items]
    return bool(numbers) and numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _without_instruction(body: str) -> str:
    """The context without an instruction behind it, such as "Answer from the context alone."."""
    lines = body.rstrip().split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or _INSTRUCTION.match(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _bare(text: str) -> str:
    """The text without rulers, an open answer behind it, and the blank space around it."""
    lines = [line.rstrip() for line in _RULER.sub("", text).strip().split("\n")]
    while (
        lines and (match := _LABEL.match(lines[-1])) and _mark(match).kind == "answer" and match.end() == len(lines[-1])
    ):
        lines.pop()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
