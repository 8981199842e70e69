"""What a PDF engine must do, so that one can take another's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from spanproof.core.documents.document import Document, Extraction, Pipeline
    from spanproof.core.geometry import PageFrame, Quad
    from spanproof.ingest.limits import Limits
    from spanproof.ingest.pixels import Pixels


class Drawing(Protocol):
    """An open document whose pages can be drawn and marked; pages count from 1."""

    @property
    def page_count(self) -> int:
        """How many pages it has."""
        ...

    def frame(self, page: int) -> PageFrame:
        """What turns user space into the page as displayed."""
        ...

    def draw(self, page: int, scale: float) -> Pixels:
        """The page as displayed, at ``scale`` pixels a point."""
        ...

    def annotate(
        self, page: int, quads: Sequence[Quad], colour: tuple[float, float, float], note: str
    ) -> None:
        """Put one highlight annotation over the quads; colours are in [0, 1]."""
        ...

    def save(self) -> bytes:
        """The document as it now is, encrypted as it was."""
        ...


class Engine(Protocol):
    """Reads a whole document; refuses with an ExtractionError, never with its library's error."""

    def pipeline(self) -> Pipeline:
        """Name, versions and settings of this engine: part of every extraction's identity."""
        ...

    def read(
        self,
        document: Document,
        data: bytes,
        limits: Limits,
        *,
        only: frozenset[int] | None = None,
    ) -> Extraction:
        """Read every page; a page that cannot be read is reported and the document goes on.

        ``only`` names the pages (from 1) to read; the others are left as pages without text.
        """
        ...

    def open_drawing(self, data: bytes) -> AbstractContextManager[Drawing]:
        """Open a document to draw its pages or to mark a copy of it."""
        ...
