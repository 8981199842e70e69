from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.document import ChunkListOut
from spanproof.core.digest import Digest
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


@pytest.fixture
def client(shared_client: TestClient) -> TestClient:
    """These tests only read, or add what no other looks at: one application is enough."""
    return shared_client


@pytest.fixture
def document(shared_document: dict[str, Any]) -> dict[str, Any]:
    return shared_document


@pytest.fixture
def path(document: dict[str, Any]) -> str:
    return f"/v1/documents/{document['doc_id']}/chunks"


def test_chunks_are_slices_of_the_canonical_text(
    client: TestClient, document: dict[str, Any], path: str
) -> None:
    text = client.get(f"/v1/documents/{document['doc_hash']}/text").text
    answer = client.get(path, params={"max_characters": 60, "overlap": 10, "text": "true"}).json()
    ChunkListOut.model_validate(answer, strict=True)
    assert answer["extraction_id"] == document["extraction_id"]
    assert answer["total"] == len(answer["chunks"]) > 2
    for row in answer["chunks"]:
        said = text[row["char_start"] : row["char_end"]]
        assert row["text"] == said
        assert row["text_sha256"] == str(Digest.of(said.encode()))
        assert row["doc_id"] == "agreement"
        assert len(said) <= 60


def test_the_text_is_given_where_it_is_asked_for(client: TestClient, path: str) -> None:
    assert "text" not in client.get(path).json()["chunks"][0]


def test_pages_lead_to_all_chunks(client: TestClient, path: str) -> None:
    query: dict[str, Any] = {"max_characters": 40, "by": "structure"}
    whole = client.get(path, params=query).json()
    found = []
    cursor: str | None = None
    while True:
        page = client.get(
            path, params=query | {"limit": 2} | ({"cursor": cursor} if cursor else {})
        )
        found += page.json()["chunks"]
        cursor = page.json()["next_cursor"]
        if cursor is None:
            break
    assert found == whole["chunks"]
    assert len(found) > 3


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"by": "tokens"}, "MALFORMED_PARAMETER"),
        ({"max_characters": 5}, "MALFORMED_PARAMETER"),
        ({"overlap": -1}, "MALFORMED_PARAMETER"),
        ({"max_characters": 100, "overlap": 51}, "MALFORMED_INPUT"),
        ({"cursor": "7"}, "MALFORMED_PARAMETER"),
        ({"limit": 0}, "MALFORMED_PARAMETER"),
        ({"size": 100}, "MALFORMED_PARAMETER"),
    ],
)
def test_an_option_that_cannot_be_used_is_a_problem(
    client: TestClient, path: str, query: dict[str, Any], code: str
) -> None:
    check_problem(client.get(path, params=query), 422, code)


def test_an_unknown_document_is_a_problem(client: TestClient) -> None:
    check_problem(client.get("/v1/documents/nda-7/chunks"), 404, "DOCUMENT_NOT_FOUND")
