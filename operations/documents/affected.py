"""The kept answers that a new look at a document would judge by other codes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import VerificationErasedError
from spanproof.core.moment import write_moment
from spanproof.operations.documents.references import load_record
from spanproof.operations.documents.source_states import find_states
from spanproof.store.records import VerificationFilter
from spanproof.verifier.formats.registry import parse_payload
from spanproof.verifier.identity.standing import check_standing

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.store.records import VerificationSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedAnswer:
    """A kept verification that cites the document; ``codes`` are what a new one would add."""

    verification: VerificationSummary
    generated_at: datetime | None
    codes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """A row of the list."""
        kept, made = self.verification, self.generated_at
        return {
            "verification_id": kept.verification_id,
            "answer_id": kept.answer_id,
            "verified_at": write_moment(kept.verified_at),
            "generated_at": None if made is None else write_moment(made),
            "result": kept.result,
            "codes": list(self.codes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedPage:
    """A page of them; ``next_cursor`` is None on the last. A page may have fewer rows than asked.

    ``looked_at`` counts the verifications of this page that cite the document.
    """

    answers: tuple[AffectedAnswer, ...]
    looked_at: int
    next_cursor: str | None

    def to_json(self) -> dict[str, Any]:
        """The list as it is sent."""
        return {
            "affected": [each.to_json() for each in self.answers],
            "looked_at": self.looked_at,
            "next_cursor": self.next_cursor,
        }


def list_affected(
    context: Context, ref: str, *, cursor: str | None = None, limit: int = 50
) -> AffectedPage:
    """The kept verifications that a new look at the document would judge by other codes.

    Of an erased answer the moment is that of its verification.
    """
    doc_hash = load_record(context, ref).document.doc_hash
    return list_affected_by(context, doc_hash, cursor, limit)


def list_affected_by(
    context: Context, doc_hash: Digest, cursor: str | None, limit: int
) -> AffectedPage:
    """The same of a document by its digest, kept here or not."""
    state = find_states(context, [doc_hash]).get(doc_hash)
    page = context.store.answers.list(VerificationFilter(doc_hash=doc_hash), cursor, limit)
    found, now = [], datetime.now(UTC)
    for each in page.items:
        made, told = _read_kept(context, each, doc_hash)
        codes = check_standing(state, generated_at=made or each.verified_at, verified_at=now)
        fresh = tuple(code for code in codes if code not in told)
        if fresh:
            found.append(AffectedAnswer(verification=each, generated_at=made, codes=fresh))
    return AffectedPage(
        answers=tuple(found), looked_at=len(page.items), next_cursor=page.next_cursor
    )


def _read_kept(
    context: Context, summary: VerificationSummary, doc_hash: Digest
) -> tuple[datetime | None, frozenset[str]]:
    """When the answer was made, and the codes that its kept verdicts on the document have."""
    try:
        stored = context.store.answers.load(summary.verification_id)
    except VerificationErasedError:
        return None, frozenset()
    verdicts = stored.block["verdicts"]
    told = {
        code
        for verdict in verdicts
        if verdict["identity"]["doc_hash"] == str(doc_hash)
        for code in verdict["codes"]
    }
    answer = parse_payload(stored.raw, stored.block["import"]["format"]).answer
    return answer.generated_at, frozenset(told)
