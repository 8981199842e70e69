"""Erasing: the row that names a tombstone's leaf, then the words and the blobs behind it.

The order is the promise: first a leaf of the log, then its row here, then the content. A process
killed in between has removed nothing unlogged, and the same call again finishes the work. A blob
that something else still names stays: two documents of one text share it.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import exists, literal
from sqlmodel import col, select, update

from spanproof.core.errors import InputError, NotFoundError
from spanproof.store.blobs.staging import wrapped_disk_errors
from spanproof.store.database.columns import to_utc
from spanproof.store.documents.queries import find_document
from spanproof.store.documents.text_index import empty_fingerprints
from spanproof.store.erasing.document_blobs import is_named_elsewhere, list_blobs
from spanproof.store.erasing.refusal import (
    ANSWER,
    DOCUMENT,
    VERIFICATION,
    WORDS_KEY,
    ErasedKind,
    ErasureRecord,
    find_erasure,
    lock_answer,
    to_record,
)
from spanproof.store.erasing.submitted import (
    empty_answers,
    is_erased_answer,
    list_answers_of,
    list_outcomes_answers,
    list_remaining_of,
    list_verifications_of,
    load_submitted,
)
from spanproof.store.erasing.tables import ErasureRow
from spanproof.store.facts.tables import AnswerFactRow
from spanproof.store.facts.words import remove_words
from spanproof.store.log.tables import LogRow, StatementRow
from spanproof.store.mapping import from_stored_digest
from spanproof.store.migration import locked_file
from spanproof.store.samples.tables import SubmittedPayloadRow
from spanproof.store.tables import DocumentRow, PayloadRow, ReanchorRow, VerdictRow, VerificationRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import ColumnElement
    from sqlmodel import Session

    from spanproof.core.digest import Digest
    from spanproof.store.database.session import Database
    from spanproof.store.sealing.content_keys import ContentKeys
    from spanproof.store.sealing.document_blobs import DocumentBlobs

#: The kind of a tombstone's statement, and what its subject begins with.
STATEMENT_KIND = "erasure"
_LOCK_ID = "spanproof erasing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What an erasure removes, by digest; ``shared`` is named by something else, and stays."""

    digests: tuple[Digest, ...]
    shared: tuple[Digest, ...] = ()


class Erasures:
    """What was erased from a store."""

    def __init__(
        self, database: Database, blobs: DocumentBlobs, home: Path, keys: ContentKeys
    ) -> None:
        self._database = database
        self._keys = keys
        self._blobs = blobs
        self._turns = home / "erasing.lock"

    @contextmanager
    def database_lock(self) -> Iterator[None]:
        """One process at a time looks for a tombstone and logs a missing one.

        Raises StoreUnavailableError where the lock cannot be had.
        """
        with ExitStack() as held:
            with wrapped_disk_errors("lock the erasures of a home"):
                held.enter_context(locked_file(self._turns))
            if self._database.is_postgresql:
                # Users of one SQLite file share the home; a transaction would stop the log.
                held.enter_context(self._database.connection(_LOCK_ID))
            yield

    def resolve(self, ref: str) -> tuple[ErasedKind, str]:
        """The target of a reference, erased or not: a document, a verification, an answer.

        A ``doc_id`` is its newest version, an answer one that was submitted. Raises NotFoundError
        for a name that was never kept, InputError for an extraction, which is only a part of its
        document, and for a name that callers gave to two things.
        """
        with self._database.reading() as session:
            found = find_document(session, ref)
            if found is not None and found.extraction_id is not None:
                msg = f"Expected a document or a verification, got the extraction {ref!r}."
                raise InputError(msg, hint=f"Erase its document: {found.doc_hash}.")
            kinds: list[tuple[ErasedKind, str]] = []
            if found is not None:
                kinds.append((DOCUMENT, str(found.doc_hash)))
            if session.get(VerificationRow, ref) is not None:
                kinds.append((VERIFICATION, ref))
            if session.get(SubmittedPayloadRow, ref) is not None:
                kinds.append((ANSWER, ref))
        if len(kinds) > 1:
            names = " and ".join(
                "an answer" if kind == ANSWER else f"a {kind}" for kind, _ in kinds
            )
            msg = f"Expected one thing of the name {ref!r}, got {names}."
            raise InputError(msg, hint="Send POST /v1/erasures, which names the kind.")
        if kinds:
            return kinds[0]
        raise _missing(ref)

    def find(self, kind: ErasedKind, subject: str) -> ErasureRecord | None:
        """The erasure of a document or a verification; None without one."""
        with self._database.reading() as session:
            return find_erasure(session, kind, subject)

    def list(self) -> tuple[ErasureRecord, ...]:
        """Every erasure, in the order of the leaves."""
        with self._database.reading() as session:
            rows = session.exec(
                select(ErasureRow, LogRow.origin)
                .join(LogRow, col(LogRow.log_id) == ErasureRow.log_id)
                .order_by(col(ErasureRow.log_id), col(ErasureRow.idx))
            ).all()
        return tuple(to_record(row, origin) for row, origin in rows)

    def list_unrecorded(self) -> tuple[tuple[str, str, int], ...]:
        """Tombstones behind which nothing was recorded: subject, origin and index of each.

        A crash came in between, or somebody removed the row; erasing again mends it.
        """
        named = ErasureRow.kind + ":" + ErasureRow.subject
        query = (
            select(StatementRow.subject, LogRow.origin, StatementRow.idx)
            .join(LogRow, col(LogRow.log_id) == StatementRow.log_id)
            .where(
                StatementRow.kind == STATEMENT_KIND,
                ~exists().where(col(StatementRow.subject) == literal(f"{STATEMENT_KIND}:") + named),
            )
            .order_by(col(StatementRow.log_id), col(StatementRow.idx))
        )
        with self._database.reading() as session:
            return tuple((subject, origin, idx) for subject, origin, idx in session.exec(query))

    def list_content(self, kind: ErasedKind, subject: str) -> Content:
        """The content that would go, or has gone; NotFoundError for a name that was never kept."""
        with self._database.reading() as session:
            if kind == VERIFICATION:
                payload = session.get(PayloadRow, subject)
                if payload is None:
                    raise _missing(subject)
                submitted = [
                    answer.payload_sha256 for answer, _ in list_outcomes_answers(session, subject)
                ]
                # What was submitted is, as a rule, what was verified.
                digests = dict.fromkeys((payload.raw_sha256, payload.block_sha256, *submitted))
                return Content(digests=tuple(map(from_stored_digest, digests)))
            if kind == ANSWER:
                answer, _ = load_submitted(session, subject)
                return Content(digests=(from_stored_digest(answer.payload_sha256),))
            if session.get(DocumentRow, subject) is None:
                raise _missing(subject)
            named = list_blobs(session, subject)
            shared = {each for each in named if is_named_elsewhere(session, each, subject)}
        return Content(
            digests=tuple(from_stored_digest(each) for each in named if each not in shared),
            shared=tuple(from_stored_digest(each) for each in named if each in shared),
        )

    def list_quoting(self, doc_hash: Digest) -> tuple[str, ...]:
        """The verifications that cite a document and are kept: payload and block may quote it."""
        query = (
            select(VerdictRow.verification_id)
            .where(col(VerdictRow.doc_hash) == str(doc_hash), ~_is_erased(VERIFICATION))
            .distinct()
            .order_by(col(VerdictRow.verification_id))
        )
        with self._database.reading() as session:
            return tuple(session.exec(query).all())

    def find_answers(self, verification_id: str) -> tuple[tuple[str, bool], ...]:
        """The submitted answers whose words a verification has or had.

        And of each, whether it is erased by its own name: else its bytes went with its outcome.
        """
        with self._database.reading() as session:
            return tuple(
                (
                    answer.answer_id,
                    bool(kept.raw) or is_erased_answer(session, answer.answer_id),
                )
                for answer, kept in list_answers_of(session, verification_id)
            )

    def list_verifications(self, answer_id: str) -> tuple[str, ...]:
        """The verifications that have the words of a submitted answer, or had them."""
        with self._database.reading() as session:
            return list_verifications_of(session, answer_id)

    def record(self, erasure: ErasureRecord) -> ErasureRecord:
        """Keep an erasure whose leaf is logged; the one that is kept, where there is one."""
        kind, subject = erasure.kind, erasure.subject
        erasure = replace(erasure, erased_at=to_utc(erasure.erased_at))
        with self._database.writing(f"{kind} {subject}") as session:
            if kind == ANSWER:
                lock_answer(session, subject)
            known = find_erasure(session, kind, subject)
            if known is not None:
                return known
            of_origin = select(LogRow.log_id).where(LogRow.origin == erasure.origin)
            session.add(
                ErasureRow(
                    kind=kind,
                    subject=subject,
                    log_id=session.exec(of_origin).one(),
                    idx=erasure.index,
                    reason=erasure.reason,
                    erased_at=erasure.erased_at,
                )
            )
        return erasure

    def remove(self, kind: ErasedKind, subject: str) -> int:
        """Remove the content of a recorded erasure; return how many parts were still there.

        Again does nothing more. NotFoundError where no erasure of it is recorded.
        """
        if self.find(kind, subject) is None:
            msg = f"Expected a {kind} whose erasure is recorded, got {subject!r}."
            raise NotFoundError(msg, hint="Log and record the erasure first.")
        if kind == DOCUMENT:
            # Before the blobs: while one of them is here, the erasure counts as unfinished.
            with self._database.erasing(f"document {subject}") as session:
                empty_fingerprints(session, subject)
            named = self.list_content(kind, subject)
            # A process that adds a document of the same text waits, then finds the blob gone.
            keys = [f"blob {each}" for each in (*named.digests, *named.shared)]
            with self._database.writing(f"document {subject}", *keys):
                return sum(map(self._blobs.remove, self.list_content(kind, subject).digests))
        self._destroy_keys(kind, subject)
        with self._database.erasing(f"{kind} {subject}", WORDS_KEY) as session:
            if kind == ANSWER:
                return empty_answers(session, [load_submitted(session, subject)])
            return _empty_verification(session, subject)

    def _destroy_keys(self, kind: ErasedKind, subject: str) -> None:
        """Of the words of a verification or an answer; no copy of them can be read after it."""
        answers = [subject]
        if kind == VERIFICATION:
            with self._database.reading() as session:
                answers = [each.answer_id for each, _ in list_outcomes_answers(session, subject)]
            self._keys.destroy(VERIFICATION, [subject])
        self._keys.destroy(ANSWER, answers)

    def list_remaining(self, record: ErasureRecord) -> tuple[Digest, ...]:
        """Blobs or digests of words that are recorded as erased and are still here."""
        if record.kind == ANSWER:
            with self._database.reading() as session:
                return tuple(map(from_stored_digest, list_remaining_of(session, record.subject)))
        content = self.list_content(record.kind, record.subject)
        if record.kind == DOCUMENT:
            return tuple(each for each in content.digests if self._blobs.has(each))
        with self._database.reading() as session:
            payload = session.get(PayloadRow, record.subject)
            submitted = list_answers_of(session, record.subject)
        if payload is None:
            return ()
        parts = [(payload.raw, payload.raw_sha256), (payload.block, payload.block_sha256)]
        parts += [(kept.raw, answer.payload_sha256) for answer, kept in submitted]
        left = dict.fromkeys(digest for part, digest in parts if part)
        return tuple(map(from_stored_digest, left))


def _is_erased(kind: ErasedKind) -> ColumnElement[bool]:
    return exists().where(
        col(ErasureRow.kind) == kind, col(ErasureRow.subject) == col(VerdictRow.verification_id)
    )


def _empty_verification(session: Session, verification_id: str) -> int:
    """Empty the words; every digest and every figure stays. The triggers allow exactly this."""
    payload = session.get(PayloadRow, verification_id)
    parts = 0 if payload is None else sum(bool(part) for part in (payload.raw, payload.block))
    submitted = empty_answers(session, list_outcomes_answers(session, verification_id))
    if not parts:
        return submitted
    for table, emptied in (
        (PayloadRow, {"raw": b"", "block": b""}),
        (VerificationRow, {"excerpt": ""}),
        (ReanchorRow, {"detail_json": "{}"}),
        (AnswerFactRow, {"labels_json": "[]"}),
    ):
        mine = col(table.verification_id) == verification_id
        session.exec(update(table).where(mine).values(**emptied))
    remove_words(session.connection(), verification_id)
    return parts + submitted


def _missing(subject: str) -> NotFoundError:
    msg = f"Expected a document or a verification that is kept here, got {subject!r}."
    return NotFoundError(msg, hint="Give a doc_id, doc_hash or verification_id.")
