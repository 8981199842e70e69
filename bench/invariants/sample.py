"""What is looked at of a large document: drawn by its own digest, so the same at every run."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core.span import Span

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

#: Lengths of the spans that are drawn: from one glyph to a paragraph.
_LENGTHS = (1, 3, 10, 40, 120, 300)


def draw(extraction: Extraction, purpose: str) -> np.random.Generator:
    """Random numbers that depend on the document and their purpose alone."""
    seed = hashlib.sha256(f"{extraction.document.doc_hash}:{purpose}".encode()).digest()
    return np.random.default_rng(int.from_bytes(seed[:8], "big"))


def draw_pages(extraction: Extraction, most: int, purpose: str) -> list[int]:
    """At most so many page numbers, in order; all of them where there are no more."""
    numbers = [page.number for page in extraction.pages]
    if len(numbers) <= most:
        return numbers
    chosen = draw(extraction, purpose).choice(len(numbers), most, replace=False)
    return sorted(numbers[int(index)] for index in chosen)


def draw_spans(extraction: Extraction, most: int, purpose: str) -> list[Span]:
    """Spans of every length, anywhere in the text; each once."""
    total = len(extraction.text)
    if not total:
        return []
    numbers = draw(extraction, purpose)
    starts = numbers.integers(0, total, most).tolist()
    spans = {
        Span(start, min(total, start + _LENGTHS[index % len(_LENGTHS)]))
        for index, start in enumerate(starts)
    }
    return sorted(spans)
