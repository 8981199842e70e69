"""What the store keeps beside its log: documents, texts, payloads and blocks, digested again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.errors import EvidenceError, InputError, SpanproofError
from spanproof.core.shown import show_count
from spanproof.core.verdicts.hash_only import HASH_ONLY, KEPT, NOT_KEPT
from spanproof.operations.accesses import check_day
from spanproof.operations.keeping.words import SETTING
from spanproof.operations.sampling.erased import name_attempt
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.statement.access_events import AccessDigest
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Erasure
from spanproof.receipt.statement.issuance import digest_block
from spanproof.receipt.statement.statement import parse_statement
from spanproof.store.erasing.refusal import ANSWER, DOCUMENT, VERIFICATION
from spanproof.store.errors import ObjectStoreUnavailableError
from spanproof.store.log.reading import LogReader, list_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.digest import Digest
    from spanproof.receipt.statement.predicate import Predicate
    from spanproof.store import Store
    from spanproof.store.erasing.refusal import ErasedKind, ErasureRecord
    from spanproof.store.records import DocumentRecord, StoredVerification, VerificationSummary

_PAGE = 200
_AGAIN = "Erase it again: 'spanproof erase'."


def check_records(store: Store, origin: str) -> tuple[Findings, str]:
    """Items that differ from their record, and in words how much was checked.

    Raises ObjectStoreUnavailableError: what cannot be looked at is neither whole nor damaged.
    """
    # Check the object store itself, not the local copies.
    store.blobs.forget_all()
    findings = Findings()
    documents = extractions = verifications = without = hash_only = 0
    for record in _list_documents(store):
        documents += 1
        _check_source(store, record, findings)
        for extraction_id in record.extraction_ids:
            extractions += 1
            _check_extraction(store, record.document.doc_hash, extraction_id, findings)
    gone = _check_erasures(store, findings)
    for summary in _list_verifications(store):
        if (VERIFICATION, summary.verification_id) in gone:
            # Its words are gone, and a tombstone says so; its receipt is checked with the log.
            continue
        verifications += 1
        has_receipt, has_words = _check_verification(
            store, summary.verification_id, origin, findings
        )
        without += not has_receipt
        hash_only += not has_words
    words = (
        f"as they were kept: documents {documents}, extractions {extractions}, "
        f"verifications {verifications}"
    )
    if hash_only:
        words += f"; the words of {show_count(hash_only, 'verification')} are {NOT_KEPT}"
    if days := _check_accesses(store, findings):
        words += f"; {show_count(days, 'day')} of accesses"
    if gone:
        words += f"; erased {len(gone)}, each with its tombstone"
    if without:
        words += f"; {show_count(without, 'verification')} without a receipt of this log"
    return findings, words


def _check_accesses(store: Store, findings: Findings) -> int:
    """Check the access log against the digests in the log; how many days it has."""
    events = (
        parse_event(each.statement.payload)
        for each in list_events(store.database, AccessDigest.KIND)
    )
    logged = {each.day: each for each in events if isinstance(each, AccessDigest)}
    days = sorted({*store.accesses.list_days(), *logged})
    for day in days:
        wrong = check_day(store.accesses.describe(day), logged.get(day))
        if wrong is not None:
            findings.add(code="ACCESSES_MISMATCH", place=f"accesses of {day}", message=wrong)
    return len(days)


def _check_source(store: Store, record: DocumentRecord, findings: Findings) -> None:
    document = record.document
    place = f"document {document.doc_hash}"
    try:
        content = store.documents.read_source(document.doc_hash)
    except ObjectStoreUnavailableError:
        raise
    except SpanproofError as error:
        if not _is_erased_now(store, DOCUMENT, str(document.doc_hash)):
            findings.add(error.code, place, error.message)
        return
    if len(content) != document.byte_length:
        message = f"Expected {document.byte_length} bytes, got {len(content)}."
        findings.add(code="ROW_MISMATCH", place=place, message=message)


def _check_extraction(
    store: Store, doc_hash: Digest, extraction_id: Digest, findings: Findings
) -> None:
    try:
        store.documents.load_extraction(extraction_id)
    except ObjectStoreUnavailableError:
        raise
    except SpanproofError as error:
        if not _is_erased_now(store, DOCUMENT, str(doc_hash)):
            findings.add(error.code, f"extraction {extraction_id}", error.message)


def _check_verification(
    store: Store, verification_id: str, origin: str, findings: Findings
) -> tuple[bool, bool]:
    """Whether it has a receipt of this log, and its words, which are the ones that it signs."""
    place = f"verification {verification_id}"
    try:
        stored = store.answers.load(verification_id)
        receipt = store.receipts.find(verification_id)
    except SpanproofError as error:
        if not _is_erased_now(store, VERIFICATION, verification_id):
            findings.add(error.code, place, error.message)
        return True, True
    has_words = not stored.is_hash_only
    if receipt is None or receipt.origin != origin:
        return False, has_words
    try:
        predicate = parse_statement(parse_bundle(receipt.bundle).envelope.payload).predicate
    except (InputError, EvidenceError) as error:
        findings.add(error.code, place, error.message)
        return True, has_words
    for what, expected, got in _compare(predicate, stored):
        if expected != got:
            message = f"Expected the {what} of {expected} that its receipt signs, got {got}."
            findings.add(code="RECEIPT_MISMATCH", place=place, message=message)
    return True, has_words


def _compare(
    predicate: Predicate, stored: StoredVerification
) -> Iterator[tuple[str, object, object]]:
    """What a receipt signs of a verification, and what is kept of it, by name."""
    yield "payload", predicate.request.digest, stored.payload_digest
    if not stored.is_hash_only:
        yield "block", predicate.block_digest, digest_block(stored.block)
        return
    # Words that were kept at first can be erased behind a tombstone, and in no other way.
    yield "mode", predicate.request.toggles.get(SETTING), HASH_ONLY
    yield "block", str(predicate.block_digest), stored.block[KEPT]["block_digest"]
    yield (
        "verdicts",
        [(each.outcome, *each.codes, each.existence.offsets) for each in predicate.verdicts],
        [
            (each["outcome"], *each["codes"], _read_offsets(each["existence"]))
            for each in stored.block["verdicts"]
        ],
    )


def _read_offsets(existence: dict[str, Any]) -> tuple[int, int] | None:
    start, end = existence["char_start"], existence["char_end"]
    return None if start is None or end is None else (start, end)


def _is_erased_now(store: Store, kind: ErasedKind, subject: str) -> bool:
    """Whether it was erased while this looked, behind a tombstone of its own: no damage."""
    record = store.erasures.find(kind, subject)
    return record is not None and _is_tombstone_of(store, record)


def _check_erasures(store: Store, findings: Findings) -> frozenset[tuple[str, str]]:
    """Check erased items: a tombstone names each, and all of its content is gone."""
    found = set()
    for record in store.erasures.list():
        found.add((record.kind, record.subject))
        place = f"{record.kind} {record.subject}"
        if not _is_tombstone_of(store, record):
            message = f"Expected its tombstone at leaf {record.index} of {record.origin}, got none."
            findings.add(code="ERASURE_UNLOGGED", place=place, message=message)
        elif left := store.erasures.list_remaining(record):
            message = f"Expected nothing of it, got {len(left)} parts such as {left[0]}. {_AGAIN}"
            findings.add(code="ERASURE_UNDONE", place=place, message=message)
    for subject, origin, index in store.erasures.list_unrecorded():
        message = f"Expected what leaf {index} of {origin} says is erased to be gone. {_AGAIN}"
        findings.add(code="ERASURE_UNDONE", place=subject.partition(":")[2], message=message)
    return frozenset(found)


def _is_tombstone_of(store: Store, record: ErasureRecord) -> bool:
    """Whether the leaf's statement is the erasure of this; that it is the leaf's, the log says."""
    try:
        stored = LogReader.find(store.database, record.origin).find_statement(record.index)
        event = None if stored is None else parse_event(stored.statement.payload)
    except SpanproofError:
        return False
    named = (str(event.doc_hash), event.verification_id) if isinstance(event, Erasure) else ()
    subject = record.subject
    if record.kind == ANSWER:
        # No leaf has the id that a caller chose.
        subject = name_attempt(store.samples.answers.load(subject), 0)
    return subject in named


def _list_documents(store: Store) -> Iterator[DocumentRecord]:
    cursor = None
    while True:
        page = store.documents.list(cursor, _PAGE)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _list_verifications(store: Store) -> Iterator[VerificationSummary]:
    cursor = None
    while True:
        page = store.answers.list(cursor=cursor, limit=_PAGE)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return
