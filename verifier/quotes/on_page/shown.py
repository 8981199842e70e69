"""What a page shows of a span: nothing, other glyphs, or more words than the text has there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.core.documents.layout import HIDDEN, CharFlag
from spanproof.core.span import Span
from spanproof.verifier.quotes.on_page.row_gaps import shows_more_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction, Page

Codes = tuple[str, ...]
# Letters with a stroke through them, controls that turn the order of characters, letters as tags.
_DISGUISED = re.compile(r"(?:\w[\u0335-\u0338]){2}|[\u202d\u202e]|[\U000e0020-\U000e007e]{2}")
_TURNS, _TURNED_BACK = ("\u202d", "\u202e"), "\u202c"
_MOST_LINE = 2_000
# Of glyphs without a character of the text: white space between them and the span.
_NEAR = 8


def shown_codes(cited: Extraction, span: Span, pages: Sequence[Page]) -> Codes:
    """HIDDEN_TEXT and LOST_GLYPHS of a span."""
    codes: Codes = ()
    if rests_on_hidden(cited, span, pages) or _is_disguised(cited.text.text, span):
        codes += ("HIDDEN_TEXT",)
    if _loses_glyphs(cited, span) or any(
        shows_more_words(cited, span, page.span) for page in pages
    ):
        codes += ("LOST_GLYPHS",)
    return codes


def _is_disguised(text: str, span: Span) -> bool:
    """Whether characters strike the span's words out, turn their order, or say more unseen."""
    sliced = text[span.start : span.end]
    if sliced.isascii():
        sliced = ""
    line = text[max(text.rfind("\n", 0, span.start) + 1, span.start - _MOST_LINE) : span.start]
    turned = not line.isascii() and max(map(line.rfind, _TURNS)) > line.rfind(_TURNED_BACK)
    return turned or bool(sliced and _DISGUISED.search(sliced))


def rests_on_hidden(cited: Extraction, span: Span, pages: Sequence[Page]) -> bool:
    """Whether the page, of those that the span touches, does not show some of the span's words.

    A recogniser's text over the picture that it read is no such case: the picture shows the words.
    """
    layout = cited.layout
    if layout is None or not layout.any_flag(span, HIDDEN):
        return False
    # Off the page, struck out, or the page shows other characters than the text says.
    if layout.any_flag(span, HIDDEN & ~CharFlag.INVISIBLE):
        return True
    # Invisible text under a page-wide image is what a scanner's OCR leaves: OCR_LAYER, not hidden.
    return any(
        layout.any_flag(span.intersection(page.span), CharFlag.INVISIBLE)
        for page in pages
        if page.text_source != "ocr_layer"
    )


def _loses_glyphs(cited: Extraction, span: Span) -> bool:
    """Whether the page shows other glyphs there, or glyphs of which the text says nothing."""
    text, layout = cited.text.text, cited.layout
    # A glyph whose font tells no character may be a word, even "not". Without a page U+FFFD is
    # what a reader sees too.
    # One that touches the span may be its sign, or the rest of its word.
    touched = Span(max(0, span.start - 1), min(span.end + 1, len(text)))
    if cited.has_geometry and layout is not None and layout.any_flag(touched, CharFlag.UNMAPPED):
        return True
    for one in cited.glyph_texts:
        if len(one.span):
            if one.span.overlaps(span):
                return True
            continue
        place = one.span.start
        # Just before or behind the span they are in its sentence.
        if not span.start - _NEAR <= place <= span.end + _NEAR:
            continue
        before, behind = text[place : span.start], text[span.end : place]
        if not (before + behind).strip():
            return True
    return False
