"""Common English verbs and their forms."""

from __future__ import annotations

from .patterns import word_list

BE = frozenset(word_list("be"))
AUXILIARY = BE | frozenset(word_list("auxiliary"))
BASES = frozenset(word_list("verbs_bases"))
_DOUBLED = frozenset(word_list("verbs_doubled"))


def _third(base: str) -> str:
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2] not in "aeou" else base + "s"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeou":
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if base in _DOUBLED else base + "ed"


_OWN = {base: forms for base, *forms in (verb.split("/") for verb in word_list("verbs_irregular"))}
_FORMS = {base: _OWN.get(base, [_past(base)] * 2) for base in BASES}
_SAME = frozenset(base for base, forms in _FORMS.items() if forms[0] == base)  # "cost", "put": the past tells nothing
THIRDS = frozenset(map(_third, BASES))
PASTS = frozenset(forms[0] for forms in _FORMS.values()) - _SAME
PARTICIPLES = frozenset(forms[1] for forms in _FORMS.values()) | frozenset(
    "born based located canceled travelled".split()
)
SURE_PASTS = (
    frozenset(past for past, participle in _FORMS.values() if past != participle)
    - _SAME
    - frozenset(("lay", "saw", "rose"))
)
"""Past forms that are no participle and no noun."""
SURE_THIRDS = frozenset(word_list("verbs_sure_thirds"))
"""Third persons that are no plural noun, or hardly ever one."""
_DENIALS = {
    **{base: f"do not {base}" for base in _FORMS},
    **{_third(base): f"does not {base}" for base in _FORMS},
    **{past: f"did not {base}" for base, (past, _) in _FORMS.items() if past != base},
}


def denied(verb: str) -> str | None:
    """A verb with "not": "does not open" for "opens". None if its forms are not known."""
    return _DENIALS.get(verb)


def asserted(helping: str, base: str) -> str | None:
    """A verb without "not": "opens" for "does not open". None if its forms are not known."""
    if base not in _FORMS:
        return None
    return {"do": base, "does": _third(base), "did": _FORMS[base][0]}.get(helping.lower().removesuffix("n't"))
