"""Step 4, the witness: does a second engine read the same words where the span stands?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import WitnessStatus
from spanproof.core.verdicts.verdict import NOT_ASKED, WitnessCheck

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import Witness
    from spanproof.core.span import Span


def ask_witness(
    witness: Witness | None, extraction: Extraction, span: Span | None
) -> tuple[WitnessCheck, tuple[str, ...]]:
    """The witness's word on a span that has a place on a page, and its codes.

    NOT_ASKED without a witness, without a place, and where the witness leaves the span out.
    """
    if witness is None or span is None or extraction.layout is None:
        return NOT_ASKED, ()
    reading = witness.read(extraction, span)
    if reading is None:
        return NOT_ASKED, ()
    check = WitnessCheck(
        status=WitnessStatus(reading.status),
        engine=reading.engine,
        read=reading.read,
        moved=reading.moved,
        reason=reading.reason,
    )
    if check.status is WitnessStatus.DISAGREES:
        return check, ("WITNESS_DISAGREES",)
    if check.status is WitnessStatus.NOT_RUN:
        return check, ("WITNESS_NOT_RUN",)
    return check, ()
