"""An answer's payload → its verification, kept: the payload as it came and the block beside it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import IntegrityError, MalformedReceiptError
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.hash_only import HASH_ONLY
from spanproof.operations.citations.modes import describe_mode
from spanproof.operations.citations.policies import find_policy, require_pinned_model
from spanproof.operations.keeping.words import find_words
from spanproof.operations.receipts.facts import (
    describe_issue,
    describe_request,
    digest_inputs,
    list_configuration,
)
from spanproof.operations.verification.events import emit_evaluations, log_citations
from spanproof.operations.verification.extent import read_extent
from spanproof.operations.verification.judging import judge
from spanproof.operations.verification.request import PLAIN_REQUEST

if TYPE_CHECKING:
    from spanproof.core.verdicts.hash_only import WithoutWords
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.context import Context
    from spanproof.operations.verification.judging import Judged
    from spanproof.operations.verification.request import VerificationRequest
    from spanproof.receipt.statement.issuance import IssueFacts
    from spanproof.verifier.formats.parsed import ParsedAnswer

#: A code of the answer: this clock stands before the window of a key that signs the receipt.
CLOCK_OUTSIDE_KEY = "CLOCK_OUTSIDE_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A block, the names under which it is kept, the caller's payload, and the receipt's bundle.

    ``size``: bytes of the payload as it came.
    """

    verification_id: str
    answer_id: str
    payload: dict[str, Any]
    size: int
    block: VerificationBlock
    receipt: dict[str, Any] | None

    @property
    def response(self) -> dict[str, Any]:
        """The same payload plus ``verification``, ``receipt`` and the two ids."""
        return to_response(
            self.payload | {"answer_id": self.answer_id},
            size=self.size,
            verification_id=self.verification_id,
            block=dict(block_to_json(self.block)),
            receipt=self.receipt,
        )

    def to_json(self) -> dict[str, Any]:
        """The response."""
        return self.response


def verify_payload(
    context: Context, raw: bytes, request: VerificationRequest = PLAIN_REQUEST
) -> Verification:
    """Verify one answer, keep it, and give a receipt for it.

    Documents that travel in the payload are ingested. Raises AnswerTooDenseError for an answer that
    asks for too much, of which the log does not hear; and LogError, and answers nothing, if the
    log takes no leaf.
    """
    from spanproof.verifier.extent import fit_block, most_block_bytes
    from spanproof.verifier.formats.registry import parse_payload

    parsed = parse_payload(raw, request.format)
    require_answer_extent(context, parsed, size=len(raw))
    policy = find_policy(context, request.format, request.policy or parsed.answer.policy)
    require_pinned_model(context, request.format)
    mode = find_words(context).mode
    keeps_words = mode != HASH_ONLY
    asked = describe_request(
        raw,
        context.settings,
        request,
        citations=describe_mode(context, request.format),
        words=None if keeps_words else HASH_ONLY,
    )
    verification_id = request.verification_id or str(uuid.uuid4())
    # From here on the log knows that this answer came in, even if the verification fails.
    with context.intakes.recording(verification_id, asked.digest, request.actor) as intake:
        judged = judge(context, parsed, policy, request)
        if context.issuer.is_clock_early():
            judged = judged.with_code(CLOCK_OUTSIDE_KEY)
        judged = replace(judged, block=fit_block(judged.block, most_block_bytes(parsed, len(raw))))
        verification = Verification(
            verification_id=verification_id,
            answer_id=request.answer_id or parsed.answer.answer_id or str(uuid.uuid4()),
            payload=parsed.payload,
            size=len(raw),
            block=judged.block,
            receipt=None,
        )
        block = dict(block_to_json(judged.block))
        log_citations(judged.answer, judged.block, answer_id=verification.answer_id)
        # First: a block that no receipt can hold is not kept either.
        issue = describe_issue(
            asked,
            verification_id=verification_id,
            intake=intake,
            verifier_version=judged.block.verifier_version,
            actor=request.actor,
        )
        payload = _state(context, parsed, judged, block, issue)
        rows = context.store.answers.make_rows(
            raw,
            block,
            payload=parsed.payload,
            verification_id=verification_id,
            answer_id=verification.answer_id,
            verified_at=judged.block.verified_at,
            # What is drawn was submitted: it may have been erased while it was judged.
            submitted=None if request.sampled is None else request.answer_id,
            kept=None if keeps_words else _remove_words(parsed, block),
            seals=mode == "encrypted",
        )
        bundle = context.issuer.issue(
            payload, verification_id=verification_id, intake=intake, beside=rows
        )
    emit_evaluations(judged.answer, judged.block, verification_id=verification_id)
    return replace(verification, receipt=bundle)


def _remove_words(parsed: ParsedAnswer, block: dict[str, Any]) -> WithoutWords:
    from spanproof.core.verdicts.hash_only import remove_words
    from spanproof.receipt.statement.issuance import digest_block

    return remove_words(parsed.payload, block, block_digest=digest_block(block))


def require_answer_extent(context: Context, parsed: ParsedAnswer, *, size: int) -> None:
    """Raise AnswerTooDenseError for an answer that asks for more than the settings allow."""
    from spanproof.verifier.extent import require_extent

    require_extent(parsed, read_extent(context.settings), size=size)


def _state(
    context: Context,
    parsed: ParsedAnswer,
    judged: Judged,
    block: dict[str, Any],
    issue: IssueFacts,
) -> bytes:
    """The statement that the receipt signs; what verdicts depend on is logged if it is new."""
    from spanproof.receipt.statement.issuance import build_predicate, find_used
    from spanproof.receipt.statement.statement import make_statement

    model, policy = judged.block.model, judged.block.policy
    used = find_used(block, judged.library)
    predicate = build_predicate(
        issue,
        block,
        answer=judged.answer,
        library=judged.library,
        policy=policy,
        model=model,
        digests=digest_inputs(parsed, judged.answer, issue.request),
        layouts=context.store.documents.layouts_of(
            each.extraction_id for each in used.values() if each.layout is not None
        ),
    )
    context.issuer.record_configuration(
        list_configuration(issue.request, policy, model, used.values())
    )
    try:
        return make_statement(predicate)
    except MalformedReceiptError as error:
        # We made it ourselves: no caller can repair it.
        msg = f"Expected a statement of ours that can be read, got one that cannot. {error.message}"
        raise IntegrityError(msg, hint="Report it with the answer that was verified.") from error


def to_response(
    payload: dict[str, Any],
    *,
    size: int,
    verification_id: str,
    block: dict[str, Any],
    receipt: dict[str, Any] | None,
) -> dict[str, Any]:
    """What a caller gets: the payload of ``size`` bytes, plus its block and the receipt.

    ``payload`` has the answer's id already.

    ``receipt`` is None for a verification that was made before there were receipts, or whose
    result the log did not take; then ``receipt_url`` is None too. It is also left out where the
    response would be longer than ``most_response_bytes``: ``receipt_url`` says where it is.
    """
    from spanproof.verifier.extent import measure, most_response_bytes

    url = None if receipt is None else f"/v1/verifications/{verification_id}/receipt"
    response = payload | {
        "verification_id": verification_id,
        "verification": block,
        "receipt": receipt,
        "receipt_url": url,
    }
    if receipt is not None and measure(response) > most_response_bytes(size):
        response["receipt"] = None
    return response
