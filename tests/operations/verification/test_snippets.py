"""A submitted text in everything that the service keeps and shows: never taken for a document."""

from __future__ import annotations

import base64
import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof import verify
from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedReceiptError
from spanproof.core.span import Span
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.export.material import load_case
from spanproof.operations.export.tables import write_csv
from spanproof.operations.replay.verification import ReplayStatus, load_stored, replay
from spanproof.operations.verification.request import EVERY_SENTENCE, VerificationRequest
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.statement.statement import parse_statement
from spanproof.store.records import VerificationFilter
from spanproof.verifier.answers.feedback import write_failure
from tests.builders import ScriptedModel

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.operations.verification.verify import Verification

TERM = "The lease runs for five years from 1 May 2024."
RENT = "The rent is 850 euros a month, due on the first."
PROSE = f"{TERM[:-1]} [1]. The rent is 900 euros a month [2]. The landlord lives in Lyon."
SNIPPET = str(Digest.of(TERM.encode()))
MODEL = ScriptedModel()


def submit(context: Context) -> Verification:
    retrieved = [{"text": TERM, "doc_id": "lease.pdf"}, {"chunk_id": "b", "text": RENT}]
    payload = {"answer": PROSE, "citations": [], "retrieved": retrieved}
    return verify_payload(context, json.dumps(payload).encode())


def test_the_service_gives_the_verdicts_of_the_library(context: Context) -> None:
    kept = submit(context).response
    plain = verify(PROSE, [{"text": TERM, "source": "lease.pdf"}, RENT], model=MODEL).to_json()
    names = ("outcome", "codes", "identity", "existence", "support", "notes")
    assert [[one[name] for name in names] for one in kept["verification"]["verdicts"]] == [
        [one[name] for name in names] for one in plain["verdicts"]
    ]
    assert [citation["anchor"] for citation in kept["citations"]] == [1, 2]
    assert kept["verification"]["snippets"][0]["doc_id"] == "lease.pdf"


def test_the_receipt_lists_snippets_apart_from_documents(context: Context) -> None:
    receipt = submit(context).receipt
    assert receipt is not None
    statement = read_statement(receipt)
    predicate = statement["predicate"]
    assert predicate["documents"] == []
    assert predicate["snippets"][0]["doc_hash"] == SNIPPET
    assert [each["name"] for each in statement["subject"]] == ["answer", "snippet-0", "snippet-1"]
    assert TERM not in json.dumps(predicate)


def read_statement(receipt: dict[str, Any]) -> dict[str, Any]:
    payload = base64.b64decode(receipt["dsseEnvelope"]["payload"])
    parse_statement(payload)
    found: dict[str, Any] = json.loads(payload)
    return found


@pytest.mark.parametrize("word", ["MATCH", "SUPERSEDED"])
def test_no_statement_calls_a_snippet_a_document(context: Context, word: str) -> None:
    receipt = submit(context).receipt
    assert receipt is not None
    statement = read_statement(receipt)
    verdict = statement["predicate"]["verdicts"][0]
    verdict["identity"]["status"] = word
    verdict["codes"][0] = f"IDENTITY_{word}"
    with pytest.raises(MalformedReceiptError):
        parse_statement(canonical_json.dumps(statement))


def test_a_snippet_replays(context: Context) -> None:
    verification_id = submit(context).verification_id
    report = replay(context, load_stored(context, verification_id))
    assert report.status is ReplayStatus.REPLAYED


def test_an_attributed_answer_replays(context: Context) -> None:
    retrieved = [{"chunk_id": "a", "text": TERM}, {"chunk_id": "b", "text": RENT}]
    answer = f"{TERM} The rent is 900 euros a month."
    payload = {"answer": answer, "citations": [], "retrieved": retrieved}
    kept = verify_payload(
        context, json.dumps(payload).encode(), request=VerificationRequest(repair=EVERY_SENTENCE)
    )
    assert [each.outcome for each in kept.block.verdicts] == ["pass", "fail"]
    report = replay(context, load_stored(context, kept.verification_id))
    assert report.status is ReplayStatus.REPLAYED, report.differences
    assert report.recomputed_digest == str(kept.block.verdicts_digest)


def test_what_prints_of_a_snippet_calls_it_a_text(context: Context) -> None:
    payload = {
        "answer": f"{TERM[:-1]} [1]. {TERM[:-1]} [2].",
        "citations": [
            {"anchor": 1, "doc_hash": SNIPPET, "span": {"text": "No such words."}},
            {"anchor": 2, "doc_id": "lease.pdf", "span": {"text": "No such words."}},
        ],
        "retrieved": [{"chunk_id": "a", "text": TERM}, {"doc_id": "lease.pdf", "text": RENT}],
    }
    block = verify_payload(context, json.dumps(payload).encode()).block
    assert [each.codes[:2] for each in block.verdicts] == [
        ("IDENTITY_SNIPPET", "EXISTENCE_ABSENT")
    ] * 2
    told = write_failure(block)
    assert "The quote stands nowhere in the cited source." in told
    assert "cites a text of the request: 'No such words.'" in told
    assert "cites a text of the request (lease.pdf): 'No such words.'" in told
    assert "sha256:" not in told


def test_tables_and_pages_leave_the_columns_of_documents_empty(context: Context) -> None:
    case = load_case(context, submit(context).verification_id)
    rows = list(csv.DictReader(io.StringIO(write_csv([(case, None)]).decode())))
    assert [(row["identity"], row["doc_hash"], row["doc_title"]) for row in rows] == [
        ("SNIPPET", "", "")
    ] * 2
    assert not case.documents
    assert SNIPPET not in case.missing


def test_no_search_by_document_finds_a_snippet(context: Context) -> None:
    submit(context)
    asked = VerificationFilter(doc_hash=Digest.parse(SNIPPET))
    assert not context.store.answers.list(asked).items
    assert context.store.answers.list().items


def test_statistics_count_snippets_apart(context: Context) -> None:
    submit(context)
    told = context.metrics.render().decode()
    assert 'check="snippet",outcome="pass"' in told
    assert 'check="span",outcome="pass"' not in told


def test_a_kept_document_that_holds_the_text_takes_its_place(context: Context) -> None:
    content = f"LEASE\n\n{TERM.replace(' ', chr(10), 1)}\n\n{RENT}\n".encode()
    ingest_stream(context, [content], media_type=None, filename="lease.txt", doc_id="lease")
    verification = submit(context)
    first, second = verification.block.verdicts
    for verdict in (first, second):
        assert verdict.identity.status == "MATCH"
        assert verdict.identity.doc_hash == Digest.of(content)
        assert "SNIPPET_LIFTED" in verdict.codes
        assert "a document that you gave or keep holds it" in verdict.notes
    assert first.existence.status == "FOLD_EQUAL"
    assert second.existence.span == Span(
        content.index(b"The rent"), content.index(b"The rent") + 48
    )
    assert not verification.block.snippets
    assert verification.receipt is not None
    predicate = read_statement(verification.receipt)["predicate"]
    assert [each["doc_hash"] for each in predicate["documents"]] == [str(Digest.of(content))]
    assert "snippets" not in predicate
    report = replay(context, load_stored(context, verification.verification_id))
    assert report.status is ReplayStatus.REPLAYED, report.differences


def test_a_text_that_two_kept_documents_hold_stays_a_snippet(context: Context) -> None:
    for start in ("ONE", "TWO"):
        ingest_stream(
            context, [f"{start}\n{TERM}".encode()], media_type=None, filename="a.txt", doc_id=None
        )
    first, _ = submit(context).block.verdicts
    assert first.identity.status == "SNIPPET"


def test_what_is_ingested_later_changes_no_replay(context: Context) -> None:
    verification_id = submit(context).verification_id
    for content in (TERM, f"LEASE\n{TERM}\n{RENT}"):
        ingest_stream(context, [content.encode()], media_type=None, filename="a.txt", doc_id=None)
    report = replay(context, load_stored(context, verification_id))
    assert report.status is ReplayStatus.REPLAYED, report.differences


def test_a_name_that_is_known_makes_no_snippet(context: Context) -> None:
    content = RENT.encode()
    ingest_stream(context, [content], media_type=None, filename="a.txt", doc_id="lease.pdf")
    first, _ = submit(context).block.verdicts
    assert (first.identity.status, first.existence.status) == ("MATCH", "ABSENT")
