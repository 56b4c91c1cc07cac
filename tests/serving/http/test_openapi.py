"""The description of the server is true, and nothing that can be made from it ends in an error of ours."""

from __future__ import annotations

from typing import Any

import pytest
import requests
import schemathesis
import schemathesis.specs.openapi.schemas  # noqa: F401  # in a test, the stack is too deep to rewrite its modules
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from ...helpers.serving import Served

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 12
"""Requests for each operation, right ones and wrong ones each."""


@pytest.fixture(scope="module")
def schema(served: Served) -> Any:
    return schemathesis.openapi.from_url(f"{served.url}/openapi.json")


def test_every_route_is_described(served: Served, schema: Any) -> None:
    paths = schema.raw_schema["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert described == {(operation.method, operation.path) for operation in served.application.operations}


@pytest.mark.slow("sends hundreds of generated requests")
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_nothing_made_from_the_description_is_an_error_of_ours(served: Served, schema: Any, mode: Any) -> None:
    called = 0
    with requests.Session() as session:
        for found in schema.get_all_operations():
            operation = found.ok()
            takes = bool(operation.body or operation.query)
            if not takes and mode is GenerationMode.NEGATIVE:
                continue  # nothing that could be wrong about it

            @settings(
                max_examples=EXAMPLES if takes else 2,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.explicit, Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(mode))
            def call(case: Any) -> None:
                nonlocal called
                called += 1
                case.call_and_validate(session=session, headers=served.headers, checks=CHECKS)

            call()
    assert called > EXAMPLES
