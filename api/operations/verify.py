"""An answer's payload → its verification, kept: the payload as it came and the block beside it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from api.operations.citation_events import log_citations
from api.operations.fields import count_field_remarks
from api.operations.ingest import ingest_stream
from api.operations.witness import SampledWitness
from core.block_json import block_to_json
from core.digest import PREFIX, Digest

if TYPE_CHECKING:
    from api.wiring import Services
    from core.citation import Answer, Citation, Retrieval
    from core.document import Library
    from core.policy import Policy
    from core.ports import EntailmentModel
    from core.verdict import RepairReport, VerificationBlock
    from verifier.formats.parsed import Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairChoice:
    """A wish for repair: only of an answer that cites nothing, or of any uncited sentence."""

    sentences: bool = False
    max_repairs: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A block, the names under which it is kept, and the payload that the caller sent."""

    verification_id: str
    answer_id: str
    payload: dict[str, Any]
    block: VerificationBlock

    @property
    def response(self) -> dict[str, Any]:
        """The same payload plus ``verification`` and the two ids."""
        return to_response(
            self.payload,
            verification_id=self.verification_id,
            answer_id=self.answer_id,
            block=block_to_json(self.block),
        )

    def to_json(self) -> dict[str, Any]:
        """The response."""
        return self.response


def verify_payload(
    services: Services,
    raw: bytes,
    *,
    format: str = "native",  # noqa: A002 - the contract's word
    policy: str | None = None,
    repair: RepairChoice | None = None,
) -> Verification:
    """Verify one answer and keep it.

    ``format`` is one name of the contract, or several joined by commas; ``policy`` wins over the
    answer's own, and that over the setting's. Documents that travel in the payload are ingested.
    ``repair`` asks for citations of sentences that have none; they stand in the block only.
    """
    from verifier.formats.registry import parse_payload
    from verifier.verify import verify

    parsed = parse_payload(raw, format)
    answer = parsed.answer
    for attachment in parsed.attachments:
        ingest_attachment(services, attachment)
    chosen = load_named_policy(policy or answer.policy or services.settings.policy)
    library = services.store.documents.load_library(*list_documents(answer))
    verified_at = datetime.now(UTC)
    model = services.model
    answer, report = repair_answer(answer, library, model, chosen, repair)
    block = verify(
        answer,
        library,
        model,
        chosen,
        verified_at=verified_at,
        imported=parsed.imported,
        witness=SampledWitness(services),
    )
    block = replace(block, repair=report)
    services.metrics.count_verification(block.result.value)
    count_field_remarks(parsed, services.metrics)
    services.metrics.count_calibration(block.calibration.status.value)
    verification = Verification(
        verification_id=str(uuid.uuid4()),
        answer_id=answer.answer_id or str(uuid.uuid4()),
        payload=parsed.payload,
        block=block,
    )
    log_citations(answer, block, answer_id=verification.answer_id)
    services.store.answers.add(
        raw,
        block_to_json(block),
        payload=parsed.payload,
        verification_id=verification.verification_id,
        answer_id=verification.answer_id,
        verified_at=verified_at,
    )
    return verification


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
    from verifier.repair import repair

    done = repair(
        answer,
        library,
        model,
        policy,
        max_repairs=choice.max_repairs,
        sentences=choice.sentences,
    )
    return done.answer, done.report


def ingest_attachment(services: Services, attachment: Attachment) -> None:
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
    from verifier.policies import load_policy

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
    payload: dict[str, Any], *, verification_id: str, answer_id: str, block: dict[str, Any]
) -> dict[str, Any]:
    """What a caller gets: the payload as given, plus the ids and the block."""
    return payload | {
        "answer_id": answer_id,
        "verification_id": verification_id,
        "verification": block,
    }
