"""Quotes that are not found in a document whose pages are not all whole.

A page that could not be read whole may hold what its text lacks. There a quote that is nowhere is
not proved to be absent, and one that a second engine reads on that page is not altered either.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import ExistenceStatus

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Existence

#: A page that may hold the quote could not be read whole.
PAGE_DEGRADED = "PAGE_DEGRADED"
#: A second engine reads the quote on such a page.
SECOND_ENGINE_READS = "SECOND_ENGINE_READS"
_NOT_FOUND = frozenset({ExistenceStatus.ABSENT, ExistenceStatus.ALTERED, ExistenceStatus.STITCHED})


def judge_missing(
    existence: Existence, quote: str, span: Span | None, cited: Extraction
) -> tuple[Existence, tuple[str, ...]]:
    """The same, or UNVERIFIABLE where the text of a page that may hold the quote is not whole.

    With a given span only its pages may hold it; without one any page may.
    """
    if existence.status not in _NOT_FOUND:
        return existence, ()
    pages = cited.pages if span is None else cited.pages_of(span)
    degraded = tuple(page.number for page in pages if page.status != "ok")
    if not degraded:
        return existence, ()
    wanted = _squeeze(quote)
    read = tuple(
        one.page
        for one in cited.second_readings
        if one.page in degraded and wanted in _squeeze(one.text)
    )
    if not read and existence.status is not ExistenceStatus.ABSENT:
        return existence, ()
    codes = (PAGE_DEGRADED, SECOND_ENGINE_READS) if read else (PAGE_DEGRADED,)
    unknown = replace(
        existence,
        status=ExistenceStatus.UNVERIFIABLE,
        span=None,
        candidates=(),
        difference=None,
        degraded_pages=read or degraded,
    )
    return unknown, codes


def _squeeze(text: str) -> str:
    return "".join(text.split())
