"""Changing answers: all kinds of changes, and applying them."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from ...core.case import Case
from ...core.errors import UnknownName
from ...core.plumbing.public import public
from .changes.add_sentence import add_sentence
from .changes.caution import surely_untrue
from .changes.change_date import change_date
from .changes.change_name import change_name
from .changes.change_number import change_number
from .changes.change_unit import change_unit
from .changes.harmless import greet, reorder, rewrite_date, rewrite_number
from .changes.mutant import Edit, Mutant, Perturbation, applied, fair
from .changes.negation import negate
from .changes.swap_roles import swap_roles
from .changes.word_swaps import change_order, change_quantity

HARMFUL: dict[str, Perturbation] = {
    "numbers": change_number,
    "dates": change_date,
    "names": change_name,
    "roles": swap_roles,
    "negation": negate,
    "units": change_unit,
    "quantities": change_quantity,
    "order": change_order,
    "added": add_sentence,
}
"""Changes after which the context does not support the answer."""

HARMLESS: dict[str, Perturbation] = {
    "reordered": reorder,
    "greeting": greet,
    "numbers rewritten": rewrite_number,
    "dates rewritten": rewrite_date,
}
"""Changes that keep the meaning."""

KINDS = (*HARMFUL, *HARMLESS)

_TRIES = 8
"""How often to try another position if a change is not valid."""


@public
def mutants(case: Case, *, kinds: Iterable[str] | None = None, seed: int = 0) -> list[Mutant]:
    """Change the answer of a case, once for each kind of change that is possible.

    Args:
        case: The case, whose answer should be correct.
        kinds: Kinds of changes. By default all.
        seed: The same seed gives the same changes.

    Returns:
        The changed answers.

    Raises:
        UnknownName: There is no such kind of change.

    Example:
        >>> case = Case.of("It closed in 1921.", ["The mill closed in 1921."])
        >>> mutants(case, kinds=["dates"])[0].what
        "'1921' became '1918'"
    """
    made = []
    for kind in chosen(kinds):
        mutant = change(case, kind, seed)
        if mutant is not None:
            made.append(mutant)
    return made


def change(case: Case, kind: str, seed: int = 0) -> Mutant | None:
    """Change the answer of a case. Returns None if no valid change is possible."""
    harmless = kind in HARMLESS
    perturbation = HARMLESS[kind] if harmless else HARMFUL[kind]
    context = "\n".join(case.context or ())
    rng = Random(f"{seed} {kind} {case.output} {context}")
    for _ in range(_TRIES):
        edit = perturbation(case.output, context, rng)
        if edit is None:
            return None
        if harmless or (fair(case.output, context, edit) and surely_untrue(kind, case.output, context, edit)):
            return _mutant(case, kind, edit, harmless)
    return None


def _mutant(case: Case, kind: str, edit: Edit, harmless: bool) -> Mutant:
    return Mutant(
        kind=kind,
        output=applied(case.output, edit),
        start=edit.start,
        end=edit.start + len(edit.word) if edit.word else edit.end,
        before=edit.word or case.output[edit.start : edit.end],
        after=edit.new or edit.after,
        harmless=harmless,
    )


def chosen(kinds: Iterable[str] | None) -> tuple[str, ...]:
    """Validate kinds of changes. Returns all by default."""
    if kinds is None:
        return KINDS
    wanted = [kinds] if isinstance(kinds, str) else list(kinds)
    for kind in wanted:
        if kind not in KINDS:
            raise UnknownName("kind of change", kind, KINDS)
    return tuple(kind for kind in KINDS if kind in wanted)
