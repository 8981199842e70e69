"""The places of OpenAI's annotations in the text: insertion points and links.

The unit and the end of its indexes are not documented ("index of the last character"). Payloads
count characters with an exclusive end, never bytes. For characters beyond U+FFFF the slice decides
between code points and UTF-16: that of a link holds the link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.span import OffsetUnit, Span, to_codepoint
from spanproof.verifier.formats.providers.openai.markers import MarkedText, attach_at
from spanproof.verifier.formats.providers.payload import (
    check,
    cite_segment,
    find_cited,
    read_offsets,
)

if TYPE_CHECKING:
    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.verifier.formats.draft import Draft
    from spanproof.verifier.formats.envelope import SuppliedDocument

_UNITS: tuple[OffsetUnit, ...] = ("codepoint", "utf16")
_NUMBERED = re.compile(r"【[^【】\n]{1,80}】")
#: The parameter that OpenAI adds to the addresses that it cites.
_TRACKING = re.compile(r"[?&]utm_source=(?:openai|chatgpt\.com)(?=&|#|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One text of the answer: as it came, where it stands in the prose, and its pointer."""

    pointer: str
    text: MarkedText
    span: Span

    def to_prose(self, raw: Span) -> Span:
        """A span of the raw text in the prose."""
        first, last = self.text.to_clean(raw.start), self.text.to_clean(raw.end)
        return Span(first, last).shift(self.span.start)


def cite_point(
    draft: Draft,
    pointer: str,
    part: Part,
    index: int,
    **details: Any,  # noqa: ANN401 - of cite
) -> None:
    """Cite at an insertion point; where units disagree on it, the whole part is the claim."""
    found = {to_codepoint(part.text.raw, index, unit) for unit in _UNITS} - {None}
    if len(found) != 1:
        code = "SEGMENT_UNIT_UNKNOWN" if found else "SEGMENT_OUT_OF_RANGE"
        detail = f"Index {index} names {len(found)} places; the whole text is taken for the claim."
        draft.remark(pointer, code, detail)
        cite_segment(draft, pointer, part.span, **details)
        return
    at = part.span.start + part.text.to_clean(min(offset for offset in found if offset is not None))
    segment, marker = attach_at(draft, part.span, at)
    draft.cite(marker=marker, segment=segment, **details)


def cite_link(draft: Draft, reader: ObjectReader, part: Part) -> None:
    """Cite a ``url_citation``: its slice is the link itself, or the words that it supports."""
    url, title = reader.required("url", str, ""), reader.optional("title", str)
    start, end = read_offsets(reader, "start_index", "end_index")
    check(reader)
    document = find_by_url(draft, reader.pointer, url)
    details: dict[str, Any] = {"doc_title": title, "doc_url": url, "quote": None, "named": url}
    marker = _find_link(draft, reader.pointer, part, (start, end), url)
    if marker is not None:
        draft.cite(document=document, marker=marker, **details)
        return
    if f"]({url})" in part.text.raw:
        detail = "The text links to this address, but not where the offsets say."
        draft.remark(reader.pointer, "LINK_NOT_AT_OFFSETS", detail)
    segment = _find_words(draft, reader.pointer, part, start, end)
    cite_segment(draft, reader.pointer, segment, document=document, **details)


def find_by_url(draft: Draft, pointer: str, url: str) -> SuppliedDocument | None:
    """The document of an address, with or without what OpenAI adds to it."""
    plain = _TRACKING.sub("", url)
    if plain != url and draft.envelope.find_document(uri=url) is None:
        document = draft.envelope.find_document(uri=plain)
        if document is not None:
            detail = f"Found by {plain!r}, without the tracking parameter."
            draft.remark(pointer, "URL_TRACKING_REMOVED", detail)
            return document
    return find_cited(draft, pointer, uri=url)


def _find_link(
    draft: Draft, pointer: str, part: Part, offsets: tuple[int, int], url: str
) -> Span | None:
    raw = part.text.raw
    for is_inclusive in (False, True):
        found: dict[OffsetUnit, Span] = {}
        for unit in _UNITS:
            first, last = (to_codepoint(raw, offset, unit) for offset in offsets)
            if first is None or last is None or first >= last:
                continue
            span = Span(first, last + is_inclusive)
            if is_link(raw[span.start : span.end], url):
                found[unit] = span
        if len(set(found.values())) != 1:
            continue
        if len(found) == 1:
            draft.observed_units.update(found)
        else:
            draft.ambiguous = True
        if is_inclusive:
            draft.remark(pointer, "END_INCLUSIVE", "The end is the last character's own place.")
        return part.to_prose(next(iter(found.values())))
    return None


def is_link(text: str, url: str) -> bool:
    """Whether a slice is the address, a Markdown link to it, or a numbered marker, and no more."""
    bare = text.strip()
    if _NUMBERED.fullmatch(bare):
        return True
    if bare in {url, f"<{url}>", f"({url})"}:
        return True
    address = rf"\[[^\[\]\n]*\]\(\s*<?{re.escape(url)}>?(?:\s+\"[^\"\n]*\")?\s*\)"
    return re.fullmatch(rf"(?:{address}|\({address}\)|\[{address}\])", bare) is not None


def _find_words(draft: Draft, pointer: str, part: Part, start: int, end: int) -> Span | None:
    raw = part.text.raw
    found = set()
    for unit in _UNITS:
        first, last = to_codepoint(raw, start, unit), to_codepoint(raw, end, unit)
        if first is not None and last is not None and first <= last:
            found.add(Span(first, last))
    if len(found) == 1:
        return part.to_prose(found.pop())
    code = "SEGMENT_UNIT_UNKNOWN" if found else "SEGMENT_OUT_OF_RANGE"
    detail = f"Offsets {start} to {end} name {len(found)} places in {len(raw)} characters."
    draft.remark(pointer, code, detail)
    return None
