"""Part of step 2: a citation that names an extraction which a newer one has replaced.

The named text is kept for ever, so the citation is judged against it. The place of the same words
in the newest text is added as information; it never makes a citation pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verdict import NewestExtraction
from spanproof.verifier.quotes.existence import AT_SPAN, LINE_ORDER, check_existence

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Source
    from spanproof.core.verdicts.verdict import Existence

Codes = tuple[str, ...]
#: The code of a verdict on a text that is not the newest.
EXTRACTION_SUPERSEDED = "EXTRACTION_SUPERSEDED"


def find_superseding(source: Source, extraction: Extraction) -> Extraction | None:
    """The newest extraction of the document; None if this one is the newest.

    OCR replaces only OCR, and text only text: they are different readings of a page. OCR of single
    lines leaves the text as it is, and replaces no text either.
    """
    own = extraction.is_ocr, extraction.pipeline.has_ocr
    alike = (each for each in source.extractions if (each.is_ocr, each.pipeline.has_ocr) == own)
    newest = next(alike, extraction)
    return None if newest.extraction_id == extraction.extraction_id else newest


def check_superseded(
    source: Source | None, extraction: Extraction, existence: Existence
) -> tuple[NewestExtraction | None, Codes]:
    """The place of the resolved span's words in the newest extraction of the document.

    Offsets are given only if the ladder finds these words once (EXACT or FOLD_EQUAL).
    """
    newest = None if source is None else find_superseding(source, extraction)
    if newest is None:
        return None, ()
    if existence.span is None or existence.status not in AT_SPAN:
        there = None
    else:
        words = Quote(text=extraction.text.slice(existence.span))
        there = check_existence(words, newest, ())[0]
    once = there is not None and there.status in {
        ExistenceStatus.EXACT,
        ExistenceStatus.FOLD_EQUAL,
    }
    # A chunk whose lines stand in another order has no single place.
    once = once and there is not None and LINE_ORDER not in there.folds
    return NewestExtraction(
        extraction_id=newest.extraction_id,
        status=ExistenceStatus.NOT_RUN if there is None else there.status,
        span=there.span if once and there is not None else None,
    ), (EXTRACTION_SUPERSEDED,)
