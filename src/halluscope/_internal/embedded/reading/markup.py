"""Mark-up around words: emphasis, links, HTML, fences of code. Read without it, as a page shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from ...text import Span
from .code import is_code

_INLINE_TAGS = (
    "a|abbr|b|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr|img"
)
_BLOCK_TAGS = (
    "address|article|aside|blockquote|body|br|center|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|head|header|hr"
    "|html|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul"
)
_EMOJI = r"[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"
_MARK = re.compile(
    rf"""
      (?P<fence>(?:^|(?<=\n))[ \t>]{{0,8}}(?P<ticks>```+|~~~+)[^\n`]{{0,60}}(?=\n|$))
    | (?P<comment><!--(?:[^<-]|-(?!->)|<(?!!--)){{0,2000}}-->)
    | (?P<inline></?(?:{_INLINE_TAGS})\b[^<>]{{0,300}}>)
    | (?P<block></?(?:{_BLOCK_TAGS})\b[^<>]{{0,300}}>)
    | (?P<auto><(?P<address>(?:https?://|mailto:)[^\s<>]{{1,400}})>)
    | (?P<link>!?\[(?P<shown>[^\[\]\n]{{1,300}})\]\((?:[^()\s]|\([^()\s]{{0,80}}\)){{0,400}}(?:\s+"[^"\n]{{0,200}}")?\))
    | (?P<escape>\\(?=[*_#\[\](){{}}`~>|.!+-]))
    | (?P<ticked>`{{1,3}})
    | (?P<star>\*+)
    | (?P<tilde>~~)
    | (?P<under>(?<![\w_])_{{1,3}}(?=[^\s_])|(?<=[^\s_])_{{1,3}}(?![\w_]))
    | (?P<entity>&(?:[a-zA-Z]{{2,8}}|\#\d{{1,6}}|\#x[0-9a-fA-F]{{1,6}});)
    | (?P<sign>(?:^|(?<=\n))[ \t]{{0,8}}(?:[-*+][ \t]+)?(?P<emoji>{_EMOJI}+)[ \t]+(?=\w))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CELL_TAG = re.compile(r"</?t[dh]\b", re.IGNORECASE)
_POSSIBLE = re.compile(r"[*_`~<&\[\\\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]")
_FENCED = re.compile(r"^[ \t>]{0,8}(?P<ticks>```|~~~)(?P<more>[`~]*)(?P<language>[^\n`]*)$", re.MULTILINE)


Edit = tuple[int, int, str]
"""The start and end of characters, and what stands there instead."""


def markup(text: str) -> Iterator[Edit]:
    """Edits that take the mark-up out, in order. Fences round program code stay, and what is in them."""
    if _POSSIBLE.search(text) is None:
        return
    blocks = code_blocks(text)
    number = 0
    position = 0
    while (match := _MARK.search(text, position)) is not None:
        while number < len(blocks) and blocks[number].end <= match.start():
            number += 1
        if number < len(blocks) and blocks[number].start <= match.start():
            position = blocks[number].end
            continue
        position = match.end()
        yield from _edits(text, match)


def _edits(text: str, match: re.Match[str]) -> Iterator[Edit]:
    kind, found, (start, end) = match.lastgroup, match.group(), match.span()
    if kind == "link":
        yield start, match.start("shown"), ""
        yield match.end("shown"), end, ""
    elif kind == "entity":
        plain = unescape(found).replace("\xa0", " ")
        if plain != found:
            yield start, end, plain
    elif kind == "block":
        yield start, end, " " if _CELL_TAG.match(found) else "\n"
    elif kind == "sign":
        yield match.start("emoji"), end, ""
    elif kind != "star" or _is_emphasis(text, start, end):
        yield start, end, match["address"] or ""


def _is_emphasis(text: str, start: int, end: int) -> bool:
    """Stars that open or close bold or italic words, also inside a word; not a bullet, a product or a power."""
    before, after = text[start - 1 : start], text[end : end + 1]
    opens, closes = bool(after) and not after.isspace(), bool(before) and not before.isspace()
    if not (opens or closes):
        return False
    if opens and closes and before.isalnum() and after.isalnum():
        inside = text[max(0, start - 2) : start], text[end : end + 2]
        return not (before.isdigit() or after.isdigit()) and all(len(part) == 2 for part in inside)
    return True


def code_blocks(text: str) -> list[Span]:
    """Fenced blocks that hold program code. A fence round prose is no reason to leave the prose unread."""
    if "```" not in text and "~~~" not in text:
        return []
    found: list[Span] = []
    opened: re.Match[str] | None = None
    for fence in _FENCED.finditer(text):
        if opened is None:
            opened = fence
        elif fence["ticks"] == opened["ticks"] and not fence["language"].strip():
            if is_code(text[opened.end() : fence.start()], opened["language"].strip()):
                found.append(Span(opened.start(), fence.end()))
            opened = None
    if opened is not None and is_code(text[opened.end() :], opened["language"].strip()):
        found.append(Span(opened.start(), len(text)))
    return found
