"""Test cases: DeepEval's, and those of its Elixir port."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Union

from msgspec import Struct, structs

from ..._internal.case import Case
from ..._internal.errors import InputError, MissingParameters

_CONTEXTS = ("context", "retrieval_context")


class ToolCall(Struct, kw_only=True):
    """A tool that the model called. It is kept with the test case and not judged."""

    name: str
    description: Any = None
    reasoning: Any = None
    output: Any = None
    input_parameters: Any = None


class TestCase(Struct, frozen=True, kw_only=True):
    """What was asked, what the model answered, and the context; `retrieval_context` is another name for it."""

    __test__: ClassVar[bool] = False

    input: Any = None
    actual_output: Any = None
    context: Any = None
    retrieval_context: Any = None
    expected_output: Any = None
    tools_called: Any = None
    expected_tools: Any = None
    metadata: dict[str, Any] = {}
    name: str | None = None
    tags: Any = None

    def __post_init__(self) -> None:
        _check(self)
        if self.retrieval_context is None and self.context is not None:
            structs.force_setattr(self, "retrieval_context", self.context)

    @classmethod
    def new(cls, **fields: Any) -> TestCase:
        """A test case from named fields."""
        unknown = [name for name in fields if name not in cls.__struct_fields__]
        if unknown:
            known = ", ".join(cls.__struct_fields__)
            raise InputError(f"a test case has no field {unknown[0]!r}; it takes: {known}.")
        return cls(**fields)

    def get_retrieval_context(self) -> Any:
        """The context, under whichever name it was given."""
        return self.context if self.retrieval_context is None else self.retrieval_context

    def validate_params(self, required: Iterable[str]) -> None:
        """Raise `MissingParameters` where one of these has no value; both names of the context are one."""
        missing = missing_in(self, required)
        if missing:
            raise MissingParameters(missing, "the test case")


class LLMTestCase(Struct, kw_only=True):
    """DeepEval's test case. `context` is what should be so, `retrieval_context` what was retrieved."""

    __test__: ClassVar[bool] = False

    input: Any
    actual_output: Any = None
    expected_output: Any = None
    context: Any = None
    retrieval_context: Any = None
    metadata: dict[str, Any] | None = None
    additional_metadata: dict[str, Any] | None = None
    tools_called: Any = None
    expected_tools: Any = None
    comments: str | None = None
    token_cost: float | None = None
    completion_time: float | None = None
    name: str | None = None
    tags: Any = None

    def __post_init__(self) -> None:
        for name in _CONTEXTS:
            given = getattr(self, name)
            if isinstance(given, str):
                raise InputError(f"the {name} of a test case is a list of texts: pass [{given[:20]!r}, …].")
        _check(self)


AnyCase = Union[TestCase, LLMTestCase]


def missing_in(case: AnyCase, required: Iterable[str]) -> list[str]:
    """The fields of these that hold nothing."""
    return [
        name for name in required if not any(_given(case, n) for n in (_CONTEXTS if name in _CONTEXTS else (name,)))
    ]


def passages_in(case: AnyCase, preferred: str) -> tuple[str, ...]:
    """The passages of the context that hold text, by the name that the metric goes by, or by the other."""
    first, second = _CONTEXTS if preferred == "context" else _CONTEXTS[::-1]
    held = getattr(case, second) if getattr(case, first) is None else getattr(case, first)
    return tuple(text for _, text in Case.of("", held).passages)


def metadata_of(case: AnyCase) -> dict[str, Any]:
    """The metadata, under whichever name it was given."""
    return dict(case.metadata or getattr(case, "additional_metadata", None) or {})


def _given(case: AnyCase, name: str) -> bool:
    value = getattr(case, name, None)
    if name in _CONTEXTS:
        return value is not None and bool(Case.of("", value).passages)
    return value is not None and not (isinstance(value, str) and not value.strip())


def _check(case: AnyCase) -> None:
    if not _given(case, "input"):
        raise MissingParameters(["input"], "the test case")
    for name in _CONTEXTS:
        Case.of("", getattr(case, name))
