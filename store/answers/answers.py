"""Answers and their verifications: the unchanged payload, the block, and rows to search by."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlmodel import and_, col, or_, select

from spanproof.core.digest import Digest
from spanproof.core.errors import (
    BlobDigestMismatchError,
    IntegrityError,
    KeyUnavailableError,
    VerificationNotFoundError,
)
from spanproof.core.verdicts.hash_only import KEPT, NOT_KEPT
from spanproof.store.answers.answer_rows import AnswerRows, to_verdict_rows, to_verification_row
from spanproof.store.answers.filters import to_conditions
from spanproof.store.database.columns import to_utc
from spanproof.store.database.cursor import Position, check_limit, parse_cursor, to_cursor
from spanproof.store.erasing.refusal import VERIFICATION, find_refusals
from spanproof.store.facts.intake import list_answer_words, to_fact_row
from spanproof.store.mapping import from_stored_digest, from_verification_row
from spanproof.store.names import check_name
from spanproof.store.records import StoredVerification, VerificationFilter, VerificationPage
from spanproof.store.tables import PayloadRow, VerificationRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from spanproof.core.errors import SpanproofError
    from spanproof.core.verdicts.hash_only import WithoutWords
    from spanproof.store.database.session import Database
    from spanproof.store.sealing.content_keys import ContentKeys

__all__ = ["Answers", "StoredVerification", "VerificationFilter", "VerificationPage"]

#: Stands in lists in place of the beginning of an answer that is encrypted.
SEALED_EXCERPT = "(encrypted)"
_NO_FILTER = VerificationFilter()


class Answers:
    """What is kept of answers and their verification blocks."""

    def __init__(self, database: Database, keys: ContentKeys) -> None:
        self._database = database
        self._keys = keys

    def add(  # noqa: PLR0913 - an answer, its block, and the names of both
        self,
        raw: bytes,
        block: dict[str, Any],
        *,
        verification_id: str,
        answer_id: str,
        verified_at: datetime,
        payload: dict[str, Any] | None = None,
    ) -> None:
        """Keep an answer's bytes and its block; ConflictError where the id is taken.

        The search columns come from ``payload``, which has ``answer`` and ``citations`` in the
        native shape; None where the bytes themselves have them.
        """
        rows = self.make_rows(
            raw,
            block,
            verification_id=verification_id,
            answer_id=answer_id,
            verified_at=verified_at,
            payload=payload,
        )
        with self._database.connection(f"verification {verification_id}") as connection:
            rows.write(connection)

    def make_rows(  # noqa: PLR0913 - an answer, its block, and the names of both
        self,
        raw: bytes,
        block: dict[str, Any],
        *,
        verification_id: str,
        answer_id: str,
        verified_at: datetime,
        payload: dict[str, Any] | None = None,
        submitted: str | None = None,
        kept: WithoutWords | None = None,
        seals: bool = False,
    ) -> AnswerRows:
        """What ``add`` writes, to be written in a transaction of another's.

        ``submitted`` is the id of the submitted answer that was verified, where it is one. ``kept``
        takes the place of the answer's bytes and block where no words are kept; ``seals`` encrypts
        them with a key of their own, which is durable when this returns.
        Raises InputError for a name that no index holds, IntegrityError for a malformed block.
        """
        given = _parse_payload(raw) if payload is None else payload
        check_name("verification_id", verification_id)
        check_name("answer_id", answer_id)
        moment = to_utc(verified_at)
        written = _dump_block(block if kept is None else kept.block)
        shown = SEALED_EXCERPT if seals else None if kept is None else NOT_KEPT
        put = self._make_seal(verification_id) if seals else _leave
        try:
            verification = to_verification_row(
                block,
                given if shown is None else {**given, "answer": shown},
                verification_id=verification_id,
                answer_id=answer_id,
                verified_at=moment,
            )
            others = to_verdict_rows(block, given, verification_id=verification_id)
            return AnswerRows(
                verification=verification,
                payload={
                    "verification_id": verification_id,
                    "raw": put(raw if kept is None else kept.raw),
                    "raw_sha256": str(Digest.of(raw)),
                    "block": put(written),
                    "block_sha256": str(Digest.of(written)),
                },
                others=others,
                facts=to_fact_row(verification, others, block, given),
                words=list_answer_words(block, given) if shown is None else "",
                submitted=submitted,
            )
        except (KeyError, TypeError, AttributeError) as error:
            msg = f"Expected a verification block, got one that lacks a field ({error!r})."
            raise IntegrityError(msg, hint="Hand over block_to_json(block).") from error

    def _make_seal(self, verification_id: str) -> Callable[[bytes], bytes]:
        key = self._keys.make_all(VERIFICATION, [verification_id])[verification_id]
        return partial(self._keys.seal, VERIFICATION, verification_id, key)

    def has(self, verification_id: str) -> bool:
        """Whether a verification of that id is kept; its bytes are not looked at."""
        with self._database.reading() as session:
            return session.get(VerificationRow, verification_id) is not None

    def list_ids(self) -> list[str]:
        """The ids of all verifications, erased ones too, in no order."""
        with self._database.reading() as session:
            return list(session.exec(select(VerificationRow.verification_id)).all())

    def load(self, verification_id: str) -> StoredVerification:
        """The payload and the block, digested again; VerificationErasedError if they are gone."""
        found = self.load_several([verification_id])[verification_id]
        if isinstance(found, StoredVerification):
            return found
        raise found

    def load_several(
        self, verification_ids: Sequence[str]
    ) -> dict[str, StoredVerification | SpanproofError]:
        """Each of these as ``load`` gives it, or the error that ``load`` raises."""
        mine = col(VerificationRow.verification_id).in_(verification_ids)
        query = select(VerificationRow, PayloadRow).where(mine)
        beside = col(PayloadRow.verification_id) == col(VerificationRow.verification_id)
        with self._database.reading() as session:
            found = {
                row.verification_id: (row, payload)
                for row, payload in session.exec(query.outerjoin(PayloadRow, beside))
            }
            erased = find_refusals(session, VERIFICATION, verification_ids)
        return {
            each: erased.get(each) or self._to_stored(each, *found.get(each, (None, None)))
            for each in verification_ids
        }

    def _to_stored(
        self, verification_id: str, row: VerificationRow | None, payload: PayloadRow | None
    ) -> StoredVerification | SpanproofError:
        if row is None:
            msg = f"Expected a verification that is kept here, got {verification_id!r}."
            return VerificationNotFoundError(msg, hint="Give an id that 'verify' returned.")
        if payload is None:
            msg = f"Expected a payload of verification {verification_id!r}, got none."
            return IntegrityError(msg, hint="Restore the store from a backup.")
        try:
            raw, written = (
                self._keys.open(VERIFICATION, verification_id, each)
                for each in (payload.raw, payload.block)
            )
            _check_digest(written, payload.block_sha256, "block")
            block: dict[str, Any] = json.loads(written)
            own = block[KEPT]["payload_sha256"] if KEPT in block else payload.raw_sha256
            _check_digest(raw, own, "payload")
        except (IntegrityError, KeyUnavailableError) as error:
            return error
        return StoredVerification(
            verification_id=row.verification_id,
            answer_id=row.answer_id,
            raw=raw,
            block=block,
            verified_at=row.verified_at,
            payload_digest=from_stored_digest(payload.raw_sha256),
        )

    def list(
        self,
        filters: VerificationFilter = _NO_FILTER,
        cursor: str | None = None,
        limit: int = 50,
    ) -> VerificationPage:
        """The verifications that pass the filters, newest first.

        A cursor of a list with other filters, or a malformed one, raises InputError.
        """
        check_limit(limit)
        listing = f"verifications {filters!r}"
        when, key = col(VerificationRow.verified_at), col(VerificationRow.verification_id)
        query = select(VerificationRow).where(*to_conditions(filters))
        if cursor is not None:
            last = parse_cursor(cursor, listing)
            query = query.where(or_(when < last.moment, and_(when == last.moment, key < last.key)))
        with self._database.reading() as session:
            rows = session.exec(query.order_by(when.desc(), key.desc()).limit(limit + 1)).all()
        shown = rows[:limit]
        ending = None
        if len(rows) > limit:
            ending = Position(moment=shown[-1].verified_at, key=shown[-1].verification_id)
        return VerificationPage(
            items=tuple(from_verification_row(row) for row in shown),
            next_cursor=None if ending is None else to_cursor(ending, listing),
        )


def _leave(content: bytes) -> bytes:
    return content


def _dump_block(block: dict[str, Any]) -> bytes:
    # ASCII with escapes: a lone surrogate in a claim has no UTF-8, and is legal in JSON.
    try:
        written = json.dumps(block, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError) as error:
        msg = "Expected a verification block of plain JSON values, got one that JSON cannot hold."
        raise IntegrityError(msg, hint="Hand over block_to_json(block).") from error
    return written.encode("ascii")


def _parse_payload(raw: bytes) -> dict[str, Any]:
    # Every payload is kept; one that is no native answer just has no fields to search by.
    try:
        payload = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _check_digest(content: bytes, digest: str, what: str) -> None:
    found = str(Digest.of(content))
    if found != digest:
        msg = f"Expected a {what} of {digest}, got {found}."
        raise BlobDigestMismatchError(msg, hint="Restore the store from a backup.")
