"""Money that was spent in a day, for budgets that outlive a process."""

from __future__ import annotations

from .database import Store
from .integrity import intact, must_be_intact, sealing


def spent_on(store: Store, day: str, name: str, more: float = 0.0) -> float:
    """US dollars spent under a name on a day, `more` of them now."""
    with store.writing() as connection:
        if more:
            connection.execute(
                "INSERT INTO spending (day, name, dollars) VALUES (?, ?, ?) "
                "ON CONFLICT (day, name) DO UPDATE SET dollars = dollars + excluded.dollars",
                (day, name, more),
            )
            connection.execute(f"{sealing('spending')} WHERE day = ? AND name = ?", (day, name))
        found = connection.execute(
            f"SELECT {intact('spending')}, dollars FROM spending WHERE day = ? AND name = ?",  # noqa: S608
            (day, name),
        ).fetchone()
        must_be_intact(found is None or found[0], what="what was spent in a day")
        return 0.0 if found is None else float(found[1])
