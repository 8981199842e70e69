"""What a PDF engine must do, so that one can take another's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from core.document import Document, Extraction, Pipeline
    from ingest.limits import Limits


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
