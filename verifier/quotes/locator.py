"""Step 4, the place on the page: does the given one hold the span, and do two engines agree?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.documents.locate import BOX_SHARE, locate_span, share_inside
from spanproof.core.verdicts.status import LocatorStatus, WitnessStatus
from spanproof.core.verdicts.verdict import NOT_ASKED, LocatorCheck, WitnessCheck

if TYPE_CHECKING:
    from spanproof.core.citation import GivenLocator
    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import Witness
    from spanproof.core.span import Span


def check_locator(
    given: GivenLocator | None, extraction: Extraction | None, span: Span | None
) -> LocatorCheck:
    """The span's own place, and whether the given one agrees with it.

    MATCH is the right page and at least 90 % of the span's glyph centres on it inside the given box
    (2 points of margin, displayed page). IoU is informative.
    """
    if extraction is None or span is None:
        return LocatorCheck(status=LocatorStatus.NOT_RUN)
    locators = locate_span(extraction, span)
    if not locators:
        page = extraction.page_at(span.start)
        status = LocatorStatus.NO_LAYOUT if given else LocatorStatus.NOT_GIVEN
        return LocatorCheck(status=status, page=page.number if page.frame else None)
    quads = tuple((locator.page, quad) for locator in locators for quad in locator.quads)
    first = locators[0]
    if given is None:
        return LocatorCheck(
            status=LocatorStatus.NOT_GIVEN, page=first.page, bbox=first.bbox, quads=quads
        )
    last_page = given.page if given.last_page is None else given.last_page
    here = next((found for found in locators if given.page <= found.page <= last_page), None)
    if here is None:
        return LocatorCheck(
            status=LocatorStatus.MISMATCH, page=first.page, bbox=first.bbox, quads=quads, iou=0.0
        )
    matches = True
    if given.bbox is not None:
        page = extraction.page_at(here.span.start)
        matches = share_inside(extraction, here.span, page, given.bbox) >= BOX_SHARE
    return LocatorCheck(
        status=LocatorStatus.MATCH if matches else LocatorStatus.MISMATCH,
        page=here.page,
        bbox=here.bbox,
        quads=quads,
        iou=None if given.bbox is None else here.bbox.iou(given.bbox),
    )


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
