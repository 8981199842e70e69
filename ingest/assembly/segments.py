"""Text that viewers show over a page without its being in the page: form fields and annotations.

An engine hands over *segments*; ``assemble`` sets each as one line after its page's own text,
before the page's end. Nothing finer than the annotation's rectangle is known of where its text
appears: every character of a segment owns that whole rectangle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from spanproof.ingest.assembly.stream import CharStream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.geometry import PageFrame, Rect
    from spanproof.ingest.assembly.stream import Ints

SegmentKind = Literal["form_field", "annotation"]
#: The annotations whose /Contents is text that a person put on the page (ISO 32000-2, 12.5.6.2).
#: A popup shows its parent's text, a link's is no more than a description.
MARKUP = frozenset(
    {
        "Text",
        "FreeText",
        "Line",
        "Square",
        "Circle",
        "Polygon",
        "PolyLine",
        "Highlight",
        "Underline",
        "Squiggly",
        "StrikeOut",
        "Caret",
        "Stamp",
        "Ink",
        "FileAttachment",
        "Redact",
    }
)
# Those whose own words a viewer writes on the page.
_SHOWN = frozenset({"FreeText", "Widget"})
# A field of so many letters and digits may hold more than it shows at once.
_SCROLLED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One form field's value or one annotation's text, and its rectangle in user space.

    ``name`` is the field's full name or the annotation's type; ``hidden`` where viewers are told to
    show none of it.
    """

    kind: SegmentKind
    text: str
    rect: Rect
    name: str | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Appended:
    """A stream with segments put in as lines: where its old characters went, and the new lines."""

    stream: CharStream
    #: The new index of each character of the old stream.
    moved: Ints
    #: Start and end of each segment among the new stream's characters, page by page.
    spans: tuple[tuple[int, int], ...]
    segments: tuple[Segment, ...]


def is_shown(subtype: str, said: str, drawn: str | None) -> bool:
    """Whether a page shows what an annotation or a field says.

    ``drawn`` are the words of its appearance; None where its viewer makes one. A note's words, or a
    highlight's, appear only where a reader opens it.
    """
    if drawn is None:
        return subtype in _SHOWN
    words, seen = ("".join(c for c in text.casefold() if c.isalnum()) for text in (said, drawn))
    # A long text is shown in part: its field is scrolled.
    return words in seen or (len(seen) >= _SCROLLED and seen in words)


def append_segments(
    stream: CharStream, frames: Sequence[PageFrame], segments: Sequence[Sequence[Segment]]
) -> Appended:
    """Put each page's segments after its lines; a segment without text is not a line."""
    if not any(segments):
        return Appended(stream=stream, moved=np.arange(len(stream)), spans=(), segments=())
    listed = [[one for one in page if one.text] for page in segments]
    every = [one for page in listed for one in page]
    counts = np.array([len(page) for page in listed], np.int64)
    lengths = np.array([len(one.text) for one in every], np.int64)
    page_of_segment = np.repeat(np.arange(len(listed)), counts)
    line_end = np.cumsum(stream.page_lines)[page_of_segment]
    char_end = np.concatenate([[0], np.cumsum(stream.line_length)])[line_end]
    at_char = np.repeat(char_end, lengths)
    boxes = [
        _quad(one.rect, frames[page])
        for one, page in zip(every, page_of_segment.tolist(), strict=True)
    ]
    quads = np.repeat(np.array(boxes, np.float32).reshape(-1, 8), lengths, axis=0).T
    points = np.array([ord(char) for one in every for char in one.text], np.uint32)
    hidden = np.repeat(np.array([one.hidden for one in every], bool), lengths)
    grown = CharStream(
        page_lines=stream.page_lines + counts,
        line_length=np.insert(stream.line_length, line_end, lengths),
        line_direction=np.insert(stream.line_direction, line_end, (1.0, 0.0), axis=0),
        line_vertical=np.insert(stream.line_vertical, line_end, values=False),
        points=np.insert(stream.points, at_char, points),
        synthetic=np.insert(stream.synthetic, at_char, values=False),
        invisible=np.insert(stream.invisible, at_char, hidden),
        drawn=np.insert(stream.drawn, at_char, values=False),
        quads=np.insert(stream.quads, at_char, quads, axis=1),
        # The base line is the lower edge, and the size the height.
        origins=np.insert(stream.origins, at_char, quads[4:6], axis=1),
        sizes=np.insert(stream.sizes, at_char, quads[5] - quads[1]),
    )
    starts = char_end + np.cumsum(lengths) - lengths
    return Appended(
        stream=grown,
        moved=np.arange(len(stream)) + np.searchsorted(at_char, np.arange(len(stream)), "right"),
        spans=tuple(zip(starts.tolist(), (starts + lengths).tolist(), strict=True)),
        segments=tuple(every),
    )


def _quad(rect: Rect, frame: PageFrame) -> tuple[float, ...]:
    """The rectangle in the frame of the unrotated page, as a stream has its quads."""
    box, unit = frame.view_box, frame.user_unit
    x0, x1 = (rect.x0 - box.x0) * unit, (rect.x1 - box.x0) * unit
    y0, y1 = (box.y1 - rect.y1) * unit, (box.y1 - rect.y0) * unit
    return x0, y0, x1, y0, x0, y1, x1, y1
