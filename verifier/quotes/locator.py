"""Step 4, the place on the page: does the given one hold the span, and do two engines agree?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.documents.locate import BOX_SHARE, locate_span, share_inside
from spanproof.core.documents.tables_of import holds_cell
from spanproof.core.verdicts.status import CrossCheckStatus, LocatorStatus
from spanproof.core.verdicts.verdict import NOT_ASKED, CrossCheck, LocatorCheck

if TYPE_CHECKING:
    from spanproof.core.citation import ClaimedCell, ClaimedLocator
    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import CrossChecker
    from spanproof.core.span import Span


def check_locator(
    given: ClaimedLocator | None,
    extraction: Extraction | None,
    span: Span | None,
    cell: ClaimedCell | None = None,
) -> LocatorCheck:
    """The span's own place, and whether the given one agrees with it.

    MATCH is the right page and at least 90 % of the span's glyph centres on it inside the given box
    (2 points of margin, displayed page). IoU is informative. A ``cell`` must be one that the span
    has words of, and the span may reach into other cells of its row alone; both must agree.
    """
    if extraction is None or span is None:
        return LocatorCheck(status=LocatorStatus.NOT_RUN)
    found = _check_place(given, extraction, span)
    if cell is None or found.status is LocatorStatus.MISMATCH:
        return found
    if given is not None and found.status is LocatorStatus.NO_LAYOUT:
        return found
    holds = holds_cell(extraction, span, cell)
    return replace(found, status=LocatorStatus.MATCH if holds else LocatorStatus.MISMATCH)


def _check_place(given: ClaimedLocator | None, extraction: Extraction, span: Span) -> LocatorCheck:
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


def cross_check_span(
    checker: CrossChecker | None, extraction: Extraction, span: Span | None
) -> tuple[CrossCheck, tuple[str, ...]]:
    """What a second engine reads at a span that has a place on a page, and the codes of that.

    NOT_ASKED without a cross-checker, without a place, and if the checker leaves the span out.
    """
    if checker is None or span is None or extraction.layout is None:
        return NOT_ASKED, ()
    reading = checker.read(extraction, span)
    if reading is None:
        return NOT_ASKED, ()
    check = CrossCheck(
        status=CrossCheckStatus(reading.status),
        engine=reading.engine,
        read=reading.read,
        moved=reading.moved,
        reason=reading.reason,
    )
    if check.status is CrossCheckStatus.DISAGREES:
        return check, ("WITNESS_DISAGREES",)
    if check.status is CrossCheckStatus.NOT_RUN:
        return check, ("WITNESS_NOT_RUN",)
    return check, ()
