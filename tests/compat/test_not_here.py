"""What does not belong here is said with what to use instead, by the error and by the page."""

from __future__ import annotations

from importlib import import_module

import pytest

from halluscope.compat._facade import FACADES

from ..docs.pages import ROOT

PAGE = (ROOT / "docs" / "compat.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", FACADES)
def test_the_error_and_the_page_say_the_same(tool: str) -> None:
    facade = import_module(f"halluscope.compat.{tool}")
    for reason, names in FACADES[tool]["elsewhere"].items():
        assert reason in " ".join(PAGE.split()), reason
        for name in names.split():
            assert f"`{name}`" in PAGE, name
            with pytest.raises(ImportError, match=f"has no {name}: {reason[:20]}"):
                getattr(facade, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = facade.nonsense
