"""No word of a document, an answer or a question stands in logs, metrics or problems."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from tests.api.conftest import context_of

if TYPE_CHECKING:
    import pytest
    from fastapi.testclient import TestClient

#: Seeded into the document, the answer, the question, the quote of a citation, and its names.
SECRETS = ("Xanthippe", "Quodlibet", "Zwiebelturm", "Fjordpferd", "Kumquat")
DOCUMENT = f"{SECRETS[0]} pays 900 francs within four days. The {SECRETS[0]} file is closed."


def test_seeded_words_are_nowhere_but_in_the_answers(
    client: TestClient, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    put = client.put("/v1/documents", content=DOCUMENT.encode(), params={"doc_id": "plain"})
    assert put.status_code == 201, put.text
    doc_hash = put.json()["doc_hash"]
    problems = [
        client.get(f"/v1/documents/{doc_hash}/text", params={"start": 5, "end": 99999}),
        client.get(f"/v1/documents/{doc_hash}/locate", params={"start": 9, "end": 3}),
        client.get(f"/v1/documents/{doc_hash}/pages/1.png"),
        client.get("/v1/documents/sha256:abc/text"),
        client.put("/v1/documents", content=b"%PDF-1.7 " + SECRETS[0].encode()),
    ]
    for changes in ({}, {"span": {"text": f"{SECRETS[3]} pays 900 euros within four days."}}):
        body = client.post(
            "/v1/verifications", content=json.dumps(make(doc_hash, changes)).encode()
        )
        assert body.status_code == 200, body.text
        assert SECRETS[1] in body.text
    broken = make(doc_hash, {"span": {"text": SECRETS[3], "char_start": 3}})
    problems.append(client.post("/v1/verifications", content=json.dumps(broken).encode()))
    # A fault of our own, whose cause quotes what it was about.
    model: Any = context_of(client).model
    model.judge = fail
    problems.append(
        client.post("/v1/verifications", content=json.dumps(make(doc_hash, {})).encode())
    )
    for problem in problems:
        assert problem.status_code >= 400
        assert problem.headers["content-type"] == "application/problem+json"
    told = {
        "problems": "".join(problem.text for problem in problems),
        "metrics": client.get("/metrics").text,
        "logs": "".join(record.getMessage() for record in caplog.records),
        "output": "".join(capfd.readouterr()),
    }
    assert "citation_extraction_complete" in told["output"] + told["logs"]
    for place, text in told.items():
        for word in SECRETS:
            assert word not in text, (place, word)


def make(doc_hash: str, changes: dict[str, Any]) -> dict[str, Any]:
    words = DOCUMENT.split(". ", maxsplit=1)[0] + "."
    citation = {
        "anchor": 1,
        "doc_hash": doc_hash,
        "doc_title": SECRETS[4],
        "span": {"text": words, "char_start": 0, "char_end": len(words)},
    }
    return {
        "answer": f"The {SECRETS[1]} is paid within four days [1].",
        "question": f"When is the {SECRETS[2]} paid?",
        "citations": [citation | changes],
    }


def fail(pairs: Any) -> Any:
    raise RuntimeError(repr(pairs))
