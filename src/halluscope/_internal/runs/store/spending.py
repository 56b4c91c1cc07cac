"""Cost per day, for daily budgets."""

from __future__ import annotations

from .database import Store


def spent_on(store: Store, day: str, name: str, more: float = 0.0) -> float:
    """Add `more` US dollars to a name and day. Returns the total."""
    with store.writing() as connection:
        if more:
            connection.execute(
                "INSERT INTO spending (day, name, dollars) VALUES (?, ?, ?) "
                "ON CONFLICT (day, name) DO UPDATE SET dollars = dollars + excluded.dollars",
                (day, name, more),
            )
        found = connection.execute("SELECT dollars FROM spending WHERE day = ? AND name = ?", (day, name)).fetchone()
        return 0.0 if found is None else float(found[0])
