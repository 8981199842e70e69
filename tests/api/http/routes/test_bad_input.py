"""Bad input over HTTP: each gives its problem or its status, nothing is half-kept, work goes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import ModelError
from tests import sources
from tests.api.conftest import (
    check_problem,
    context_of,
    keep_document,
    make_answer,
    post_answer,
    run_application,
)

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.settings import Settings


def _count(client: TestClient) -> tuple[int, int, int]:
    blobs = context_of(client).settings.home / "blobs"
    return (
        len(client.get("/v1/documents").json()["documents"]),
        len(client.get("/v1/verifications?limit=200").json()["verifications"]),
        sum(path.is_file() for path in blobs.rglob("*")),
    )


def _check_work_goes_on(client: TestClient, document: dict[str, Any]) -> None:
    response = post_answer(client, make_answer(document))
    assert response.json()["verification"]["result"] == "pass"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (sources.make_encrypted_pdf(), "DOCUMENT_ENCRYPTED"),
        (b"", "DOCUMENT_EMPTY"),
        (sources.make_pageless_pdf(), "DOCUMENT_EMPTY"),
        (sources.make_broken_pdf(), "DOCUMENT_BROKEN"),
        (sources.make_pdf()[:300], "DOCUMENT_BROKEN"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "UNSUPPORTED_MEDIA_TYPE"),
        (b"PK\x03\x04" + bytes(64), "UNSUPPORTED_MEDIA_TYPE"),
        (bytes(1000), "UNSUPPORTED_MEDIA_TYPE"),
    ],
    ids=["encrypted", "empty", "pageless", "broken", "cut short", "picture", "archive", "zeros"],
)
def test_a_refused_document(
    shared_client: TestClient, shared_document: dict[str, Any], content: bytes, code: str
) -> None:
    before = _count(shared_client)
    check_problem(shared_client.put("/v1/documents", content=content), 422, code)
    assert _count(shared_client) == before
    _check_work_goes_on(shared_client, shared_document)


def test_a_scan_is_taken_and_its_quotes_are_unverifiable(client: TestClient) -> None:
    response = client.put("/v1/documents", content=sources.make_scanned_pdf())
    assert response.status_code == 201
    row = response.json()
    assert row["status"] == "degraded"
    assert row["problem"]["code"] == "NO_TEXT_LAYER"
    body = post_answer(client, make_answer(row)).json()
    (verdict,) = body["verification"]["verdicts"]
    assert verdict["existence"]["status"] == "UNVERIFIABLE"
    assert verdict["outcome"] == "error"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not JSON",
        b"\xff\xfe",
        b"[]",
        b"7",
        b"[" * 100_000,
        b'{"answer": "a"}',
        b'{"citations": []}',
        b'{"answer": "a", "answer": "b", "citations": []}',
        b'{"answer": "a", "citations": [], "score": NaN}',
        b'{"answer": "a", "citations": [], "score": 1e400}',
        b'{"answer": "a", "citations": [], "score": [{"x": -1e400}]}',
        b'{"answer": "\\ud800", "citations": []}',
        b'{"answer": "a", "citations": [], "n": ' + b"9" * 5000 + b"}",
        b'{"answer": "a", "citations": [{"anchor": 1, "doc_id": "d", "span": {"text": "t"},'
        b' "retrieval_score": 1' + b"0" * 400 + b"}]}",
    ],
)
def test_an_answer_that_is_none(
    shared_client: TestClient, shared_document: dict[str, Any], raw: bytes
) -> None:
    before = _count(shared_client)
    check_problem(shared_client.post("/v1/verifications", content=raw), 422, "MALFORMED_ANSWER")
    assert _count(shared_client) == before
    _check_work_goes_on(shared_client, shared_document)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"anchor": "1"}, "/citations/0/anchor"),
        ({"span": {}}, "/citations/0/span/text"),
        ({"span": {"text": "a", "char_start": -1, "char_end": 3}}, "/citations/0/span/char_start"),
        ({"span": {"text": "a", "char_start": 3, "char_end": 1}}, "/citations/0/span/char_start"),
        ({"span": {"text": "a", "unit": "bytes"}}, "/citations/0/span/unit"),
        ({"doc_hash": "sha256:" + "AB" * 32}, "/citations/0/doc_hash"),
        ({"doc_hash": "sha256:" + "ab" * 4}, "/citations/0/doc_hash"),
        ({"doc_hash": None}, "/citations/0/doc_hash"),
        ({"pdf_locator": {"page": 0}}, "/citations/0/pdf_locator/page"),
    ],
)
def test_a_malformed_citation_names_its_field(
    shared_client: TestClient,
    shared_document: dict[str, Any],
    changes: dict[str, Any],
    pointer: str,
) -> None:
    problem = check_problem(
        post_answer(shared_client, make_answer(shared_document, **changes)), 422, "MALFORMED_ANSWER"
    )
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert problem["errors"][0]["expected"]


def test_offsets_past_the_text_are_a_code_not_a_refusal(
    client: TestClient, document: dict[str, Any]
) -> None:
    span = {"text": sources.SENTENCE, "char_start": 10**6, "char_end": 10**6 + 5}
    (verdict,) = post_answer(client, make_answer(document, span=span)).json()["verification"][
        "verdicts"
    ]
    assert "SPAN_OUT_OF_RANGE" in verdict["codes"]
    assert verdict["existence"]["status"] == "MOVED"
    assert verdict["outcome"] != "pass"


def test_offsets_of_another_unit_are_told(client: TestClient) -> None:
    text = "𝔘𝔘𝔘 Goods are replaced within four business days."
    row = client.put("/v1/documents", content=text.encode()).json()
    start = len("𝔘𝔘𝔘 ".encode("utf-16-le")) // 2
    end = len(text.encode("utf-16-le")) // 2
    span = {"text": text[4:], "char_start": start, "char_end": end}
    body = post_answer(client, make_answer(row, span=span)).json()
    assert body["verification"]["import"]["observed_unit"] == "utf16"
    body = post_answer(client, make_answer(row, span=span | {"unit": "utf16"})).json()
    assert body["verification"]["verdicts"][0]["existence"]["status"] == "EXACT"


def test_an_unknown_document_is_an_error_in_the_block(
    client: TestClient, document: dict[str, Any]
) -> None:
    unknown = make_answer(document, doc_hash="sha256:" + "0" * 64)
    block = post_answer(client, unknown).json()["verification"]
    assert block["result"] == "error"
    (verdict,) = block["verdicts"]
    assert verdict["identity"]["status"] == "UNKNOWN_DOCUMENT"
    assert verdict["existence"]["status"] == "NOT_RUN"


@pytest.mark.filterwarnings("ignore::spanproof.verifier.entailment.EntailmentNotRunWarning")
@pytest.mark.parametrize("kind", ["missing", "unnamed labels"])
def test_a_model_that_cannot_be_used_is_never_a_pass(
    settings: Settings, warm_parser: Parser, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "model"
    code = "MODEL_UNAVAILABLE"
    if kind == "unnamed labels":
        folder.mkdir()
        labels = {str(number): f"LABEL_{number}" for number in range(3)}
        (folder / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
        (folder / "model.safetensors").write_bytes(b"")
        (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
        code = "MODEL_LABELS_UNNAMED"
    broken = settings.model_copy(update={"model": folder})
    with run_application(broken, {"parser": warm_parser}) as client:
        document = keep_document(client)
        (verdict,) = post_answer(client, make_answer(document)).json()["verification"]["verdicts"]
        assert verdict["support"]["status"] == "NOT_RUN"
        assert verdict["outcome"] == "error"
        problem = check_problem(client.get("/readyz"), 503, "NOT_READY")
        assert [error["pointer"] for error in problem["errors"]] == ["/model"]
        assert client.get("/healthz").status_code == 200
        with pytest.raises(ModelError) as caught:
            context_of(client).require_model()
        assert caught.value.code == code
