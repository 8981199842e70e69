"""I16: another engine puts the same glyphs at the same places."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bench.invariants.finding import MAX_REPORTED, Finding, Violation
from bench.invariants.origins import OurGlyphs, read_pdfium
from bench.invariants.resave import without_annotations
from bench.invariants.sample import draw_pages
from spanproof.core.digest import Digest
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.match_views import MatchView
from spanproof.core.span import Span
from spanproof.ingest.engine.choice import load_engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.invariants.origins import Glyphs
    from bench.invariants.reader import Reader
    from spanproof.core.documents.document import Extraction
    from spanproof.ingest.limits import Limits

#: Pages that the other engine reads too.
PAGES = 4
#: How far apart two engines may put one glyph's origin, in user units.
MOST_APART = 0.5
# Characters that another engine cannot confirm: they were not painted as such.
_UNPLACED = (
    CharFlag.SYNTHETIC
    | CharFlag.UNMAPPED
    | CharFlag.PRIVATE_USE
    | CharFlag.CONTROL
    | CharFlag.ACTUALTEXT
    | CharFlag.SOFT_HYPHEN
    | CharFlag.IGNORABLE
    | CharFlag.OCR
    | CharFlag.REPLACED
    | CharFlag.SEPARATOR
)


def check_i16(
    extraction: Extraction, data: bytes, engine: Reader, limits: Limits, *, most: int = PAGES
) -> Finding:
    """The glyphs of the other engine begin where those of this extraction do.

    Half a user unit is allowed. pdfium's text pages have nothing of what annotations and form
    fields paint, so both engines read a copy without them. Told apart: the other has the glyph
    there under another code (``other code``); it has no such character on the whole page (``not
    read``, which says nothing of places).
    """
    if extraction.layout is None or not len(extraction.layout.run_start):
        return Finding.none("I16", "characters")
    numbers = draw_pages(extraction, most, "I16")
    bare = without_annotations(data, numbers)
    read = extraction
    if bare is not None:
        document = replace(extraction.document, doc_hash=Digest.of(bare), byte_length=len(bare))
        read = engine.read(document, bare, limits, only=frozenset(numbers))
    counts = {"same": 0, "other code": 0, "elsewhere": 0, "not read": 0}
    broken: list[Violation] = []
    for number, theirs in _read_other(extraction, bare or data, numbers, limits):
        start = read.pages[number - 1].span.start - extraction.pages[number - 1].span.start
        for offset, word, nearest in _compare(read, number, theirs):
            counts[word] += 1
            if word == "elsewhere" and len(broken) < MAX_REPORTED:
                shown = read.text.text[offset]
                span = Span(offset - start, offset - start + 1)
                detail = f"{shown!r} is {nearest:.2f} from the nearest of the other engine"
                broken.append(Violation(invariant="I16", detail=detail, page=number, span=span))
    return Finding(
        invariant="I16",
        unit="characters",
        checked=sum(counts.values()) - counts["not read"],
        violated=counts["elsewhere"],
        violations=tuple(broken),
        counts=counts,
    )


def _read_other(
    extraction: Extraction, data: bytes, numbers: Sequence[int], limits: Limits
) -> Iterator[tuple[int, Glyphs]]:
    """The pages by pdfium, or by MuPDF where pdfium has read the document."""
    if not extraction.pipeline.name.startswith("pypdfium2"):
        yield from read_pdfium(data, numbers)
        return
    document = replace(extraction.document, doc_hash=Digest.of(data), byte_length=len(data))
    other = load_engine("mupdf").read(document, data, limits, only=frozenset(numbers))
    for number in numbers:
        if other.layout is not None:
            span = other.pages[number - 1].span
            yield number, OurGlyphs.of(other, other.layout, span).glyphs


def _compare(
    extraction: Extraction, number: int, theirs: Glyphs
) -> Iterator[tuple[int, str, float]]:
    """Each mapped character's offset, what the other has of it, and how far off the nearest is."""
    layout = extraction.layout
    if layout is None:
        return
    owned = OurGlyphs.of(extraction, layout, extraction.pages[number - 1].span)
    ours, offsets = owned.glyphs, owned.offset
    by_cell: dict[tuple[int, int], list[int]] = defaultdict(list)
    by_letter: dict[str, list[int]] = defaultdict(list)
    for index, (code, x, y) in enumerate(zip(theirs.codes, theirs.x, theirs.y, strict=True)):
        by_cell[math.floor(x), math.floor(y)].append(index)
        by_letter[_letter(int(code))].append(index)
    for offset, code, x, y in zip(
        offsets.tolist(), ours.codes.tolist(), ours.x.tolist(), ours.y.tolist(), strict=True
    ):
        letter = _letter(code)
        if not letter or layout.flags[offset] & np.uint16(_UNPLACED):
            continue
        column, row = math.floor(x), math.floor(y)
        around = [(column + a, row + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        near = [
            index
            for cell in around
            for index in by_cell.get(cell, ())
            if math.hypot(theirs.x[index] - x, theirs.y[index] - y) <= MOST_APART
        ]
        if near:
            same = any(_letter(int(theirs.codes[index])) == letter for index in near)
            yield offset, "same" if same else "other code", 0.0
        elif letter in by_letter:
            alike = by_letter[letter]
            away = np.hypot(theirs.x[alike] - x, theirs.y[alike] - y)
            yield offset, "elsewhere", float(away.min())
        else:
            yield offset, "not read", math.inf


def _letter(code: int) -> str:
    """The first letter of a character as match views see it; empty for what they drop."""
    return MatchView.of(chr(code)).text[:1]
