"""Chunks as applications cut them, and whether a place that was found for one is its own."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.verifier.quotes.line_order.lost_glyphs import without_glyph_names

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span

#: Code points of a chunk: it ends at the last white space before.
CHUNK_CHARACTERS = 500
#: A shorter rest of a document is no chunk.
LEAST_CHARACTERS = 100
#: Of a chunk's letters and digits, those that a true place may lack or have beyond it.
_STRAY = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A text that another reader gave, and the pages that it gave it for (from 1)."""

    text: str
    pages: frozenset[int]


def cut_chunks(pages: Sequence[str], rng: random.Random, wanted: int) -> list[Chunk]:
    """Some chunks of a document's text, pages joined by a form feed, in the text's order.

    None whose letters the text has twice: it has no one place.
    """
    text = "\f".join(pages)
    letters = _plain(text)
    found = [chunk for chunk in _cut(text) if _stands_once(_plain(chunk.text), letters)]
    chosen = sorted(rng.sample(range(len(found)), min(wanted, len(found))))
    return [found[index] for index in chosen]


def _stands_once(wanted: str, letters: str) -> bool:
    """Whether there is one place of it; a second one may overlap the first."""
    return letters.find(wanted, letters.find(wanted) + 1) < 0


def _cut(text: str) -> Iterator[Chunk]:
    start = 0
    while start < len(text):
        end = min(start + CHUNK_CHARACTERS, len(text))
        blank = max(text.rfind(mark, start + 1, end) for mark in " \n\f")
        if end < len(text) and blank > start:
            end = blank
        words = text[start:end].strip()
        if len(words) >= LEAST_CHARACTERS:
            at = text.index(words, start)
            first = text.count("\f", 0, at) + 1
            last = first + words.count("\f")
            yield Chunk(text=words, pages=frozenset(range(first, last + 1)))
        start = end


def is_false(chunk: Chunk, extraction: Extraction, spans: Sequence[Span]) -> bool:
    """Whether spans are not the chunk's place: another page, other figures, or other letters.

    A reader's name for a glyph (``(cid:48)``) is no figure of the page.
    """
    pages = {page.number for span in spans for page in extraction.pages_of(span)}
    if not pages & chunk.pages:
        return True
    place = " ".join(extraction.text.slice(span) for span in spans)
    theirs, ours = (Counter(_plain(text)) for text in (without_glyph_names(chunk.text), place))
    stray = (theirs - ours) + (ours - theirs)
    return stray.total() > _STRAY * theirs.total() or any(c.isdigit() for c in stray)


def _plain(text: str) -> str:
    return "".join(re.findall(r"\w", unicodedata.normalize("NFKC", text)))
