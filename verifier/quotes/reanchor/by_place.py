"""The second channel: what the target reads where the span's glyphs stand on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.documents.glyph_search import find_characters
from spanproof.core.documents.locate import locate_span
from spanproof.verifier.quotes.places import is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Candidate

#: The share of a place's visible characters that must stand where the span's glyphs stood, and the
#: share of what stands there that the place must hold: neighbours may lean in, words may not lack.
_SHARE = 0.9


def read_place(source: Extraction, span: Span, target: Extraction) -> frozenset[int] | None:
    """The offsets of what the target reads at the span's glyphs.

    None where geometry cannot be asked: other bytes, no layout, a page that could not be read.
    """
    same_bytes = source.document.doc_hash == target.document.doc_hash
    if not same_bytes or target.layout is None:
        return None
    pages = {page.number: page for page in target.pages}
    found: set[int] = set()
    locators = locate_span(source, span)
    for locator in locators:
        page = pages.get(locator.page)
        if page is None or page.status != "ok":
            return None
        found.update(find_characters(target, page, locator.quads).tolist())
    return frozenset(found) if locators else None


def stands_there(place: Span, standing: frozenset[int], target: Extraction) -> bool:
    """Whether a place of the target is what stands at those glyphs, no less and hardly more."""
    text = target.text.text
    visible = [at for at in range(place.start, place.end) if not is_blank(text[at])]
    shown = [at for at in standing if not is_blank(text[at])]
    shared = sum(at in standing for at in visible)
    return shared >= _SHARE * len(visible) and shared >= _SHARE * len(shown)


def choose_by_place(
    places: Sequence[Candidate], standing: frozenset[int], target: Extraction
) -> Candidate | None:
    """The one place that stands at those glyphs; None where none or several do."""
    there = [place for place in places if stands_there(place.span, standing, target)]
    return there[0] if len(there) == 1 else None
