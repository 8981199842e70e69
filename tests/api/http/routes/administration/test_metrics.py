from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.api.conftest import make_answer, post_answer
from tests.sources import SENTENCE, make_encrypted_pdf

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


def test_markers_that_name_nothing_are_counted_by_who_wrote_them(
    client: TestClient, document: dict[str, Any]
) -> None:
    answer = make_answer(document) | {"generator": {"model": "m", "prompt_id": "p"}}
    assert post_answer(client, answer).status_code == 200
    lost = answer | {"answer": "It is so [1]. Freight is free [7]."}
    assert post_answer(client, lost).status_code == 200
    silent = answer | {"answer": "It is so.", "citations": []}
    assert post_answer(client, silent).status_code == 200
    asked = silent | {"answer": "Which goods?", "answer_kind": "clarifying_question"}
    assert post_answer(client, asked).status_code == 200
    lines = read_metrics(client).splitlines()
    labels = 'generator_model="m",grammar="numbered",prompt_id="p"'
    assert f"spanproof_orphan_total{{{labels}}} 1.0" in lines
    ratio = next(line for line in lines if line.startswith("spanproof_marker_adoption_ratio{"))
    assert ratio.startswith(f"spanproof_marker_adoption_ratio{{{labels}}} 0.66")


def test_the_verifier_names_itself_and_its_time(
    client: TestClient, document: dict[str, Any]
) -> None:
    assert post_answer(client, make_answer(document)).status_code == 200
    lines = read_metrics(client).splitlines()
    (info,) = [line for line in lines if line.startswith("spanproof_verifier_info{")]
    assert 'version="spanproof@' in info
    assert info.endswith(" 1.0")
    count = next(line for line in lines if line.startswith("spanproof_entailment_seconds_count"))
    assert float(count.split()[-1]) >= 1
