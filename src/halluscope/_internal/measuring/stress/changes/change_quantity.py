"""Words for how much and how many, turned into ones that exclude them."""

from __future__ import annotations

from random import Random

from .mutant import Edit
from .word_swaps import swapped, swaps

_N = r"(?= (?:about |around |roughly )?(?:[$€£]|[A-Z]{3} )?(?:\d|two|three|four|five|six|seven|eight|nine|ten|half|a ))"
_NO_NOUN = (
    "this his is was its us as less across various previous famous the of these those their her our your my but and or"
)
_PLURAL = rf"(?= (?!(?:{'|'.join(_NO_NOUN.split())})\b)(?:[a-z]{{3,}} )?[a-z]+[^s\W]s\b)"
# "The most of the three", "the 2 most recent ones": a superlative, no share.
_NO_SUPERLATIVE = (
    r"(?<!\bthe )(?<!\d )(?<!\btwo )(?<!\bthree )(?<!\bits )(?<!\bhis )(?<!\bher )(?<!their )(?<!\bour )(?<!your )"
)
_RULES: tuple[tuple[str, str], ...] = (
    (rf"\b(?<![Nn]o )(?<![Nn]ot )[Mm]ore than{_N}", "less than"),
    (rf"\b(?<![Nn]o )(?<![Nn]ot )(?:[Ll]ess|[Ff]ewer) than{_N}", "more than"),
    (rf"\b[Aa]t least{_N}", "less than"),
    (
        rf"\b(?:[Aa]t most|[Nn]o more than|[Nn]ot more than|(?<!go )(?<!goes )(?<!went )(?<!gone )[Uu]p to){_N}",
        "more than",
    ),
    (rf"\b[Oo]ver{_N}(?= \$?[\d,.]+)(?! [\d,.]+ (?:years|months|weeks|days|hours|minutes)\b)", "under"),
    (rf"\b[Uu]nder{_N}(?= \$?[\d,.]+)", "over"),
    (rf"\b[Aa]ll{_PLURAL}", "no"),
    (r"\b[Aa]ll of the\b", "none of the"),
    (rf"{_NO_SUPERLATIVE}\b[Mm]ost{_PLURAL}", "few"),
    (rf"{_NO_SUPERLATIVE}\b[Mm]ost of the\b", "few of the"),
    (rf"\b[Mm]any{_PLURAL}", "few"),
    (r"\b[Ff]ew of the\b", "most of the"),
    (rf"\b(?<![Aa] )[Ff]ew{_PLURAL}", "many"),
    (rf"\b[Ss]everal{_PLURAL}", "no"),
    (r"\b[Tt]he majority of\b", "a minority of"),
    (r"\balways\b", "never"),
    (r"\busually\b", "rarely"),
    (r"\boften\b", "seldom"),
    (r"\bfrequently\b", "seldom"),
    (r"\brarely\b", "often"),
    (r"\bincreased\b", "decreased"),
    (r"\bdecreased\b", "increased"),
    (r"\bdeclined\b(?! to\b)", "grew"),
    (r"\brose\b(?= (?:by|to|from|sharply|slightly|in))", "fell"),
    (r"\bfell\b(?= (?:by|to|from|sharply|slightly))", "rose"),
    (r"\bgrew\b(?= (?:by|to|from))", "shrank"),
    (r"\bhigher than\b", "lower than"),
    (r"\blower than\b", "higher than"),
    (r"\blarger than\b", "smaller than"),
    (r"\bsmaller than\b", "larger than"),
    (r"\bthe (?:largest|biggest)\b", "the smallest"),
    (r"\bthe smallest\b", "the largest"),
    (r"\bthe highest\b", "the lowest"),
    (r"\bthe lowest\b", "the highest"),
    (r"\bthe longest\b", "the shortest"),
    (r"\bthe oldest\b", "the newest"),
    (r"\bmaximum\b", "minimum"),
    (r"\bminimum\b", "maximum"),
    (r"\bdoubled\b", "halved"),
    (r"\bhalved\b", "doubled"),
    (r"\bthe most\b(?! (?:of|recent|part))", "the least"),
)
_SWAPS = swaps(_RULES)


def change_quantity(answer: str, context: str, rng: Random) -> Edit | None:
    """One such word in the answer."""
    return swapped(answer, _SWAPS, rng)
