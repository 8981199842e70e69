"""A span as its document shows it: the sheet, the rendered blocks, and how the text was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from spanproof.api.console.surroundings.blocks import Rendering, make_rendering
from spanproof.api.console.surroundings.grid import Grid, make_grid
from spanproof.ingest.media_type import CSV, TSV, XLSX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.api.console.surroundings.pieces import Room
    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span

_SHEETS = frozenset({CSV, TSV, XLSX})
#: What a text that was not typed is worth: no engine of ours reports a confidence.
_READINGS: Final = {
    "ocr": "Read by OCR from the page’s picture. The recogniser reports no confidence: "
    "compare the words with the picture.",
    "ocr_layer": "Read from the text layer that a recogniser put under or over the scan before we "
    "got it. The file states no confidence: compare the words with the picture.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """One of the two; neither for plain text, which the excerpt shows as it is."""

    grid: Grid | None = None
    rendering: Rendering | None = None


def make_surroundings(
    extraction: Extraction | None, spans: Sequence[Span], room: Room
) -> Surroundings | None:
    """What the document shows around spans; None where a page's picture or the text says it."""
    if extraction is None or not spans or any(page.frame for page in extraction.pages):
        return None
    if not all(extraction.text.holds(span) for span in spans):
        return None
    marks = sorted(spans, key=lambda span: span.start)
    if extraction.document.media_type in _SHEETS:
        grid = make_grid(extraction, marks, room)
        if grid is not None:
            return Surroundings(grid=grid)
    rendering = make_rendering(extraction, marks, room)
    return None if rendering is None else Surroundings(rendering=rendering)


def describe_reading(extraction: Extraction | None, span: Span | None) -> str | None:
    """Whether a recogniser read the words, and how sure it was; None for typed text."""
    if extraction is None or span is None:
        return None
    sources = {page.text_source for page in extraction.pages_of(span)}
    return next((words for source, words in _READINGS.items() if source in sources), None)
