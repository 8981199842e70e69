from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.api.conftest import make_answer, post_answer
from tests.api.sources import SENTENCE, make_encrypted_pdf

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def read_metrics(client: TestClient) -> str:
    response = client.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain; version=")
    return response.text


def test_what_was_done_is_counted(client: TestClient, document: dict[str, Any]) -> None:
    assert post_answer(client, make_answer(document)).status_code == 200
    assert client.put("/v1/documents", content=make_encrypted_pdf()).status_code == 422
    lines = read_metrics(client).splitlines()
    assert 'spanproof_documents_total{status="ok"} 1.0' in lines
    assert 'spanproof_documents_total{status="refused"} 1.0' in lines
    assert 'spanproof_verifications_total{result="pass"} 1.0' in lines
    assert 'spanproof_calibrations_total{status="applied"} 1.0' in lines


def test_no_word_of_a_document_is_told(client: TestClient, document: dict[str, Any]) -> None:
    text = read_metrics(client)
    assert SENTENCE.split()[1] not in text
    assert document["doc_hash"] not in text
