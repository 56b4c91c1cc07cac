"""Program code, told from prose."""

from __future__ import annotations

import re

_CODE_LINE = re.compile(
    r"^\s*(?:"
    r"(?:def|class|import|from|return|public|private|protected|static|const|let|var|function|fn|func|impl|struct|enum"
    r"|package|using|namespace|if|for|while|else|elif|try|except|catch|switch|case)\b.*[:{};()]\s*$"
    r"|import\s+[\w.]+(?:\s+as\s+\w+)?$|from\s+[\w.]+\s+import\s+.+$|#include\s*[<\"].*"
    r"|[})\]]+[;,]?$|return\b[^.]*;?$|@\w+(?:\(.*\))?$"
    r"|[\w.\[\]>-]+\s*(?:=|\+=|-=|:=|=>)\s*[^=].*|[\w.]+\(.*\)\s*[;{:]?$|.*[;{]\s*$"
    r"|\s*//.*|\s*</?\w+[^>]*>.*$|\$\s\w+.*"
    r"|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\s.*)$"
)
_CODE_END = re.compile(r"[;{}]\s*$")
_CODE_SIGN = re.compile(r"[(){}\[\]=<>+*/;&|!]")
_STATEMENT = re.compile(r"\s*(?:return|break|continue|import|using|let|const|var)\b[^.,]*;\s*$")
_PROSE_LINE = re.compile(r"[^\W\d_]{2,}(?:\s+[^\W\d_]{2,}){4,}")
_SENTENCE = re.compile(r"[A-Z“][^=;{}<>|\\]*\s[^=;{}<>|\\]*\s[^=;{}<>|\\]*[.!?]\W*$")
_REMARK = re.compile(r"\s*(?:#+|//+|--|/?\*+|;+|<!--)\s*")
_TEXT = frozenset(("", "text", "txt", "plain", "plaintext", "markdown", "md", "none", "output", "answer"))


def is_code_line(line: str) -> bool:
    """Whether a line reads as code and not as prose."""
    bare = line.strip()  # a run of blanks before the pattern takes time with its square, and more
    return _CODE_LINE.match(bare) is not None and _PROSE_LINE.match(bare) is None


def is_dense_code(line: str) -> bool:
    """Whether a line alone is code beyond doubt: it ends as code does and is thick with its signs."""
    ended = _CODE_END.search(line)
    return ended is not None and (len(_CODE_SIGN.findall(line)) >= 0.1 * len(line) or bool(_STATEMENT.match(line)))


def is_code(block: str, language: str = "") -> bool:
    """Whether a fenced block is code all through: no line of it is a sentence, and it says so or looks so."""
    lines = [line for line in block.splitlines() if line.strip()]
    code = sum(map(is_code_line, lines))
    for line in lines:
        remark = _REMARK.match(line)
        # A remark beside code is about the code; remarks alone are prose in disguise.
        if remark is None or not code:
            stated = line[remark.end() :] if remark else line.strip()
            if _SENTENCE.match(stated) and not is_dense_code(line):
                return False
    name = language.split(" ")[0].lower()
    return 2 * code >= len(lines) if name in _TEXT else name != "json"
