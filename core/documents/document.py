"""Documents, the pipelines that read them, and the extractions that come out."""

from __future__ import annotations

import bisect
import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.documents.blocks import Blocks
from spanproof.core.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from spanproof.core.documents.layout import Layout
    from spanproof.core.documents.source_state import SourceState
    from spanproof.core.documents.table import Table
    from spanproof.core.documents.text_block import Block, CellValue, GlyphText, PageReading
    from spanproof.core.geometry import PageFrame
    from spanproof.core.span import Span
    from spanproof.core.text import CanonicalText

TextSource = Literal["born_digital", "ocr_layer", "ocr", "none"]
PageStatus = Literal["ok", "degraded", "error"]
#: How far the process that read the document was confined; none: it was the caller's own.
SandboxLevel = Literal["none", "limits", "landlock", "landlock+seccomp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Source bytes, named by their SHA-256."""

    doc_hash: Digest
    media_type: str
    byte_length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """What made a text of the bytes: a readable name and its whole configuration as JCS text."""

    name: str
    config_json: str

    @property
    def digest(self) -> Digest:
        """SHA-256 of the configuration."""
        return Digest.of(self.config_json.encode("utf-8"))

    @property
    def has_ocr(self) -> bool:
        """Whether OCR reads what has no text: whole pages, glyphs of a line."""
        return '"ocr":{' in self.config_json

    @property
    def guessed_encoding(self) -> str | None:
        """The codec that the bytes were decoded by where nothing declared it; usually None."""
        # A look at the text first: a verification asks for every span.
        if '"guessed"' not in self.config_json:
            return None
        codec: str = json.loads(self.config_json)["encoding"]["codec"]
        return codec


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterCounts:
    """Characters of a page, and how many of them carry each hazard."""

    characters: int = 0
    synthetic: int = 0
    invisible: int = 0
    offpage: int = 0
    unmapped: int = 0
    private_use: int = 0
    control: int = 0
    actualtext: int = 0
    soft_hyphen: int = 0
    ignorable: int = 0
    ocr: int = 0
    replaced: int = 0

    def __add__(self, other: CharacterCounts) -> CharacterCounts:
        return CharacterCounts(
            **{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: its span of the canonical text, its frame, and the hazards found on it."""

    number: int
    label: str | None
    span: Span
    frame: PageFrame | None
    text_source: TextSource
    counts: CharacterCounts
    status: PageStatus = "ok"
    problem: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Extraction:
    """Canonical text and layout of one document by one pipeline. Its identity is its digest.

    Pages partition ``[0, len(text))`` in order; a document without pages (plain text) has one page
    without a frame. ``layout`` is None where the format has no geometry. ``blocks`` are in the
    order of their start, outer ones first, and become columns (``Blocks``); ``glyph_texts`` are the
    places where the page shows other characters than the text says. An ``encrypted`` document
    opened with the empty password. ``sandbox`` is a fact of one reading, not of the identity.
    """

    document: Document
    pipeline: Pipeline
    text: CanonicalText
    pages: tuple[Page, ...]
    layout: Layout | None
    repaired: bool = False
    encrypted: bool = False
    originals: tuple[tuple[int, int], ...] = field(default=())
    """``(offset, code point)`` of each character that was replaced by U+FFFD (NUL, surrogates)."""
    blocks: Sequence[Block] = ()
    glyph_texts: tuple[GlyphText, ...] = ()
    tables: tuple[Table, ...] = ()
    """The tables found on pages; formats that mark their tables have blocks instead."""
    cell_values: tuple[CellValue, ...] = ()
    """What a workbook keeps of cells that show it otherwise, in the order of the text."""
    second_readings: tuple[PageReading, ...] = ()
    """What a second engine read of pages that are not whole: beside the text, never cited."""
    sandbox: SandboxLevel = "none"

    def __post_init__(self) -> None:
        ends = [0, *(page.span.end for page in self.pages)]
        starts = [*(page.span.start for page in self.pages), len(self.text)]
        if ends != starts:
            msg = f"Expected pages that partition 0..{len(self.text)}, got starts {starts[:-1]}."
            raise IntegrityError(msg, hint="Ingest the document again.")
        blocks = Blocks.of(self.blocks)
        object.__setattr__(self, "blocks", blocks)
        ends = [blocks.reach, *(glyphs.span.end for glyphs in self.glyph_texts)]
        ends += [table.reach for table in self.tables]
        ends += [value.span.end for value in self.cell_values]
        is_inside = max(ends, default=0) <= len(self.text)
        starts = [value.span.start for value in self.cell_values]
        if not blocks.are_ordered or starts != sorted(starts) or not is_inside:
            msg = f"Expected ordered blocks inside 0..{len(self.text)}, got others."
            raise IntegrityError(msg, hint="Ingest the document again.")

    @cached_property
    def extraction_id(self) -> Digest:
        """SHA-256 of JCS([doc_hash, pipeline digest, text digest])."""
        return canonical_json.digest(
            [str(self.document.doc_hash), str(self.pipeline.digest), str(self.text.digest)]
        )

    @cached_property
    def is_ocr(self) -> bool:
        """Whether the text was read from images by this pipeline."""
        return any(page.text_source == "ocr" for page in self.pages)

    @property
    def has_geometry(self) -> bool:
        """Whether characters have places on pages, so that engines decide on white space."""
        return self.layout is not None and len(self.layout.run_start) > 0

    @property
    def text_source(self) -> TextSource:
        """One word for the whole document: none only if no page has text."""
        sources = [page.text_source for page in self.pages if page.text_source != "none"]
        if not sources:
            return "none"
        for source in ("ocr", "ocr_layer"):
            if source in sources:
                return source
        return "born_digital"

    @property
    def counts(self) -> CharacterCounts:
        """The sum over the pages."""
        return sum((page.counts for page in self.pages), CharacterCounts())

    def page_at(self, offset: int) -> Page:
        """The page that holds a character offset (the last page for the end of the text)."""
        index = bisect.bisect_right(self.pages, offset, key=lambda page: page.span.start) - 1
        # Empty pages share their start with the next one: step back to the page that holds it.
        while index > 0 and len(self.pages[index].span) == 0:
            index -= 1
        return self.pages[index]

    def blocks_of(self, span: Span) -> tuple[Block, ...]:
        """The blocks that a span touches, in order."""
        return tuple(Blocks.of(self.blocks).touching(span))

    def pages_of(self, span: Span) -> tuple[Page, ...]:
        """The pages that a span touches, in order."""
        starts, ends = self._page_edges
        first = bisect.bisect_right(ends, span.start)
        last = bisect.bisect_left(starts, span.end, lo=first)
        return self.pages[first : max(last, first)]

    @cached_property
    def _page_edges(self) -> tuple[list[int], list[int]]:
        """Where the pages start and where they end, in order."""
        return [page.span.start for page in self.pages], [page.span.end for page in self.pages]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentName:
    """A caller's ``doc_id`` and one version that it named, from a moment on."""

    doc_id: str
    doc_hash: Digest
    since: datetime


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """A document as the verifier gets it: its extractions, newest first.

    A snippet is a text that came with the request; no document stands behind it. ``state`` is what
    its operator says of it, None where nothing was said.
    """

    document: Document
    extractions: tuple[Extraction, ...]
    title: str | None = None
    is_snippet: bool = False
    state: SourceState | None = None

    def find_extraction(self, extraction_id: Digest | None) -> Extraction | None:
        """The named extraction, or the newest that is not OCR when none is named."""
        if extraction_id is not None:
            known = (e for e in self.extractions if e.extraction_id == extraction_id)
            return next(known, None)
        born = (e for e in self.extractions if not e.is_ocr)
        return next(born, None) or next(iter(self.extractions), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFacts:
    """A registered version of an index, and what its manifest says has embedded its chunks."""

    version: str
    embedding_model: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Library:
    """The documents and snippets supplied to one verification, and every version of each name.

    ``indexes`` are those registered versions that the answer names; None where none ever was
    registered, so that nothing can be said of any.
    """

    sources: tuple[Source, ...] = ()
    names: tuple[DocumentName, ...] = ()
    indexes: tuple[IndexFacts, ...] | None = None

    def find(self, doc_hash: Digest) -> Source | None:
        """The document, or the snippet, of that whole hash."""
        return self._by_hash.get(doc_hash)

    @cached_property
    def _by_hash(self) -> dict[Digest, Source]:
        # Backwards, so that of two sources of one document the first is found.
        return {source.document.doc_hash: source for source in reversed(self.sources)}

    def resolve(self, doc_id: str, *, at: datetime | None = None) -> Digest | None:
        """The version that a name stood for at a moment (the newest when no moment is given)."""
        known = [n for n in self.names if n.doc_id == doc_id and (at is None or n.since <= at)]
        newest = max(known, key=lambda name: name.since, default=None)
        if newest is None and at is not None:
            # Named only after the answer was made: the first version is the nearest truth.
            named = [n for n in self.names if n.doc_id == doc_id]
            newest = min(named, key=lambda name: name.since, default=None)
        return newest.doc_hash if newest else None

    def names_of(self, doc_hash: Digest) -> frozenset[str]:
        """Every name that has stood for this document."""
        return frozenset(n.doc_id for n in self.names if n.doc_hash == doc_hash)
