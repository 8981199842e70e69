"""Requests that the OpenAPI document allows, and near misses of them, drawn by Schemathesis.

Nothing is answered by a server error, by a status or media type that the document does not name, or
in another shape. ``make test-slow`` draws 10,000 and more; here each operation gets a few.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import checks

from tests.api.http.described import describe_service
from tests.conftest import copy_home
from tests.serving import serve_program
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
PATHS = describe_service()["paths"]
OPERATIONS = sorted(f"{method.upper()} {path}" for path, item in PATHS.items() for method in item)
#: What there is to name, once the service runs.
KNOWN: dict[str, str] = {}


@pytest.fixture(scope="module")
def api_schema(tmp_path_factory: pytest.TempPathFactory, migrated_home: Path) -> Iterator[Any]:
    """The document of a running service that keeps a document, a verification and its receipt.

    A process of its own: threads of the service draw random numbers, which Hypothesis forbids
    beside its strategies.
    """
    folder = tmp_path_factory.mktemp("drawn")
    copy_home(migrated_home, folder / "home")
    with (
        serve_program(folder) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        put = client.put("/v1/documents", params={"doc_id": "agreement"}, content=make_pdf())
        citation = {"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE}}
        answer = {"answer": f"{SENTENCE} [1].", "citations": [citation]}
        made = client.post("/v1/verifications", json=answer)
        KNOWN.update(ref=put.json()["doc_hash"], verification_id=made.json()["verification_id"])
        yield schemathesis.openapi.from_url(f"{address}/openapi.json")


@schemathesis.serializer(
    "application/pdf", "application/x-ndjson", "application/vnd.apache.parquet"
)
def send_bytes(_context: Any, value: Any) -> bytes:
    """A body that is a file is sent as it was drawn."""
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@schemathesis.hook
def map_path_parameters(_context: Any, path_parameters: dict[str, Any] | None) -> Any:
    """Every second request names what there is: else nearly all would be 404."""
    drawn = json.dumps(path_parameters, sort_keys=True, default=str).encode()
    if path_parameters and hashlib.sha256(drawn).digest()[0] % 2:
        return {name: KNOWN.get(name, value) for name, value in path_parameters.items()}
    return path_parameters


def draw_requests(schema: Any, operation: str, count: int) -> None:
    """Send as many requests of one operation as are asked for, each held against the document."""
    method, path = operation.split(" ")

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy())
    def send(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(checks=CHECKS)

    send()


@pytest.mark.long
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_few_requests_of_each_operation(api_schema: Any, operation: str) -> None:
    draw_requests(api_schema, operation, 5)


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
def test_ten_thousand_requests(api_schema: Any, operation: str) -> None:
    draw_requests(api_schema, operation, 10_000 // len(OPERATIONS) + 1)
