"""The queue that verifies every answer: what it shows, and what it says of unknown documents."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.app import create_app
from spanproof.client import Client, VerifiedAnswer
from spanproof.client.adoption import AnswerQueue, QueueCounts, Submission
from spanproof.operations.settings import Settings
from tests.builders import ScriptedModel
from tests.serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.ingest.sandbox import Parser

WORDS = "Goods are replaced within four days."
PROSE = "Goods are replaced within four days [1]."


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, warm_parser: Parser) -> Iterator[Client]:
    """A client of a service that knows the document ``terms-2024``."""
    settings = Settings(home=tmp_path_factory.mktemp("served") / "home", cross_check_rate=0.0)
    app = create_app(settings, parts={"model": ScriptedModel(), "parser": warm_parser})
    with serve(app) as url, Client(url) as client:
        client.ingest(WORDS.encode(), doc_id="terms-2024", media_type="text/plain")
        yield client


def cite(doc_id: str) -> Submission:
    citation = {"anchor": 1, "doc_id": doc_id, "span": {"text": WORDS}}
    return Submission.of({"answer": PROSE, "citations": [citation]})


def test_every_answer_is_verified_and_shown(client: Client) -> None:
    shown: list[VerifiedAnswer] = []
    queue = AnswerQueue(client, verify_all=True, on_verified=shown.append)
    for _ in range(3):
        queue.put(cite("terms-2024"))
    assert queue.flush(60)
    assert queue.counts == QueueCounts(submitted=3)
    assert [each.result for each in shown] == ["pass"] * 3
    first = shown[0]
    assert [claim.outcome for claim in first.claims] == ["pass"]
    assert repr(first).startswith(f"Result PASS (policy balanced)\nPASS   {PROSE}\n")
    assert repr(first).endswith(f"Kept as {first.verification_id}.")
    assert "<table>" in first._repr_html_()
    assert first.to_json() == json.loads(json.dumps(first.raw["verification"]))


@pytest.mark.parametrize(("doc_id", "nearest"), [("terms_2024", "'terms-2024'"), ("xyz", "none")])
def test_the_first_unknown_document_is_named_once(
    client: Client, caplog: pytest.LogCaptureFixture, doc_id: str, nearest: str
) -> None:
    queue = AnswerQueue(client, verify_all=True)
    with caplog.at_level(logging.WARNING, logger="spanproof.adoption"):
        for _ in range(2):
            queue.put(cite(doc_id))
        assert queue.flush(60)
    (record,) = caplog.records
    assert record.message.startswith(
        f"answer_document_unknown id={doc_id!r} nearest={nearest} of 1 documents: ingest"
    )


def test_a_function_for_results_needs_results(client: Client) -> None:
    with pytest.raises(ValueError, match="verify_all"):
        AnswerQueue(client, on_verified=print)


@pytest.mark.parametrize("key", ["source", "file_path", "file_name", "ref_doc_id", "doc_hash"])
@pytest.mark.parametrize("name", ["langchain", "llamaindex"])
def test_every_name_of_a_node_is_tried(client: Client, name: str, key: str) -> None:
    (row,) = [r for r in _list(client) if "terms-2024" in r["doc_ids"]]
    metadata = {"source": "/data/a", "file_name": "b.pdf"}
    metadata[key] = row["doc_hash"] if key == "doc_hash" else "terms-2024"
    if name == "langchain":
        document = {"id": "uuid", "page_content": WORDS, "metadata": metadata}
        response: dict[str, Any] = {"message": PROSE, "documents": [document]}
    else:
        node = {"id_": "uuid", "text": WORDS, "metadata": metadata}
        response = {"response": PROSE, "source_nodes": [{"node": node, "score": 0.5}]}
    verified = client.verify({"response": response}, format=name)
    (verdict,) = verified.verdicts
    assert verdict.identity.status == "MATCH"
    assert ("HASH_NOT_GIVEN" in verdict.codes) == (key != "doc_hash")
    assert verified.result == "pass"


def test_an_unknown_document_is_named_in_the_note(client: Client) -> None:
    verified = client.verify(json.loads(cite("lost").payload))
    assert verified.verdicts[0].identity.status == "UNKNOWN_DOCUMENT"
    assert verified.verdicts[0].notes == (
        "No document 'lost' is kept here, so nothing was checked."
    )


def _list(client: Client) -> list[dict[str, Any]]:
    from spanproof.client import calls

    return client.send(calls.list_documents(limit=5))
