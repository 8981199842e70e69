"""Fixtures of the doors: settings in a fresh home, the running application, a document in it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from spanproof.api.http.app import create_app
from tests.api.access import Guarded, make_open_settings, run_guarded
from tests.builders import ScriptedModel
from tests.conftest import copy_home, make_settings
from tests.sources import SENTENCE, make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Unpack

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.assembly import GivenParts
    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings


@pytest.fixture
def client(settings: Settings, warm_parser: Parser) -> Iterator[TestClient]:
    """The application, started; a scripted model judges, everything else is real."""
    with run_client(settings, parser=warm_parser) as client:
        yield client


@contextmanager
def run_application(settings: Settings, parts: GivenParts | None = None) -> Iterator[TestClient]:
    """A client of the application with these settings and parts; the others are real."""
    application = create_app(settings, parts=parts)
    with TestClient(application, "http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


@contextmanager
def run_client(settings: Settings, **given: Unpack[GivenParts]) -> Iterator[TestClient]:
    """The same, where a scripted model judges if no other is given."""
    parts: GivenParts = {"model": ScriptedModel(), **given}
    with run_application(settings, parts) as client:
        yield client


def context_of(client: TestClient) -> Context:
    """The context of a started application."""
    context: Context = client.app.state.context  # type: ignore[attr-defined]
    return context


@pytest.fixture
def document(client: TestClient) -> dict[str, Any]:
    """A PDF of three lines that the application keeps."""
    return keep_document(client)


@pytest.fixture(scope="module")
def shared_client(
    tmp_path_factory: pytest.TempPathFactory, migrated_home: Path, warm_parser: Parser
) -> Iterator[TestClient]:
    """One application for those tests of a module to which it is all the same who asked before."""
    home = copy_home(migrated_home, tmp_path_factory.mktemp("shared") / "home")
    with run_client(make_settings(home), parser=warm_parser) as client:
        yield client


@pytest.fixture(scope="module")
def shared_document(shared_client: TestClient) -> dict[str, Any]:
    """The PDF of three lines, which the shared application keeps."""
    return keep_document(shared_client)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[Guarded]:
    """One application that asks for keys, for the tests of a module."""
    home = tmp_path_factory.mktemp("access") / "home"
    with run_guarded(make_open_settings(home), warm_parser) as opened:
        opened.make_key("default")
        yield opened


def keep_document(client: TestClient) -> dict[str, Any]:
    """Have the application keep a PDF of three lines."""
    response = client.put("/v1/documents", params={"doc_id": "agreement"}, content=make_pdf())
    assert response.status_code == 201, response.text
    row: dict[str, Any] = response.json()
    return row


def make_answer(document: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """An answer that cites the document's first sentence; ``changes`` go into the citation."""
    citation = {
        "anchor": 1,
        "doc_hash": document["doc_hash"],
        "span": {"text": SENTENCE, "char_start": 0, "char_end": len(SENTENCE)},
    }
    return {
        "answer": "Defective goods are replaced within four business days [1].",
        "citations": [citation | changes],
    }


def post_answer(client: TestClient, answer: Any) -> Any:
    """Post it as JSON bytes."""
    return client.post("/v1/verifications", content=json.dumps(answer).encode())


def check_problem(response: Any, status: int, code: str) -> dict[str, Any]:
    """The response is a problem document of this status and code, and tells nothing else."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert set(problem) == {
        "type",
        "title",
        "status",
        "detail",
        "instance",
        "request_id",
        "code",
        "hint",
        "errors",
    }
    assert problem["code"] == code
    assert problem["type"] == "urn:spanproof:problem:" + code.lower().replace("_", "-")
    assert problem["status"] == status
    assert problem["request_id"] == response.headers["x-request-id"]
    assert problem["detail"]
    assert problem["hint"]
    assert "Traceback" not in response.text
    assert "site-packages" not in response.text
    return problem
