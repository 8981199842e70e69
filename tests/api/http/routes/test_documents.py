from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.document import DocumentListOut, DocumentOut, IngestOut
from spanproof.core.digest import Digest
from spanproof.operations.settings import Settings
from tests import sources
from tests.api.conftest import check_problem, run_client

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi.testclient import TestClient


def _field(content: bytes) -> str:
    return f"sha-256=:{base64.b64encode(bytes.fromhex(Digest.of(content).hex)).decode()}:"


def test_a_document_is_taken_and_given_back(client: TestClient) -> None:
    content = sources.make_pdf()
    response = client.put(
        "/v1/documents",
        params={"doc_id": "agreement", "title": "Agreement", "filename": "a.pdf"},
        headers={"Content-Type": "application/pdf", "Content-Digest": _field(content)},
        content=content,
    )
    assert response.status_code == 201, response.text
    row = response.json()
    IngestOut.model_validate(row)
    assert row["doc_hash"] == str(Digest.of(content))
    assert row["doc_id"] == "agreement"
    assert response.headers["location"] == f"/v1/documents/{row['doc_hash']}"
    for ref in (row["doc_hash"], row["doc_id"], row["extraction_id"]):
        shown = client.get(f"/v1/documents/{ref}")
        assert shown.status_code == 200
        DocumentOut.model_validate(shown.json())
        assert shown.json()["extraction_id"] == row["extraction_id"]
        assert shown.json()["title"] == "Agreement"
    source = client.get(f"/v1/documents/{row['doc_hash']}/source")
    assert source.content == content
    assert source.headers["repr-digest"] == _field(content)
    assert source.headers["content-type"] == "application/pdf"


def test_the_same_bytes_again_are_known(client: TestClient, document: dict[str, Any]) -> None:
    content = client.get(f"/v1/documents/{document['doc_hash']}/source").content
    again = client.put("/v1/documents", content=content)
    assert again.status_code == 200
    assert again.json()["extraction_id"] == document["extraction_id"]


def test_identical_puts_at_once_store_one_document(client: TestClient) -> None:
    content = sources.make_pdf()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.put("/v1/documents", content=content), range(16)))
    assert {answer.status_code for answer in answers} <= {200, 201}
    assert len({answer.json()["extraction_id"] for answer in answers}) == 1
    assert len(client.get("/v1/documents").json()["documents"]) == 1


def test_documents_are_listed_newest_first_page_by_page(client: TestClient) -> None:
    names = [f"n{number}" for number in range(5)]
    for name in names:
        client.put("/v1/documents", params={"doc_id": name}, content=f"Text {name}.".encode())
    found: list[str] = []
    cursor: str | None = None
    while True:
        params = {"limit": "2"} | ({} if cursor is None else {"cursor": cursor})
        page = client.get("/v1/documents", params=params).json()
        DocumentListOut.model_validate(page)
        found += [row["doc_id"] for row in page["documents"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == names[::-1]
    check_problem(client.get("/v1/documents?cursor=nonsense"), 422, "MALFORMED_INPUT")


def test_a_name_with_a_slash_finds_its_document(client: TestClient) -> None:
    client.put("/v1/documents", params={"doc_id": "terms/2026 a"}, content=b"Some words.")
    assert client.get("/v1/documents/terms%2F2026%20a").json()["doc_id"] == "terms/2026 a"
    assert client.get("/v1/documents/terms%2F2026%20a/text").text == "Some words."


@pytest.mark.parametrize("ref", ["nothing", "sha256:" + "0" * 64, "sha256:00", "%00", "a/b"])
def test_an_unknown_document_is_a_problem(client: TestClient, ref: str) -> None:
    for path in ("", "/text", "/source", "/locate?start=0&end=1", "/find?quote=a", "/pages/1.png"):
        check_problem(client.get(f"/v1/documents/{ref}{path}"), 404, "DOCUMENT_NOT_FOUND")


@pytest.mark.parametrize("header", ["Content-Digest", "Repr-Digest"])
def test_other_bytes_than_announced_are_refused(client: TestClient, header: str) -> None:
    response = client.put(
        "/v1/documents", headers={header: _field(b"Other words.")}, content=b"Some words."
    )
    check_problem(response, 422, "DIGEST_MISMATCH")
    assert client.get("/v1/documents").json()["documents"] == []


@pytest.mark.parametrize("value", ["sha-512=:AAAA:", "sha-256=AAAA", "sha-256=:AAAA:", "x", ""])
def test_a_digest_that_cannot_be_checked_is_refused(client: TestClient, value: str) -> None:
    response = client.put("/v1/documents", headers={"Repr-Digest": value}, content=b"Words.")
    check_problem(response, 422, "MALFORMED_DIGEST")


def test_a_content_coding_is_refused(client: TestClient) -> None:
    response = client.put(
        "/v1/documents", headers={"Content-Encoding": "gzip"}, content=b"Some words."
    )
    check_problem(response, 422, "UNSUPPORTED_MEDIA_TYPE")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings(home=tmp_path / "home", max_document_bytes=1000, max_answer_bytes=500)
    with run_client(settings) as client:
        yield client


def _chunks(total: int) -> Iterator[bytes]:
    for _ in range(total // 100):
        yield b"x" * 100


def test_a_document_over_the_cap_is_refused_declared_or_not(small: TestClient) -> None:
    check_problem(small.put("/v1/documents", content=b"x" * 1001), 413, "LIMIT_EXCEEDED")
    check_problem(small.put("/v1/documents", content=_chunks(1100)), 413, "LIMIT_EXCEEDED")
    assert small.get("/v1/documents").json()["documents"] == []
    assert small.put("/v1/documents", content=_chunks(1000)).status_code == 201


def test_an_answer_over_the_cap_is_refused_declared_or_not(small: TestClient) -> None:
    check_problem(small.post("/v1/verifications", content=b"x" * 501), 413, "ANSWER_TOO_LARGE")
    check_problem(small.post("/v1/verifications", content=_chunks(600)), 413, "ANSWER_TOO_LARGE")
    fitting = b'{"answer": "a", "citations": []}'
    assert small.post("/v1/verifications", content=fitting).status_code == 200


@pytest.mark.parametrize("doc_id", ["sha256:" + "0" * 64, " a", "", "a\nb", "x" * 600])
def test_a_name_that_could_mislead_is_refused_and_nothing_kept(
    client: TestClient, doc_id: str
) -> None:
    response = client.put("/v1/documents", params={"doc_id": doc_id}, content=b"Some words.")
    check_problem(response, 422, "MALFORMED_INPUT")
    assert client.get("/v1/documents").json()["documents"] == []
