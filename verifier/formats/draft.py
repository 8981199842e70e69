"""An answer while it is read from a provider's payload: prose, citations and remarks.

Every importer is one function ``(Envelope) -> Draft``. It writes the prose in the order in which a
reader sees it, places each citation's segment by slicing, and skips nothing without saying why.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Anchor, Citation, ClaimedLocator, Quote, Retrieval
from spanproof.core.span import OFFSET_UNITS, Span, to_codepoint
from spanproof.core.verdicts.verification_block import UNMAPPED, ImportRemark
from spanproof.verifier.formats.units import check_slice

if TYPE_CHECKING:
    from spanproof.core.span import OffsetUnit
    from spanproof.verifier.formats.envelope import Envelope, SuppliedDocument
    from spanproof.verifier.formats.parsed import Attachment


class Draft:
    """Collects what one format reads. ``declared_unit`` is the one that the provider documents."""

    def __init__(
        self, envelope: Envelope, *, origin: str, declared_unit: OffsetUnit | None = None
    ) -> None:
        self.envelope = envelope
        self.origin = origin
        self.declared_unit = declared_unit
        self.anchors: list[Anchor] = []
        #: Spans of the prose that claim nothing, kept because a provider's offsets count them.
        self.unclaimed: list[Span] = []
        self.citations: list[Citation] = []
        self.retrieved: list[Retrieval] = []
        self._kept: set[tuple[str, str | None]] = set()
        self.attachments: list[Attachment] = []
        self.unmapped: list[str] = []
        self.remarks: list[ImportRemark] = []
        self.observed_units: set[OffsetUnit] = set()
        #: Whether some slice was the same in every unit.
        self.ambiguous = False
        self._parts: list[str] = []
        self._length = 0
        #: The highest anchor number so far, and how many of the lists were looked at for it.
        self._highest = 0
        self._numbered = (0, 0)

    @property
    def prose(self) -> str:
        """The prose so far."""
        # Joined once, however many citations are placed in it.
        self._parts = ["".join(self._parts)]
        return self._parts[0]

    def write(self, text: str) -> Span:
        """Append text to the prose; where it stands."""
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return Span(start, self._length)

    def keep_text(
        self, text: str | None, *, named: str, document: SuppliedDocument | None, chunk_id: str
    ) -> None:
        """Note a source's text that the payload holds, once: the retriever returned it."""
        key = (named, text)
        if not text or key in self._kept:
            return
        self._kept.add(key)
        self.retrieved.append(
            Retrieval(
                chunk_id=chunk_id,
                doc_id=document.doc_id if document else named,
                doc_hash=document.doc_hash if document else None,
                text=text,
            )
        )

    def remark(self, pointer: str, code: str, detail: str) -> None:
        """Note something about one place of the payload (pointer from the root)."""
        self.remarks.append(ImportRemark(pointer=pointer, code=code, detail=detail))

    def skip(self, pointer: str, detail: str, *, code: str = UNMAPPED) -> None:
        """Note that a part of the payload was not read, and why.

        With the default code it was a citation, and the answer's result is at best ``review``.
        """
        self.unmapped.append(pointer)
        self.remark(pointer, code, detail)

    def place(
        self, pointer: str, within: Span, start: int, end: int, text: str | None
    ) -> Span | None:
        """The span of the prose that offsets into ``within`` name; None if no reading fits.

        With ``text`` the slice decides; if no unit cuts it out, its only place in ``within`` is
        taken, with a remark. Without ``text`` the declared unit is believed, or the only possible
        reading.
        """
        body = self.prose[within.start : within.end]
        if text is not None:
            return self._place_text(pointer, within, body, (start, end), text)
        units = OFFSET_UNITS if self.declared_unit is None else (self.declared_unit,)
        found = {_convert(body, start, end, unit) for unit in units} - {None}
        if len(found) != 1:
            self.remark(
                pointer,
                "SEGMENT_OUT_OF_RANGE" if not found else "SEGMENT_UNIT_UNKNOWN",
                f"Offsets {start} to {end} name {len(found)} places in {len(body)} characters.",
            )
            return None
        (span,) = found
        return None if span is None else span.shift(within.start)

    def _place_text(
        self, pointer: str, within: Span, body: str, offsets: tuple[int, int], text: str
    ) -> Span | None:
        sliced = check_slice(body, *offsets, text)
        if sliced is None:
            return self._search(pointer, within, body, text)
        declared = self.declared_unit
        if sliced.unit is None:
            self.ambiguous = True
        else:
            self.observed_units.add(sliced.unit)
        # Several units may cut it out, and the declared one may not be among them.
        if declared and check_slice(body, *offsets, text, units=(declared,)) != replace(
            sliced, unit=declared
        ):
            found = sliced.unit or "several others"
            detail = f"Declared {declared}, the slice is right in {found}."
            self.remark(pointer, "OFFSET_UNIT_MISMATCH", detail)
        if sliced.is_inclusive:
            self.remark(pointer, "END_INCLUSIVE", "The end is the last character's own place.")
        return sliced.span.shift(within.start)

    def _search(self, pointer: str, within: Span, body: str, text: str) -> Span | None:
        first = body.find(text) if text else -1
        if first < 0 or body.find(text, first + 1) >= 0:
            many = "several places" if first >= 0 else "no place"
            self.remark(pointer, "SEGMENT_MISMATCH", f"The offsets name other words; {many} fit.")
            return None
        self.remark(pointer, "SEGMENT_MOVED", "The offsets name other words; one place fits.")
        return Span(first, first + len(text)).shift(within.start)

    def cite(  # noqa: PLR0913 - what a citation has
        self,
        *,
        document: SuppliedDocument | None,
        named: str,
        quote: Quote | None,
        segment: Span | None = None,
        marker: Span | None = None,
        number: int | None = None,
        pages: tuple[int, int] | None = None,
        **details: Any,  # noqa: ANN401 - further fields of spanproof.core.citation.Citation
    ) -> Citation:
        """Add one citation of a supplied document, or of one that only ``named`` identifies.

        ``segment`` is the text that it supports; ``marker`` is its place in the prose. ``number``
        is the anchor's own where the prose shows one, else the next is given. ``pages`` are the
        first and the last one, from 1.
        """
        anchor = number if number is not None else self._next_number()
        if marker is not None:
            self.anchors.append(Anchor(number=anchor, span=marker))
        citation = Citation(
            anchor=anchor,
            quote=quote,
            doc_hash=document.doc_hash if document else None,
            doc_id=document.doc_id if document else named,
            locator=ClaimedLocator(page=pages[0], last_page=pages[1], bbox=None) if pages else None,
            segment=segment,
            origin=self.origin,
            source_tier=document.source_tier if document else None,
            **details,
        )
        self.citations.append(citation)
        return citation

    def _next_number(self) -> int:
        cited, marked = self._numbered
        taken = [c.anchor for c in self.citations[cited:]]
        taken += [a.number for a in self.anchors[marked:]]
        self._numbered = (len(self.citations), len(self.anchors))
        self._highest = max([self._highest, *taken])
        return self._highest + 1


def _convert(text: str, start: int, end: int, unit: OffsetUnit) -> Span | None:
    first, last = to_codepoint(text, start, unit), to_codepoint(text, end, unit)
    if first is None or last is None or first > last:
        return None
    return Span(first, last)
