"""A service with a document, and what its receipts and its log hold."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.documents.ingest import ingest_stream
from spanproof.receipt.statement.statement import parse_statement
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.predicate import Predicate
    from spanproof.store.log import TransparencyLog
    from spanproof.store.log.records import StoredStatement

TEXT = (
    f"{SENTENCE}\nThe zanzibar clause costs $5,000 a year and shall not lapse.\n"
    "The quagmire fee is due on 3 March 2026."
)


@pytest.fixture
def kept(context: Context) -> Context:
    """Context that keep one document and ask a scripted model."""
    ingest_stream(context, [TEXT.encode()], media_type=None, filename="a.txt", doc_id="agreement")
    return context


def make_payload(quote: str = SENTENCE, **fields: Any) -> bytes:
    """An answer of one sentence that cites this quote."""
    citation = {"anchor": 1, "doc_id": "agreement", "span": {"text": quote}}
    body = {"answer": "It is replaced soon [1].", "citations": [citation]} | fields
    return json.dumps(body).encode()


def read_predicate(receipt: dict[str, Any] | None) -> Predicate:
    """What a receipt states."""
    assert receipt is not None
    return parse_statement(base64.b64decode(receipt["dsseEnvelope"]["payload"])).predicate


def list_statements(log: TransparencyLog) -> list[StoredStatement]:
    """Every statement of the log, in its order."""
    found = [log.find_statement(index) for index in range(log.head().size)]
    return [each for each in found if each is not None]
