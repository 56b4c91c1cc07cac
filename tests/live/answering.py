"""What the tests of live scoring share: a store, a judge that has nothing against anything, and what was scored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from halluscope import Case, Result, Store
from halluscope.judges import ScriptedJudge
from halluscope.live import Live

FACT = "The tower is 300 metres high."


def content(question: Any) -> Any:
    """One claim, and it holds."""
    if question.kind == "extract":
        return {"claims": [question.output]}
    if question.kind == "verify":
        return {"verdicts": [{"id": c.id, "statement": c.text, "verdict": "no"} for c in question.claims]}
    return {"reason": "All is well."}


class Scored(list[tuple[Result, Case]]):
    """The results with their cases, as they came."""

    def __init__(self, folder: Path, judge: Any = None, **options: Any) -> None:
        super().__init__()
        self.store = Store(folder / "live.db")
        self.live = Live(judge=judge or ScriptedJudge(content), store=self.store, on_result=self.take, **options)

    def take(self, result: Result, case: Case) -> None:
        self.append((result, case))

    def cases(self) -> list[Case]:
        """The cases that were scored, after all that was answered so far."""
        assert self.live.flush(30)
        return [case for _, case in self]

    def only(self) -> Case:
        (case,) = self.cases()
        return case


Answered = Callable[[], Any]
