"""Test cases: DeepEval's, and those of its Elixir port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, ClassVar, Union

from msgspec import Struct, structs

from ..._internal.core.case import Case
from ..._internal.core.errors import InputError, MissingParameters
from .._callables import refuse_unknown

_CONTEXTS = ("context", "retrieval_context")


class SingleTurnParams(str, Enum):
    """The fields of a test case, by the names that DeepEval's metrics list them under."""

    INPUT = "input"
    ACTUAL_OUTPUT = "actual_output"
    EXPECTED_OUTPUT = "expected_output"
    CONTEXT = "context"
    RETRIEVAL_CONTEXT = "retrieval_context"
    TOOLS_CALLED = "tools_called"
    EXPECTED_TOOLS = "expected_tools"


class ToolCall(Struct, kw_only=True):
    """A tool that the model called. It is kept with the test case and not judged."""

    name: str
    description: Any = None
    reasoning: Any = None
    output: Any = None
    input_parameters: Any = None


class Fields(Struct, kw_only=True):
    """What test cases, goldens and results of test cases have."""

    input: Any = None
    actual_output: Any = None
    expected_output: Any = None
    context: Any = None
    retrieval_context: Any = None
    name: str | None = None


class TestCase(Fields, frozen=True, kw_only=True):  # type: ignore[misc]
    """What was asked, what the model answered, and the context; `retrieval_context` is another name for it.

    Example:
        >>> TestCase(input="When?", actual_output="In 1921.", context=["It was in 1921."])
    """

    __test__: ClassVar[bool] = False

    tools_called: Any = None
    expected_tools: Any = None
    metadata: dict[str, Any] = {}
    tags: Any = None

    def __post_init__(self) -> None:
        _check(self)
        if self.retrieval_context is None and self.context is not None:
            structs.force_setattr(self, "retrieval_context", self.context)

    @classmethod
    def new(cls, **fields: Any) -> TestCase:
        """A test case from named fields."""
        refuse_unknown("a test case has no field", fields, cls.__struct_fields__)
        return cls(**fields)

    def get_retrieval_context(self) -> Any:
        """The context, under whichever name it was given."""
        return self.context if self.retrieval_context is None else self.retrieval_context

    def validate_params(self, required: Iterable[str]) -> None:
        """Raise `MissingParameters` where one of these has no value; both names of the context are one."""
        missing = missing_in(self, required)
        if missing:
            raise MissingParameters(missing, "the test case")


class LLMTestCase(Fields, kw_only=True):
    """DeepEval's test case. `context` is what should be so, `retrieval_context` what was retrieved.

    Example:
        >>> LLMTestCase(input="When?", actual_output="In 1921.", retrieval_context=["It was in 1921."])
    """

    __test__: ClassVar[bool] = False

    input: Any
    metadata: dict[str, Any] | None = None
    additional_metadata: dict[str, Any] | None = None
    tools_called: Any = None
    expected_tools: Any = None
    comments: str | None = None
    token_cost: float | None = None
    completion_time: float | None = None
    tags: Any = None

    def __post_init__(self) -> None:
        for name in _CONTEXTS:
            given = getattr(self, name)
            if isinstance(given, str):
                raise InputError(f"the {name} of a test case is a list of texts: pass [{given[:20]!r}, …].")
        _check(self)


AnyCase = Union[TestCase, LLMTestCase]


def case_of(test_case: object) -> AnyCase:
    """The test case, from an object of ours or of DeepEval's, or from a dictionary of its fields."""
    if isinstance(test_case, (TestCase, LLMTestCase)):
        return test_case
    if isinstance(test_case, Mapping):
        return TestCase.new(**test_case)
    if hasattr(test_case, "input") and hasattr(test_case, "actual_output"):  # DeepEval's own
        former = {"additional_metadata"} if hasattr(test_case, "metadata") else set()
        held = {name: getattr(test_case, name, None) for name in LLMTestCase.__struct_fields__ if name not in former}
        return LLMTestCase(**held)
    raise InputError(f"a {type(test_case).__name__} is no test case: pass a TestCase.")


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
