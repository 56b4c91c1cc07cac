"""Whether the embedded judge can read a text at all.

Its model has read English prose. A verdict on Polish, on source code or on a grid of bare numbers would be
a guess in the shape of a score, so such a text is named for what it is. The test leans towards judging:
a name, a number or three words are never enough to call a text foreign.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from ...text import fold, raw_words, words
from .code import is_code, is_code_line, is_dense_code
from .readable import Readable, Statement, readable

__all__ = ["Readable", "Statement", "language_of", "readable", "unjudgeable"]

_PROFILES: dict[str, frozenset[str]] = {
    name: frozenset(profile.split())
    for name, profile in {
        "English": "the of and to in a is was for that on with as it by at from are be this were which an or "
        "has have not "
        "their its but they he she his her had been can will would who what when there we you i if about more",
        "German": "der die das und ist nicht ein eine von zu mit den im für auf dem des sich als auch es an "
        "werden aus er hat "
        "dass sie nach wird bei einer um am sind noch wie einem über so zum war haben nur oder aber vor zur bis",
        "French": "le la les et est pas un une de du des en que qui dans pour sur au avec il elle ce cette "
        "par plus ne se sont "
        "été aux mais ou où nous vous ils son sa ses leur comme tout était fait très",
        "Spanish": "el la los las y es no un una de del en que por para con su sus al lo como más pero fue "
        "son este esta está "
        "entre cuando muy también hasta desde ser ha han era sin sobre año años todo nos",
        "Italian": "il lo la gli le e è non un una di del della dei delle in che per con su al alla sono come "
        "più ma anche nel "
        "nella si da dal questo questa era stato ha hanno essere tra quando molto ed degli",
        "Portuguese": "o os as e é não um uma de do da dos das em no na que por para com seu sua ao mais mas "
        "foi são este esta "
        "como entre quando muito também até ser há nos nas pelo pela está",
        "Dutch": "de het een en van in is dat op te zijn met voor niet aan er om ook als bij maar door naar "
        "uit nog wordt hij "
        "werd heeft ze deze over tot hebben kan dan hun meer onder",
        "Swedish": "och att det som en på är av för med den till inte har ett om var jag men från så vi de "
        "kan när han hon sin "
        "efter vid över eller också under mycket skulle",
        "Danish": "og at det som en på er af for med den til ikke har et om var jeg men fra så vi de kan når "
        "han hun sin efter "
        "ved over eller også under meget blev",
        "Norwegian": "og at det som en på er av for med den til ikke har et om var jeg men fra så vi de kan "
        "når han hun sin etter "
        "ved over eller også under mye ble",
        "Finnish": "ja on ei se että oli hän ovat mutta kun niin myös tai joka sen jos vain mukaan sekä hänen "
        "ole ovat vuonna kuin",
        "Polish": "i w na z do nie się że jest to jak o po od za dla przez jego był była są oraz ale czy tym "
        "który która które "
        "co przy ma tylko już może",
        "Czech": "a v na je se že s z do to o k i jako ve po pro jsou za by byl byla od ale který která které "
        "podle až při nebo jeho",
        "Hungarian": "a az és hogy nem is egy ez volt van meg de csak már mint vagy ki el még azt kell lesz "
        "szerint után",
        "Romanian": "și de la în a cu pe nu un o este că din pentru mai ce sau fi au care lui sunt prin după "
        "fost ca se",
        "Turkish": "ve bir bu da de için ile olarak çok daha olan gibi en sonra kadar ne var değil ise ama o "
        "olduğu tarafından",
        "Indonesian": "dan yang di dengan untuk dari ini pada adalah tidak dalam akan itu oleh sebagai juga "
        "ke karena ada atau "
        "mereka lebih telah bisa tahun",
        "Vietnamese": "và là của có được cho không các trong một với người này đã những khi đến về từ như",
    }.items()
}
_SCRIPTS = {
    "CYRILLIC": "the Cyrillic script",
    "GREEK": "the Greek script",
    "ARABIC": "the Arabic script",
    "HEBREW": "the Hebrew script",
    "DEVANAGARI": "the Devanagari script",
    "BENGALI": "the Bengali script",
    "TAMIL": "the Tamil script",
    "TELUGU": "the Telugu script",
    "THAI": "the Thai script",
    "HANGUL": "Korean",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "CJK": "Chinese characters",
    "GEORGIAN": "the Georgian script",
    "ARMENIAN": "the Armenian script",
    "ETHIOPIC": "the Ethiopic script",
    "KHMER": "the Khmer script",
    "MYANMAR": "the Burmese script",
    "SINHALA": "the Sinhala script",
}

_SAMPLE = 20_000
_FEWEST_LETTERS = 4
_FEWEST_WORDS = 7
_FEWEST_HITS = 3

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


def language_of(text: str) -> str | None:
    """The language of a text in Latin letters, where enough of it is there to tell; else None."""
    tokens = words(text[:_SAMPLE])
    if len(tokens) < _FEWEST_WORDS:
        return None
    # Accents are folded in words(); the profiles are folded the same way.
    hits = _hits(Counter(tokens))
    best = max(hits, key=lambda name: (hits[name], name == "English"))
    return best if hits[best] >= _FEWEST_HITS else None


def _fold_profile(profile: frozenset[str]) -> frozenset[str]:
    return frozenset(word for entry in profile for word in words(entry))


_FOLDED = {name: _fold_profile(profile) for name, profile in _PROFILES.items()}
_ENGLISH = _FOLDED["English"]
_LANGUAGES = {
    word: tuple(name for name, profile in _FOLDED.items() if word in profile)
    for word in frozenset().union(*_FOLDED.values())
}
"""The languages that each word of the profiles is common in."""


def _foreign(text: str) -> str | None:
    script = _script(text)
    if script:
        return f"The text is written in {script}; the embedded judge reads English only."
    tokens = raw_words(text)
    if len(tokens) < _FEWEST_WORDS:
        return None
    # Names bring their own particles ("José de la Cruz"): capitalised words do not count, and few do not suffice.
    counts = Counter(fold(word) for word in tokens if word[0].islower())
    hits = _hits({word: count for word, count in counts.items() if word not in _ENGLISH})
    name = max(hits, key=lambda name: hits[name])
    if name == "English" or hits[name] <= _FEWEST_HITS or hits[name] < 0.12 * len(tokens):
        return None
    if hits[name] > 2 * sum(counts[word] for word in _ENGLISH - _FOLDED[name]):
        return f"The text seems to be written in {name}; the embedded judge reads English only."
    return None


def _hits(counts: Mapping[str, int]) -> dict[str, int]:
    """How many of the words are among the commonest of each language."""
    hits = dict.fromkeys(_FOLDED, 0)
    for word, count in counts.items():
        for name in _LANGUAGES.get(word, ()):
            hits[name] += count
    return hits


def _script(text: str) -> str | None:
    """The script most letters are in, where it is not Latin."""
    other: Counter[str] = Counter()
    for char in _NOT_ASCII.findall(text):
        script = unicodedata.name(char, "").split(" ")[0].split("-")[0] if char.isalpha() else ""
        if script in _SCRIPTS:
            other[_SCRIPTS[script]] += 1
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
