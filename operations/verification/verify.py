"""An answer's payload → its verification, kept: the payload as it came and the block beside it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import PREFIX, Digest
from spanproof.core.errors import IntegrityError, MalformedReceiptError
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.operations.citations.modes import describe_mode
from spanproof.operations.documents.cross_check import SampledWitness
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.entailment.timed import TimedEntailment
from spanproof.operations.indexes.facts import with_indexes
from spanproof.operations.receipts.facts import (
    describe_issue,
    describe_request,
    digest_inputs,
    list_configuration,
)
from spanproof.operations.verification.citation_events import log_citations
from spanproof.operations.verification.evaluation_events import emit_evaluations
from spanproof.operations.verification.fields import count_field_remarks
from spanproof.operations.verification.latency import WHOLE, Latency
from spanproof.receipt.statement.predicate import NOBODY, Actor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.citation import Answer, Citation, Retrieval
    from spanproof.core.documents.document import Library
    from spanproof.core.log.checkpoint import LoggedLeaf
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verification_block import RepairReport, VerificationBlock
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.issuance import RequestFacts
    from spanproof.verifier.formats.parsed import Attachment, ParsedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairChoice:
    """A wish for repair: only of an answer that cites nothing, or of any uncited sentence."""

    sentences: bool = False
    max_repairs: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A block, the names under which it is kept, the caller's payload, and the receipt's bundle."""

    verification_id: str
    answer_id: str
    payload: dict[str, Any]
    block: VerificationBlock
    receipt: dict[str, Any] | None

    @property
    def response(self) -> dict[str, Any]:
        """The same payload plus ``verification``, ``receipt`` and the two ids."""
        return to_response(
            self.payload,
            verification_id=self.verification_id,
            answer_id=self.answer_id,
            block=block_to_json(self.block),
            receipt=self.receipt,
        )

    def to_json(self) -> dict[str, Any]:
        """The response."""
        return self.response


def verify_payload(  # noqa: PLR0913 - what a caller may choose, and what a job must
    services: Context,
    raw: bytes,
    *,
    format: str = "native",  # noqa: A002 - the contract's word
    policy: str | None = None,
    repair: RepairChoice | None = None,
    verification_id: str | None = None,
    answer_id: str | None = None,
    sampled: Mapping[str, str] | None = None,
    verified_at: datetime | None = None,
    actor: Actor = NOBODY,
    latency: Latency = WHOLE,
) -> Verification:
    """Verify one answer, keep it, and give a receipt for it.

    ``format`` is one name of the contract, or several joined by commas; ``policy`` wins over the
    answer's own, and that over the setting's. Documents that travel in the payload are ingested.
    ``repair`` asks for citations of sentences that have none; they stand in the block only.
    ``verification_id`` and ``answer_id`` are made where they are not given, ``sampled`` is how the
    answer was drawn (spanproof.receipt.statement.predicate), ``verified_at`` (now) the moment of a
    judgement that is made again, ``actor`` who asked: the intake and the receipt name it.
    ``latency`` is how much of the model is asked. Raises LogError, and answers nothing, where the
    log takes no leaf.
    """
    from spanproof.verifier.formats.registry import parse_payload

    parsed = parse_payload(raw, format)
    chosen = load_named_policy(policy or parsed.answer.policy or services.settings.policy)
    request = describe_request(
        raw,
        services.settings,
        format=format,
        policy=policy,
        repair=repair,
        citations=describe_mode(services, format),
    )
    if sampled is not None:
        request = replace(request, sampled=sampled)
    verification_id = verification_id or str(uuid.uuid4())
    # From here on the log knows that this answer came in, whatever comes of it.
    with services.issuer.taking_in(verification_id, request.digest, actor) as intake:
        judged = judge(services, parsed, chosen, repair, verified_at=verified_at, latency=latency)
        verification = Verification(
            verification_id=verification_id,
            answer_id=answer_id or parsed.answer.answer_id or str(uuid.uuid4()),
            payload=parsed.payload,
            block=judged.block,
            receipt=None,
        )
        block = block_to_json(judged.block)
        log_citations(judged.answer, judged.block, answer_id=verification.answer_id)
        # First: a block that no receipt can hold is not kept either.
        payload = _state(
            services,
            parsed,
            judged,
            block,
            request=request,
            intake=intake,
            verification_id=verification_id,
            actor=actor,
        )
        rows = services.store.answers.make_rows(
            raw,
            block,
            payload=parsed.payload,
            verification_id=verification_id,
            answer_id=verification.answer_id,
            verified_at=judged.block.verified_at,
            # What is drawn was submitted: it may have been erased while it was judged.
            submitted=None if sampled is None else answer_id,
        )
        bundle = services.issuer.issue(
            payload, verification_id=verification_id, intake=intake, beside=rows
        )
    emit_evaluations(judged.answer, judged.block, verification_id=verification_id)
    return replace(verification, receipt=bundle)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A block and what it was made from; ``answer`` has the citations that were judged."""

    block: VerificationBlock
    answer: Answer
    library: Library
    model: EntailmentModel


def judge(  # noqa: PLR0913 - an answer, how it is judged, and when
    services: Context,
    parsed: ParsedAnswer,
    policy: Policy,
    repair: RepairChoice | None,
    *,
    verified_at: datetime | None = None,
    latency: Latency = WHOLE,
) -> Judged:
    """Ask the model: the judgement, of which nothing is kept or logged yet."""
    from spanproof.verifier.verify import verify

    for attachment in parsed.attachments:
        ingest_attachment(services, attachment)
    verified_at = verified_at or datetime.now(UTC)
    known = services.store.documents.load_library(*list_documents(parsed.answer))
    library = with_indexes(services, known, parsed.answer, until=verified_at)
    model = latency.choose_model(services)
    answer, report = repair_answer(parsed.answer, library, model, policy, repair)
    block = verify(
        answer,
        library,
        TimedEntailment(model, services.metrics.verifier),
        policy,
        verified_at=verified_at,
        imported=parsed.imported,
        witness=SampledWitness(services),
    )
    block = latency.tell(replace(block, repair=report), model)
    services.metrics.count_verification(block.result.value)
    services.metrics.sampling.count_verdicts(block.verdicts)
    services.metrics.sampling.tell_success(block.verified_at)
    count_field_remarks(parsed, services.metrics)
    services.metrics.fields.count_block(block)
    services.metrics.verifier.tell_verifier(block.verifier_version, block.model)
    services.metrics.count_calibration(block.calibration.status.value)
    return Judged(block=block, answer=answer, library=library, model=model)


def _state(  # noqa: PLR0913 - the block in both its forms, and what the receipt says beside it
    services: Context,
    parsed: ParsedAnswer,
    judged: Judged,
    block: dict[str, Any],
    *,
    request: RequestFacts,
    intake: LoggedLeaf,
    verification_id: str,
    actor: Actor,
) -> bytes:
    """The statement that the receipt signs; what verdicts hang on is logged where it is new."""
    from spanproof.receipt.statement.issuance import build_predicate, find_used
    from spanproof.receipt.statement.statement import make_statement

    model, policy = judged.block.model, judged.block.policy
    used = find_used(block, judged.library)
    predicate = build_predicate(
        describe_issue(
            request,
            verification_id=verification_id,
            intake=intake,
            verifier_version=judged.block.verifier_version,
            actor=actor,
        ),
        block,
        answer=judged.answer,
        library=judged.library,
        policy=policy,
        model=model,
        digests=digest_inputs(parsed, judged.answer, request),
        layouts=services.store.documents.layouts_of(
            each.extraction_id for each in used.values() if each.layout is not None
        ),
    )
    services.issuer.record_configuration(list_configuration(request, policy, model, used.values()))
    try:
        return make_statement(predicate)
    except MalformedReceiptError as error:
        # Of our own making: no caller can mend it.
        msg = f"Expected a statement of ours that can be read, got one that cannot. {error.message}"
        raise IntegrityError(msg, hint="Report it with the answer that was verified.") from error


def repair_answer(
    answer: Answer,
    library: Library,
    model: EntailmentModel,
    policy: Policy,
    choice: RepairChoice | None,
) -> tuple[Answer, RepairReport | None]:
    """The answer with what was attached to it, and the account of that; as it is without a choice.

    The same answer, library, model and policy give the same citations: so a replay finds them.
    """
    if choice is None:
        return answer, None
    from spanproof.verifier.answers.repair import repair

    done = repair(
        answer,
        library,
        model,
        policy,
        max_repairs=choice.max_repairs,
        sentences=choice.sentences,
    )
    return done.answer, done.report


def ingest_attachment(services: Context, attachment: Attachment) -> None:
    """Keep a document that came inside a payload; raise what refuses it."""
    ingest_stream(
        services,
        [attachment.data],
        filename=None,
        media_type=attachment.media_type,
        doc_id=None,
        title=attachment.title,
    )


def load_named_policy(name: str) -> Policy:
    """The policy of that name; raise UnknownPolicyError for any other."""
    from spanproof.verifier.policies import load_policy

    return load_policy(name)


def list_documents(answer: Answer) -> tuple[list[Digest], list[str]]:
    """The hashes and the names of every document supplied with the answer, each once."""
    hashes = [Digest.parse(ref) for ref in answer.documents if ref.startswith(PREFIX)]
    names = [ref for ref in answer.documents if not ref.startswith(PREFIX)]
    parts: list[Retrieval | Citation] = [*answer.retrieved, *answer.citations]
    hashes += [part.doc_hash for part in parts if part.doc_hash is not None]
    names += [part.doc_id for part in parts if part.doc_id is not None]
    return list(dict.fromkeys(hashes)), list(dict.fromkeys(names))


def to_response(
    payload: dict[str, Any],
    *,
    verification_id: str,
    answer_id: str,
    block: dict[str, Any],
    receipt: dict[str, Any] | None,
) -> dict[str, Any]:
    """What a caller gets: the payload as given, plus the ids, the block and its receipt.

    ``receipt`` is None for a verification that was made before there were receipts, or whose
    result the log did not take.
    """
    return payload | {
        "answer_id": answer_id,
        "verification_id": verification_id,
        "verification": block,
        "receipt": receipt,
    }
