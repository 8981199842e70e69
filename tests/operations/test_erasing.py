"""Content goes, its tombstone and every receipt stay, and nothing goes without a tombstone."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import (
    DocumentErasedError,
    EvidenceError,
    InputError,
    KeyNotTrustedError,
    MalformedReceiptError,
    NotFoundError,
    VerificationErasedError,
)
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.erasing import erase, write_tombstone
from spanproof.operations.fsck.report import FsckOptions
from spanproof.operations.fsck.store import check_store
from spanproof.receipt.check.content import AuditorFile
from spanproof.receipt.check.receipt import AuditInputs, check_receipt, check_tombstone
from spanproof.receipt.check.report import CheckOutcome, Question
from spanproof.receipt.keys.trust_file import parse_trust, write_trust
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Erasure
from spanproof.store.erasing.refusal import ErasureRecord
from tests.operations.audited import fill, load_trust, verify_answer
from tests.receipt.samples import Issuer, to_trust_bytes
from tests.receipt.statements import to_text
from tests.sources import make_pdf

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.operations.fsck.report import FsckReport

NOW = datetime.now(UTC)


def find_doc_hash(context: Context) -> Digest:
    record = context.store.documents.find("agreement")
    assert record is not None
    return record.document.doc_hash


def codes(report: FsckReport) -> list[str]:
    return [found.code for found in report.findings]


def test_an_erased_document_leaves_a_tombstone_and_receipts_that_verify(
    context: Context,
) -> None:
    (verification_id,) = fill(context, 1)
    doc_hash = find_doc_hash(context)
    (done,) = erase(context, "agreement", reason="  asked for by its author ")
    assert done.record.subject == str(doc_hash)
    assert done.removed == len(done.content.digests) > 2
    assert done.quoting == (verification_id,)
    stored = context.log.find_statement(done.record.index)
    assert stored is not None
    event = parse_event(stored.statement.payload)
    assert isinstance(event, Erasure)
    assert (event.doc_hash, event.reason) == (doc_hash, "asked for by its author")
    assert event.contents == done.content.digests
    with pytest.raises(DocumentErasedError):
        ingest_stream(
            context, [make_pdf()], filename=None, media_type=None, doc_id=None, title=None
        )
    # An answer that cites it is judged without it, and is no pass.
    late = context.store.answers.load(verify_answer(context, doc_hash))
    assert late.block["verdicts"][0]["identity"]["status"] == "UNKNOWN_DOCUMENT"
    assert late.block["result"] == "error"

    trust = load_trust(context)
    assert done.bundle is not None
    told = check_tombstone(done.bundle, trust, now=NOW)
    assert (told.event, told.index) == (event, done.record.index)
    receipt = context.store.receipts.load(verification_id).bundle
    report = check_receipt(receipt, trust, AuditInputs(erasures=[told]), now=NOW)
    words = {line.question: line.words for line in report.lines}[Question.DOCUMENT]
    assert f"{doc_hash} erased" in words
    assert f"see the tombstone at leaf {told.index} of {event.origin}" in words
    assert report.outcome is CheckOutcome.OK
    # Whoever still holds the file can compare it.
    held = AuditInputs(erasures=[told], sources=[AuditorFile.of(make_pdf())])
    lines = check_receipt(receipt, trust, held, now=NOW).lines
    (line,) = (each for each in lines if each.question is Question.DOCUMENT)
    assert (line.status.value, "byte for byte" in line.words) == ("OK", True)
    assert "tombstone" in line.words
    checked = check_store(context, None, FsckOptions(with_signatures=True))
    assert codes(checked) == []
    assert "erased 1" in {each.question: each.words for each in checked.lines}["STORE"]

    # Again: no second tombstone, and nothing more to remove.
    size = context.log.head().size
    (again,) = erase(context, str(doc_hash), reason="asked for again")
    assert (again.record, again.removed) == (done.record, 0)
    assert context.log.head().size == size


def test_an_erased_answer_keeps_its_figures_and_its_receipt(context: Context) -> None:
    first, second = fill(context, 2)
    doc_hash = find_doc_hash(context)
    reports = erase(context, str(doc_hash), reason="asked for", with_verifications=True)
    assert [each.record.kind for each in reports] == ["document", "verification", "verification"]
    assert {each.record.subject for each in reports[1:]} == {first, second}
    assert reports[0].quoting == ()
    with pytest.raises(VerificationErasedError):
        context.store.answers.load(first)
    trust = load_trust(context)
    assert reports[1].bundle is not None
    told = check_tombstone(reports[1].bundle, trust, now=NOW)
    receipt = context.store.receipts.load(reports[1].record.subject).bundle
    report = check_receipt(receipt, trust, AuditInputs(erasures=[told]), now=NOW)
    assert report.outcome is CheckOutcome.OK
    words = {line.question: line.words for line in report.lines}[Question.DOCUMENT]
    assert f"the words of verification {reports[1].record.subject} erased" in words
    assert codes(check_store(context, None)) == []


@pytest.mark.long
def test_who_erases_the_same_at_once_logs_one_tombstone(context: Context) -> None:
    for number in range(4):
        text = f"Goods are replaced within {number} days.".encode()
        kept = ingest_stream(
            context, [text], filename=None, media_type=None, doc_id=f"d-{number}", title=None
        )
        subject = str(kept.doc_hash)
        with ThreadPoolExecutor(8) as pool:
            done = list(
                pool.map(lambda name: erase(context, name, reason="asked for"), [subject] * 8)
            )
        logged = context.log.find_statements(f"erasure:document:{subject}")
        assert [each.index for each in logged] == [done[0][0].record.index]
        assert {report.record.index for (report,) in done} == {logged[0].index}
        assert len({report.bundle for (report,) in done}) == 1


def test_nothing_is_removed_without_a_reason_or_a_name(context: Context) -> None:
    fill(context, 1)
    for reason in ("", "  ", "x" * 501):
        with pytest.raises(InputError, match="reason"):
            erase(context, "agreement", reason=reason)
    with pytest.raises(NotFoundError):
        erase(context, "never", reason="asked for")
    assert context.store.erasures.list() == ()
    assert context.store.documents.read_source(find_doc_hash(context)) == make_pdf()


@pytest.mark.parametrize("point", ["record", "remove"])
def test_a_crash_between_tombstone_and_removal_is_named_and_mended(
    context: Context, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    fill(context, 1)
    doc_hash = find_doc_hash(context)

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(context.store.erasures), point, crash)
        with pytest.raises(KeyboardInterrupt):
            erase(context, str(doc_hash), reason="asked for")
    report = check_store(context, None)
    assert codes(report) == ["ERASURE_UNDONE"]
    assert "spanproof erase" in report.findings[0].message
    size = context.log.head().size
    (done,) = erase(context, str(doc_hash), reason="another reason")
    assert done.removed > 0
    assert done.record.reason == "asked for"
    assert context.log.head().size == size
    assert codes(check_store(context, None)) == []


def test_what_goes_without_a_tombstone_is_still_damage(context: Context) -> None:
    fill(context, 1)
    doc_hash = find_doc_hash(context)
    assert context.store.blobs.remove(doc_hash)
    assert codes(check_store(context, None)) == ["STORE_INTEGRITY"]


def test_a_row_that_names_no_tombstone_excuses_nothing(context: Context) -> None:
    (verification_id,) = fill(context, 1)
    context.store.erasures.record(
        ErasureRecord(
            kind="verification",
            subject=verification_id,
            origin=context.log.origin,
            index=0,
            reason="a lie",
            erased_at=NOW,
        )
    )
    context.store.erasures.remove("verification", verification_id)
    assert codes(check_store(context, None)) == ["ERASURE_UNLOGGED"]


def test_a_tombstone_is_believed_only_with_key_and_log(context: Context) -> None:
    fill(context, 1)
    (done,) = erase(context, "agreement", reason="asked for")
    assert done.bundle is not None
    with pytest.raises(EvidenceError):
        check_tombstone(done.bundle, parse_trust(to_trust_bytes(Issuer())), now=NOW)
    forged = json.loads(done.bundle)
    forged["dsseEnvelope"]["signatures"][0]["sig"] = forged["dsseEnvelope"]["payload"][:96]
    with pytest.raises((EvidenceError, MalformedReceiptError)):
        check_tombstone(json.dumps(forged).encode(), load_trust(context), now=NOW)
    intake = write_tombstone(context.issuer, 0)
    with pytest.raises(MalformedReceiptError, match="erasure"):
        check_tombstone(intake, load_trust(context), now=NOW)


def test_a_tombstone_under_a_head_of_a_key_that_had_ended_is_not_believed(
    context: Context,
) -> None:
    fill(context, 1)
    (done,) = erase(context, "agreement", reason="asked for")
    assert done.bundle is not None
    told = check_tombstone(done.bundle, load_trust(context), now=NOW)
    trust = json.loads(write_trust(load_trust(context)))
    (log,) = trust["trusted_root"]["tlogs"]
    issued = told.event.time
    log["publicKey"]["validFor"] = {
        "start": to_text(issued - timedelta(hours=1)),
        "end": to_text(issued - timedelta(seconds=2)),
    }
    with pytest.raises(KeyNotTrustedError, match="had ended"):
        check_tombstone(done.bundle, parse_trust(json.dumps(trust).encode()), now=NOW)
