"""Log events about the citations of an answer: counts and names, never a word of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanproof.core.citation import Answer
    from spanproof.core.verdicts.verification_block import VerificationBlock


def log_citations(answer: Answer, block: VerificationBlock, *, answer_id: str) -> None:
    """``citation_extraction_complete``, and ``citation_repair`` where a repair was asked for.

    ``intent`` and ``query_type`` are the answer's labels of these names.
    """
    import structlog

    labels = dict(answer.labels)
    repair = block.repair
    common: dict[str, Any] = {
        "answer_id": answer_id,
        "session_id": answer.session_id,
        "intent": labels.get("intent"),
        "query_type": labels.get("query_type"),
    }
    log = structlog.get_logger()
    log.info(
        "citation_extraction_complete",
        **common,
        citations_extracted=block.declared_count,
        orphans=len(block.orphan_anchors),
        evidence_chunks_available=len(answer.retrieved),
        citation_density=round(block.citation_density, 6),
        level=block.level,
        repaired=0 if repair is None else repair.attached,
    )
    if repair is not None:
        log.info(
            "citation_repair",
            **common,
            attached=repair.attached,
            rejected_not_entailed=repair.rejected_not_entailed,
            skipped=repair.skipped,
        )
