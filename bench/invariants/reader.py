"""What the checks that read again need of an engine: no more than reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.limits import Limits


class Reader(Protocol):
    """The part of ``spanproof.ingest.engine.protocol.Engine`` that reads."""

    def read(
        self,
        document: Document,
        data: bytes,
        limits: Limits,
        *,
        only: frozenset[int] | None = None,
    ) -> Extraction:
        """Read every page, or those that are named (from 1)."""
        ...
