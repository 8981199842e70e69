"""Reads the extractions that one page needs, each once; read errors are shown on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from spanproof.core.digest import Digest
from spanproof.core.errors import IntegrityError, NotFoundError, SpanproofError

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction


class ExtractionSource(Protocol):
    """What the console needs from the store's documents."""

    def load_extraction(self, extraction_id: Digest) -> Extraction:
        """The extraction of that identity."""

    def extractions_of(self, doc_hash: Digest) -> tuple[Digest, ...]:
        """The extractions of a document, newest first."""


class ExtractionReader:
    """Reads extractions for one page; collects errors in ``problems``, one line each."""

    def __init__(self, documents: ExtractionSource) -> None:
        self._documents = documents
        self._read: dict[str, Extraction | None] = {}
        self.problems: list[str] = []

    def find(self, extraction_id: str | None) -> Extraction | None:
        """The extraction; None without an id or if it cannot be read."""
        if extraction_id is None:
            return None
        if extraction_id not in self._read:
            self._read[extraction_id] = self._load(extraction_id)
        return self._read[extraction_id]

    def find_superseding(self, doc_hash: str) -> Extraction | None:
        """The newest extraction of a document without OCR."""
        try:
            known = self._documents.extractions_of(Digest.parse(doc_hash))
        except SpanproofError:
            return None
        found = [extraction for each in known if (extraction := self.find(str(each)))]
        return next((e for e in found if not e.is_ocr), next(iter(found), None))

    def _load(self, extraction_id: str) -> Extraction | None:
        try:
            return self._documents.load_extraction(Digest.parse(extraction_id))
        except NotFoundError as error:
            self.problems.append(f"{error.code}: {error.message}")
        except IntegrityError as error:
            # An error of our store must not look like one of the citation.
            self.problems.append(f"{error.code}: {error.message} {error.hint}")
        return None
