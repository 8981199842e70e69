"""Verifications that are kept: one whole, or a page of the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.moment import write_moment
from spanproof.operations.receipts.stored import find_receipt
from spanproof.operations.verification.verify import to_response
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.store.records import VerificationFilter, VerificationPage, VerificationSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationListReport:
    """One page of verifications, newest first."""

    page: VerificationPage

    def to_json(self) -> dict[str, Any]:
        """``verifications`` and the cursor of the next page."""
        return {
            "verifications": [summary_to_json(item) for item in self.page.items],
            "next_cursor": self.page.next_cursor,
        }


def summary_to_json(item: VerificationSummary) -> dict[str, Any]:
    """A verification's row in a list."""
    return {
        "verification_id": item.verification_id,
        "answer_id": item.answer_id,
        "verified_at": write_moment(item.verified_at),
        "result": item.result,
        "citation_level": item.level,
        "verdicts": item.verdicts,
        "generator_model": item.generator_model,
        "prompt_id": item.prompt_id,
        "excerpt": item.excerpt,
    }


def show_verification(context: Context, verification_id: str) -> dict[str, Any]:
    """The payload as it came, plus the ids, the block and its receipt as they were kept."""
    stored = context.store.answers.load(verification_id)
    parsed = parse_payload(stored.raw, stored.block["import"]["format"])
    return to_response(
        parsed.payload | {"answer_id": stored.answer_id},
        size=len(stored.raw),
        verification_id=stored.verification_id,
        block=stored.block,
        receipt=find_receipt(context, verification_id),
    )


def show_feedback(context: Context, verification_id: str) -> dict[str, Any]:
    """What a regeneration of the answer has to fix, by the block as it was kept."""
    from spanproof.verifier.answers.feedback import read_feedback

    stored = context.store.answers.load(verification_id).require_words()
    parsed = parse_payload(stored.raw, stored.block["import"]["format"])
    items = read_feedback(stored.block, parsed.answer.prose)
    return {
        "verification_id": stored.verification_id,
        "result": stored.block["result"],
        "items": [item.to_json() for item in items],
    }


def list_verifications(
    context: Context,
    wanted: VerificationFilter,
    *,
    cursor: str | None = None,
    limit: int = 50,
) -> VerificationListReport:
    """One page of the verifications that match the filter."""
    return VerificationListReport(page=context.store.answers.list(wanted, cursor, limit))
