"""What MuPDF says while it reads a page: a damaged stream ends early, and the text with it.

MuPDF goes on with what it has and says so in a warning. A font or form that pages share is read
once and kept, so only the first of its pages would be told: after the first damage of a document
nothing is kept from one page to the next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from spanproof.ingest.engine.mupdf.library import load_pymupdf

# Each kind of damage: what MuPDF writes, and what it means to the text. The gravest first.
_KINDS = (
    (
        re.compile(r"premature end|read error|zlib error|bad data in|aes padding"),
        "a compressed stream that is damaged or ends early",
    ),
    (
        re.compile(r"syntax error in content|page may not be correct|too many syntax errors"),
        "page content with errors of syntax",
    ),
    (
        re.compile(r"cannot find object|cannot load object|cannot find \w+ resource"),
        "a part of the page that is missing from the file",
    ),
    (
        re.compile(r"ignored error when loading embedded font"),
        "an embedded font that cannot be read",
    ),
    (re.compile(r"cannot draw text since"), "text without a font or size"),
)
_UNPLACED = re.compile(r"ActualText with no position")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """What was said of one page."""

    said: str = ""

    def describe(self, *, is_compared: bool) -> str | None:
        """The gravest damage as a sentence; a page compared with its glyphs lacks no ActualText."""
        got = next((meaning for kind, meaning in _KINDS if kind.search(self.said)), None)
        if got is None and not is_compared and _UNPLACED.search(self.said):
            got = "ActualText whose place is not known"
        return got and f"Some text may be missing: MuPDF met {got}."


@dataclass(slots=True)
class DamageWatch:
    """Listens to MuPDF while it reads the pages of one document."""

    _is_damaged: bool = field(default=False)

    def begin(self) -> None:
        """Forget what was said before."""
        pymupdf = load_pymupdf()
        if self._is_damaged:
            pymupdf.TOOLS.store_shrink(100)
        # Reset only after the count of a repeated message is written.
        pymupdf.TOOLS.mupdf_warnings()

    def end(self) -> Damage:
        """What was said since ``begin``."""
        said = load_pymupdf().TOOLS.mupdf_warnings()
        damage = Damage(said=said)
        self._is_damaged |= damage.describe(is_compared=False) is not None
        return damage
