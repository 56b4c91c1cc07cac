"""Whether the embedded judge can read a text at all.

Its model has read English prose. A verdict on Polish, on source code or on a grid of bare numbers would be
a guess in the shape of a score, so such a text is named for what it is. The test leans towards judging:
a name, a number or three words are never enough to call a text foreign.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from ....text import STOP_WORDS, raw_words
from ....text.verb_forms import PASTS
from ..phrases import words

_NAMES = dict(sorted(name.split("/") for name in words("languages")))
"""Languages in Latin letters that are told apart. Fewer of them are told apart better."""
_ENGLISH = words("english") | {past for past in PASTS if past.endswith("ed") and len(past) > 5}
"""Common English words that are words of hardly any other language."""
_PARTICLES = words("name_particles")
"""Words of names ("José de la Cruz"), which tell no language."""
_SCRIPTS = {"HANGUL": "Korean", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "CJK": "Chinese characters"}
"""Scripts of one language by its name; all others by their own, as the names of their letters begin."""
_LATIN = frozenset(("LATIN", "FULLWIDTH", "MATHEMATICAL", "MODIFIER", "FEMININE", "MASCULINE", "MICRO", ""))

_SAMPLE = 20_000
_FEWEST_LETTERS = 4
_ENGLISH_SHARE = 8
"""One of so many words in lower case is plain English in an English text."""
_FEWEST_WORDS = 3
_FEW_WORDS = 3
_SURE = {True: 0.87, False: 0.45}
"""The probability from which a text is taken to be in another language, for few words and for more."""
_NOT_ENGLISH = 0.06

_FENCED = re.compile(r"(?:```|~~~)[^\n]*\n(.*?)(?:```|~~~|\Z)", re.DOTALL)
_MOSTLY_CODE = "The text is mostly program code; the embedded judge reads prose."
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_CELL = re.compile(r"(?:^|[\s|;,])-?\d[\d.,%]*(?=$|[\s|;,])")


@lru_cache(maxsize=64)  # the same passages are asked about for every question of a case
def unjudgeable(text: str) -> str | None:
    """A plain sentence saying why this text cannot be judged, or None when it can."""
    sample = text[:_SAMPLE]
    return _foreign(sample) or _code(sample) or _grid(sample)


def _foreign(text: str) -> str | None:
    script = _script(text)
    if script:
        return f"The text is written in {script}; the embedded judge reads English only."
    read = text.lower() if text.isupper() else text
    tokens = raw_words(read)
    if len(tokens) < _FEWEST_WORDS:
        return None
    plain = [word for word in tokens if word[0].islower()]
    if sum(word.lower() in _ENGLISH for word in tokens) * _ENGLISH_SHARE >= max(1, len(plain)):
        return None  # without asking further: what is plainly English pays for nothing
    if _PARTICLES.union(STOP_WORDS).issuperset(plain):
        return None
    name, sure, english = language_of(read)
    if name == "English" or english >= _NOT_ENGLISH or sure < _SURE[len(tokens) <= _FEW_WORDS]:
        return None
    return f"The text seems to be written in {name}; the embedded judge reads English only."


class Language(NamedTuple):
    """The likeliest language of a text, how likely it is, and how likely English is."""

    name: str
    probability: float
    english: float


def language_of(text: str) -> Language:
    """The language of a text in Latin letters. Of a name or a number it means nothing."""
    ranked = _identifier().rank(text[:_SAMPLE])
    code, probability = ranked[0]
    return Language(_NAMES[code], float(probability), float(dict(ranked)["en"]))


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(_NAMES))
    return identifier


def _script(text: str) -> str | None:
    """The script most letters are in, where it is not Latin."""
    other: Counter[str] = Counter()
    for char in _NOT_ASCII.findall(text):
        script = unicodedata.name(char, "").split(" ")[0].split("-")[0] if char.isalpha() else ""
        if script not in _LATIN:
            other[_SCRIPTS.get(script, f"the {script.title()} script")] += 1
    total = sum(other.values())
    if total < _FEWEST_LETTERS or 2 * total <= sum(map(str.isalpha, text)):
        return None
    if "Japanese" in other and other["Japanese"] * 10 >= total:
        return "Japanese"
    return other.most_common(1)[0][0]


def _code(text: str) -> str | None:
    fenced = sum(len(match.group(1)) for match in _FENCED.finditer(text) if is_code(match.group(1)))
    if fenced >= 40 and fenced >= 0.7 * len(text.strip()):
        return _MOSTLY_CODE
    lines = [line for line in _FENCED.sub("", text).splitlines() if line.strip()]
    if not lines or text.lstrip()[:1] in "{[":
        return None
    if len(lines) < 3:
        return _MOSTLY_CODE if all(map(is_dense_code, lines)) else None
    code = sum(map(is_code_line, lines))
    return _MOSTLY_CODE if code >= 3 and code >= 0.6 * len(lines) else None


def _grid(text: str) -> str | None:
    """A table of numbers without the words that would say what they are."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 3:
        return None
    digits = len(_DIGIT.findall(text))
    if 3 * sum(1 for _ in islice(_LETTER.finditer(text), digits)) >= digits:
        return None
    columns = sum(1 for line in lines if len(_CELL.findall(line)) >= 3)
    if columns >= 0.7 * len(lines):
        return "The text is a table of numbers without headings; the embedded judge cannot tell what they are."
    return None


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
