"""I3, I5 and I9: the text can be encoded, every offset has its way there and back, views too."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from bench.invariants.finding import Finding, Violation
from bench.invariants.sample import draw
from spanproof.core.digest import Digest
from spanproof.core.documents.match_views import MatchView, to_codes, view_of
from spanproof.core.span import Span, from_codepoint, to_codepoint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import OffsetUnit

#: Boundaries that are converted there and back: drawn ones, and as many around astral characters.
_BOUNDARIES = 24
#: Stretches of the view that are mapped there and back.
_STRETCHES = 24
_LONGEST_STRETCH = 120
#: Decompositions that change what a character means: no view may follow one.
MEANINGFUL_TAGS = frozenset({"<super>", "<sub>", "<fraction>", "<circle>", "<square>"})


def check_i3(extraction: Extraction) -> Finding:
    """The text is strict UTF-8 without NUL and surrogates, and has the digest it is known by."""
    text = extraction.text.text
    broken = []
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        span = Span(error.start, error.end)
        broken.append(Violation(invariant="I3", detail="a lone surrogate", span=span))
    else:
        if Digest.of(encoded) != extraction.text.digest:
            broken.append(Violation(invariant="I3", detail="the digest is another text's"))
    nul = text.find("\x00")
    if nul >= 0:
        broken.append(Violation(invariant="I3", detail="a NUL", span=Span(nul, nul + 1)))
    return Finding.of("characters", max(1, len(text)), broken, invariant="I3")


def check_i5(extraction: Extraction) -> Finding:
    """Offsets in code points, UTF-16 and UTF-8 grow together and lead back to where they began.

    An offset into the middle of a character is nobody's boundary.
    """
    text = extraction.text.text
    boundaries = _draw_boundaries(extraction)
    broken = []
    units: tuple[tuple[OffsetUnit, str, int], ...] = (
        ("codepoint", "utf-32-le", 4),
        ("utf16", "utf-16-le", 2),
        ("utf8", "utf-8", 1),
    )
    for unit, codec, size in units:
        before, before_offset = 0, 0
        for index in boundaries:
            offset = from_codepoint(text, index, unit)
            # The way from one boundary to the next is as long as the characters between them.
            between = len(text[before:index].encode(codec, "surrogatepass")) // size
            if offset != before_offset + between or to_codepoint(text, offset, unit) != index:
                broken.append(_boundary(extraction, index, f"{unit} offset {offset} strays"))
            wide = index > 0 and from_codepoint(text, index - 1, unit) < offset - 1
            if wide and to_codepoint(text, offset - 1, unit) is not None:
                broken.append(_boundary(extraction, index, f"{unit} splits a character"))
            before, before_offset = index, offset
        if to_codepoint(text, before_offset + 1, unit) is not None:
            broken.append(_boundary(extraction, len(text), f"{unit} goes beyond the end"))
    return Finding.of("boundaries", 3 * len(boundaries), broken, invariant="I5")


def check_i9(extraction: Extraction) -> Finding:
    """View positions never go back, lead to text that has the same view, and keep raised digits.

    A superscript, subscript, fraction or circled character stays what it is in every view.
    """
    text, view = extraction.text.text, view_of(extraction)
    broken: list[Violation] = []
    steps = np.flatnonzero(np.diff(view.positions) < 0)
    broken.extend(
        _boundary(extraction, int(view.positions[i]), "the view goes back here", invariant="I9")
        for i in steps
    )
    outside = len(view.positions) and not 0 <= int(view.positions[-1]) < max(1, len(text))
    if len(view.text) != len(view.positions) or outside:
        broken.append(Violation(invariant="I9", detail="the view has not one position a character"))
        return Finding.of("view characters", len(view.text), broken, invariant="I9")
    broken.extend(
        _boundary(extraction, offset, detail, invariant="I9")
        for offset, detail in _merged(text, view)
    )
    for start, end in _draw_stretches(extraction, len(view.text)):
        span = view.span_of(start, end)
        # An expanded ligature may reach beyond the stretch on both sides.
        if view.text[start:end] not in MatchView.of(text[span.start : span.end]).text:
            detail = f"the span reads otherwise than {view.text[start:end]!r}"
            broken.append(Violation(invariant="I9", detail=detail, span=span))
    return Finding.of("view characters", max(1, len(view.text)), broken, invariant="I9")


def _draw_boundaries(extraction: Extraction) -> list[int]:
    text = extraction.text.text
    chosen = {0, len(text)}
    chosen |= set(draw(extraction, "I5").integers(0, len(text) + 1, _BOUNDARIES).tolist())
    codes = to_codes(text)
    # Where units part ways: around characters that UTF-16 writes as two, UTF-8 as several.
    wide = [*np.flatnonzero(codes > 0xFFFF)[:_BOUNDARIES], *np.flatnonzero(codes > 0x7F)[:2]]
    for index in map(int, wide):
        chosen |= {index, index + 1}
    return sorted(chosen)


def _draw_stretches(extraction: Extraction, total: int) -> list[tuple[int, int]]:
    if not total:
        return []
    starts = draw(extraction, "I9").integers(0, total, _STRETCHES).tolist()
    return [
        (start, min(total, start + 1 + (7 * turn) % _LONGEST_STRETCH))
        for turn, start in enumerate(starts)
    ]


def _merged(text: str, view: MatchView) -> Iterable[tuple[int, str]]:
    """Where the view holds another character in place of a meaningful one, or holds none."""
    codes, seen = to_codes(text), to_codes(view.text)
    sources = codes[view.positions]
    pairs = np.unique(np.stack([sources, seen], axis=1), axis=0)
    for source, shown in pairs.tolist():
        if source != shown and (_is_meaningful(source) or _is_meaningful(shown)):
            first = np.flatnonzero((sources == source) & (seen == shown))[0]
            yield int(view.positions[first]), f"{chr(source)!r} reads as {chr(shown)!r}"
    kept = np.zeros(len(codes), bool)
    kept[view.positions] = True
    for code in np.unique(codes[~kept]).tolist():
        if _is_meaningful(code):
            yield int(np.flatnonzero(~kept & (codes == code))[0]), f"{chr(code)!r} is dropped"


def _is_meaningful(code: int) -> bool:
    return unicodedata.decomposition(chr(code)).partition(" ")[0] in MEANINGFUL_TAGS


def _boundary(
    extraction: Extraction, index: int, detail: str, *, invariant: str = "I5"
) -> Violation:
    last = min(index, max(0, len(extraction.text) - 1))
    return Violation(
        invariant=invariant,
        detail=detail,
        page=extraction.page_at(last).number,
        span=Span(index, index),
    )
