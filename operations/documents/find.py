"""The places of a quote in a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.budget import checkpoint
from spanproof.core.documents.tables_of import find_cell_places
from spanproof.core.errors import InputError
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.operations.documents.references import load_extraction

if TYPE_CHECKING:
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction
    from spanproof.core.documents.tables_of import CellPlace
    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Existence
    from spanproof.operations.context import Context

#: The statuses in which the quote's own words stand in the document.
FOUND = frozenset(
    {
        ExistenceStatus.EXACT,
        ExistenceStatus.FOLD_EQUAL,
        ExistenceStatus.EDITORIAL,
        ExistenceStatus.MOVED,
        ExistenceStatus.AMBIGUOUS,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One place: code point offsets, the source's own words, the page, the folds it took.

    ``codes`` tell of a word or number that an edge of it cuts, ``cells`` are those that it touches.
    """

    span: Span
    text: str
    page: int
    folds: tuple[str, ...]
    codes: tuple[str, ...] = ()
    cells: tuple[CellPlace, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One row of ``matches``."""
        return {
            "char_start": self.span.start,
            "char_end": self.span.end,
            "text": self.text,
            "page": self.page,
            "folds": list(self.folds),
            "codes": list(self.codes),
            "cells": [cell.to_json() for cell in self.cells],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FindReport:
    """The status of the ladder, the matches, and for other words the nearest place."""

    doc_hash: Digest
    extraction_id: Digest
    status: ExistenceStatus
    matches: tuple[Match, ...]
    nearest: tuple[Match, ...] = ()

    @property
    def is_found(self) -> bool:
        """Whether the document contains the quote's own words."""
        return self.status in FOUND

    def to_json(self) -> dict[str, Any]:
        """The JSON of the contract, with the document and the nearest places beside it."""
        return {
            "doc_hash": str(self.doc_hash),
            "extraction_id": str(self.extraction_id),
            "status": self.status.value,
            "matches": [match.to_json() for match in self.matches],
            "nearest": [match.to_json() for match in self.nearest],
        }


def find(context: Context, ref: str, quote: str) -> FindReport:
    """Look for a quote in the whole document."""
    from spanproof.verifier.quotes.existence import find_quote

    if not quote.strip():
        msg = f"Expected a quote with words, got {quote!r}."
        raise InputError(msg, hint="Give the words to look for.")
    extraction = load_extraction(context, ref)
    existence = find_quote(quote, extraction)
    # A search that was cut short has no result.
    checkpoint()
    places = _list_places(existence, extraction)
    found = existence.status in FOUND
    return FindReport(
        doc_hash=extraction.document.doc_hash,
        extraction_id=extraction.extraction_id,
        status=existence.status,
        matches=places if found else (),
        nearest=() if found else places,
    )


def _list_places(existence: Existence, extraction: Extraction) -> tuple[Match, ...]:
    from spanproof.verifier.quotes.existence import find_cut

    places: list[tuple[Span, tuple[str, ...]]] = []
    own = [c for c in existence.candidates if c.doc_hash == extraction.document.doc_hash]
    if existence.span is not None and not own:
        places.append((existence.span, existence.folds))
    # Pieces of a place: together they are the match.
    shared = existence.folds if existence.span is not None else ()
    places += [(c.span, c.folds or shared) for c in own]
    # The span of a status may stand among its candidates too.
    distinct = dict(reversed(places))
    return tuple(
        Match(
            span=span,
            text=extraction.text.slice(span),
            page=extraction.page_at(span.start).number,
            folds=folds,
            codes=find_cut(extraction, span),
            cells=find_cell_places(extraction, span),
        )
        for span, folds in sorted(distinct.items())
    )
