"""Judges a stored answer again: its payload as it came, and the documents as they were then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanproof.operations.documents.cross_check import SampledCrossCheck
from spanproof.operations.indexes.facts import with_indexes, with_recorded_indexes
from spanproof.operations.replay.library import Pins, freeze_library
from spanproof.operations.verification.repairing import repair_answer
from spanproof.operations.verification.request import RepairRequest
from spanproof.operations.verification.snippets import with_snippets

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from spanproof.core.citation import Answer
    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.span import Span
    from spanproof.core.verdicts.policy import Policy
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.operations.context import Context
    from spanproof.verifier.formats.parsed import ParsedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBlock:
    """The subject of a replay: the payload's bytes, its block, and where it was verified."""

    verification_id: str | None
    raw: bytes
    block: dict[str, Any]
    verified_at: datetime
    is_ours: bool


def judge_again(
    context: Context,
    stored: StoredBlock,
    parsed: ParsedAnswer,
    policy: Policy,
    model: EntailmentModel,
) -> tuple[VerificationBlock, tuple[str, ...]]:
    """The block by this policy and model, and the supplied documents that are not here.

    Nothing is kept, logged or counted. Raises NotFoundError where what was read is gone, and
    KeyError and the like for a block without its fields.
    """
    from spanproof.verifier.extent import fit_block, most_block_bytes
    from spanproof.verifier.identity.names import choose_names
    from spanproof.verifier.verify import verify

    block = stored.block
    verdicts = block["verdicts"]
    choice = _find_choice(block.get("repair"))
    frozen = freeze_library(
        context,
        parsed.answer,
        Pins.of(verdicts, _with_repaired(parsed.answer, block.get("repair"))),
        at=stored.verified_at,
        is_ours=stored.is_ours,
    )
    given = choose_names(parsed.answer, frozen.library)
    supplied = with_snippets(frozen.library, given)
    answer, report = repair_answer(given, supplied, model, policy, choice)
    library = with_recorded_indexes(supplied, answer, verdicts)
    if stored.is_ours:
        library = with_indexes(context, library, answer, until=stored.verified_at)
    recomputed = verify(
        answer,
        library,
        model,
        policy,
        verified_at=stored.verified_at,
        imported=parsed.imported,
        cross_checker=SampledCrossCheck(
            context, draw=_draw_again(verdicts), until=stored.verified_at
        ),
    )
    most = most_block_bytes(parsed, len(stored.raw))
    return fit_block(replace(recomputed, repair=report), most), frozen.missing


def _find_choice(stored: dict[str, Any] | None) -> RepairRequest | None:
    """The repair request that a block records; blocks of an earlier procedure record none."""
    if stored is None:
        return None
    return RepairRequest(
        sentences=stored["sentences"],
        max_repairs=stored["max_repairs"],
        # Blocks before it was recorded had no other choice.
        refuted=stored.get("refuted", False),
    )


def _with_repaired(answer: Answer, stored: dict[str, Any] | None) -> Answer:
    """The answer with the repaired citations of the block, to know which documents were read."""
    from spanproof.core.citation import Citation
    from spanproof.core.digest import Digest

    rows = [] if stored is None else stored["citations"]
    repaired = [
        Citation(anchor=row["anchor"], quote=None, doc_hash=Digest.parse(row["doc_hash"]))
        for row in rows
    ]
    return replace(answer, citations=(*answer.citations, *repaired))


def _draw_again(verdicts: list[dict[str, Any]]) -> Callable[[Extraction, Span], bool]:
    """Ask the second engine about the spans about which it was asked then."""
    asked = {
        (verdict["identity"]["extraction_id"], *_span_of(verdict))
        for verdict in verdicts
        if verdict["locator"]["witness"]["status"] != "NOT_ASKED"
    }

    def draw(extraction: Extraction, span: Span) -> bool:
        return (str(extraction.extraction_id), span.start, span.end) in asked

    return draw


def _span_of(verdict: dict[str, Any]) -> tuple[int | None, int | None]:
    return verdict["existence"]["char_start"], verdict["existence"]["char_end"]
