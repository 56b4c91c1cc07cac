"""Each façade has what it says it has."""

from __future__ import annotations

from types import ModuleType

import pytest

from halluscope.compat import deepeval, mastra, opik, phoenix


@pytest.mark.parametrize("module", [mastra, opik, deepeval, phoenix])
def test_every_public_name_is_there(module: ModuleType) -> None:
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
