"""A canonical slice as a reader reads it, for the model and the slots, with the way back.

Typesetting that no reader notices is removed: ligatures are written as their letters (a tokenizer
does not know ``ﬃ``), words broken at a line end are joined, invisible characters go, line and page
ends are blanks. No word, number or sign changes. The canonical text itself is never touched.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import chain

from spanproof.core.documents.match_views import SOFT_HYPHEN, ZERO_WIDTH
from spanproof.core.span import Span

_INVISIBLE = "".join(map(re.escape, sorted({*ZERO_WIDTH, SOFT_HYPHEN})))
#: A line-end hyphen between small letters, an invisible character, a line or page end, a ligature.
_TYPESETTING = re.compile(
    rf"(?<=[^\W\d_])[-‐{SOFT_HYPHEN}][ \t]*\n(?=[a-z])|[{_INVISIBLE}]|[\n\f\r]|[\ufb00-\ufb06]"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Readable:
    """The text as read; ``positions[i]`` is where its character ``i`` stands in the slice."""

    text: str
    positions: tuple[int, ...] | range

    @classmethod
    def of(cls, sliced: str) -> Readable:
        """Read a canonical slice."""
        if not _TYPESETTING.search(sliced):
            return cls(text=sliced, positions=range(len(sliced)))
        parts: list[str] = []
        positions: list[range | list[int]] = []
        done = 0
        for match in _TYPESETTING.finditer(sliced):
            parts.append(sliced[done : match.start()])
            positions.append(range(done, match.start()))
            shown = _show(match.group())
            parts.append(shown)
            positions.append([match.start()] * len(shown))
            done = match.end()
        parts.append(sliced[done:])
        positions.append(range(done, len(sliced)))
        return cls(text="".join(parts), positions=tuple(chain.from_iterable(positions)))

    def to_slice(self, span: Span) -> Span:
        """A span of the text as read → the same characters in the slice."""
        if not len(span):
            start = self.positions[span.start] if span.start < len(self.positions) else 0
            return Span(start, start)
        return Span(self.positions[span.start], self.positions[span.end - 1] + 1)


def _show(found: str) -> str:
    if found in {"\n", "\f", "\r"}:
        return " "
    # Within this block NFKC only spells the ligature out; invisible characters are not shown.
    return unicodedata.normalize("NFKC", found) if "\ufb00" <= found[0] <= "\ufb06" else ""
