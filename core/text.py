"""The canonical text of one extraction: kept for ever, never edited."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import MalformedSpanError

if TYPE_CHECKING:
    from spanproof.core.span import Span

#: NUL (PostgreSQL refuses it) and lone surrogates (UTF-8 cannot carry them) never appear in a text.
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True, eq=False)
class CanonicalText:
    """Text in code points and the digest of its UTF-8 bytes; build it with ``of``."""

    text: str
    digest: Digest

    @classmethod
    def of(cls, text: str) -> CanonicalText:
        """Take a text without NUL and lone surrogates."""
        found = _FORBIDDEN.search(text)
        if found:
            msg = f"Expected no NUL and no surrogate, got {found.group()!r} at {found.start()}."
            raise MalformedSpanError(msg, hint="Replace it with U+FFFD and flag the character.")
        return cls(text, Digest.of(text.encode("utf-8")))

    def __len__(self) -> int:
        return len(self.text)

    def holds(self, span: Span) -> bool:
        """Whether the span lies inside the text."""
        return span.end <= len(self.text)

    def slice(self, span: Span) -> str:
        """The characters of a span; raise MalformedSpanError beyond the end."""
        if not self.holds(span):
            msg = f"Expected a span inside 0..{len(self.text)}, got {span.start}..{span.end}."
            raise MalformedSpanError(msg, hint="Give offsets of this extraction's text.")
        return self.text[span.start : span.end]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CanonicalText) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)
