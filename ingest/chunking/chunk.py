"""Chunks of an extraction: spans of its canonical text, under ids that depend on nothing else.

A chunk's text is the slice of its span; a chunk of several spans (rows of a table under its first
row) is their slices joined by a newline. Every character but white space is in a chunk.
"""

from __future__ import annotations

import bisect
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core import canonical_json
from spanproof.core.documents.layout import CharFlag
from spanproof.core.errors import InputError
from spanproof.core.span import Span
from spanproof.ingest.chunking.cutting import WHITE, cut_span
from spanproof.ingest.chunking.packing import Draft, Packer
from spanproof.ingest.chunking.units import find_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.text_block import Place
    from spanproof.core.text import CanonicalText

ChunkBy = Literal["size", "structure"]
#: Part of every id: other rules of cutting give other ids.
CHUNKER = "chunk-1"
PREFIX = "chunk-"
#: What appears between the spans of a chunk.
JOINT = "\n"
#: Under the one a chunk is hardly a sentence, over the other a book.
FEWEST_CHARACTERS, MOST_CHARACTERS = 20, 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkChoice:
    """How a text is cut; all of it is in every chunk's id.

    ``overlap`` characters at most are repeated from the chunk before; by structure only where one
    block takes several chunks.
    """

    by: ChunkBy = "size"
    max_characters: int = 1_000
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.by not in {"size", "structure"}:
            msg = f"Expected chunks by 'size' or 'structure', got {self.by!r}."
            raise InputError(msg, hint="Choose one of the two.")
        if not FEWEST_CHARACTERS <= self.max_characters <= MOST_CHARACTERS:
            most = f"{FEWEST_CHARACTERS} to {MOST_CHARACTERS} characters a chunk"
            msg = f"Expected {most}, got {self.max_characters}."
            raise InputError(msg, hint="1000 is usual.")
        if not 0 <= self.overlap <= self.max_characters // 2:
            msg = f"Expected 0 to {self.max_characters // 2} characters of overlap, "
            msg += f"got {self.overlap}."
            raise InputError(msg, hint="Give at most half of a chunk.")

    def to_config(self) -> dict[str, Any]:
        """The choice and the rules' name, as JSON."""
        return {"name": CHUNKER, **asdict(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One chunk: where it appears in the canonical text, and on which pages."""

    chunk_id: str
    spans: tuple[Span, ...]
    page_start: int
    page_end: int
    place: Place | None = None

    @property
    def hull(self) -> Span:
        """From the first character to the last; all of the chunk, where it has one span."""
        return Span(self.spans[0].start, self.spans[-1].end)

    def text_in(self, text: CanonicalText) -> str:
        """What the chunk says."""
        return JOINT.join(text.slice(span) for span in self.spans)


def chunk(extraction: Extraction, choice: ChunkChoice) -> tuple[Chunk, ...]:
    """The chunks of an extraction in the order of the text. Pure: same in, same out."""
    text = extraction.text.text
    page_starts = [page.span.start for page in extraction.pages]

    def page_of(offset: int) -> int:
        return bisect.bisect_right(page_starts, offset)

    drafts: Iterable[Draft]
    if choice.by == "size":
        whole = Span(0, len(text))
        pieces = cut_span(text, whole, limit=choice.max_characters, overlap=choice.overlap)
        drafts = (Draft(spans=(piece,)) for piece in pieces)
    else:
        packer = Packer(
            text=text, limit=choice.max_characters, overlap=choice.overlap, page_of=page_of
        )
        drafts = packer.pack(find_units(extraction))
    extraction_id, config = str(extraction.extraction_id), choice.to_config()
    return tuple(
        Chunk(
            chunk_id=_name(extraction_id, spans, config),
            spans=spans,
            page_start=page_of(spans[0].start),
            page_end=page_of(spans[-1].end - 1),
            place=draft.place,
        )
        for draft in drafts
        # A first row before nothing of its own (a separator alone) would be the first row again.
        if (spans := tuple(_trim(extraction, draft.spans)))
        and spans[-1].end > draft.spans[-1].start
    )


def _name(extraction_id: str, spans: tuple[Span, ...], config: dict[str, Any]) -> str:
    """An id of document, pipeline, position and choice; other documents have no part in it."""
    position = [[span.start, span.end] for span in spans]
    return PREFIX + canonical_json.digest([extraction_id, position, config]).hex


def _trim(extraction: Extraction, spans: tuple[Span, ...]) -> Iterator[Span]:
    """The spans without our separators at their edges; empty where only white space remains."""
    text, layout = extraction.text.text, extraction.layout
    for span in spans:
        start, end = span.start, span.end
        if layout is not None:
            separator = int(CharFlag.SEPARATOR)
            while start < end and int(layout.flags[start]) & separator:
                start += 1
            while start < end and int(layout.flags[end - 1]) & separator:
                end -= 1
        if text[start:end].strip(WHITE):
            yield Span(start, end)
