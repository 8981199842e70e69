"""What a reader sees of a page's characters: a cheap look first, its pixels only where in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.assembly.characters import is_space
from spanproof.ingest.assembly.ink import find_overprinted, find_tiny
from spanproof.ingest.assembly.runs import off_page
from spanproof.ingest.engine.mupdf.ink import see_page
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.ingest.engine.mupdf.look import (
    Transparency,
    find_clipped,
    find_doubtful,
    find_struck,
    has_image,
    opaque_boxes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.assembly.characters import Flags
    from spanproof.ingest.assembly.stream import CharStream, Ints, Mask
    from spanproof.ingest.engine.mupdf.bands import Box
    from spanproof.ingest.engine.mupdf.look import Look

# What draws nothing over a page: a link has a thin border at most, a popup is shown when asked.
_DRAWS_NOTHING = frozenset({"Link", "Popup"})


class Visibility:
    """Looks at the pages of one document, remembering what they share."""

    def __init__(self) -> None:
        self._transparency = Transparency()

    def flags_of(
        self,
        page: Any,  # noqa: ANN401 - an untyped binding
        stream: CharStream,
        frame: PageFrame,
        looks: Sequence[Look],
    ) -> Flags:
        """The flags of the characters of one unrotated page that a reader does not see.

        A page whose text is made of two readings has a look for each; without any all of it is in
        doubt.
        """
        boxes = _read_annotations(page, frame)
        struck = _inside_any(stream, [box for kind, box in boxes if kind == "StrikeOut"])
        gone = np.zeros(len(stream), bool)
        if looks:
            struck |= find_struck(looks[0], stream)
            inside = ~off_page(stream, [frame], _first(stream))
            gone |= np.logical_and.reduce([find_clipped(one, stream, inside) for one in looks])
        under = _inside_any(stream, opaque_boxes(looks[0])) if looks else gone
        gone |= find_tiny(stream) | find_overprinted(stream, ~gone, under)
        found = np.where(gone, np.uint16(CharFlag.INVISIBLE | CharFlag.CONCEALED), np.uint16(0))
        found[struck] |= np.uint16(CharFlag.STRUCK)
        over = _inside_any(stream, [box for _, box in boxes])
        doubtful = self._find_doubtful(page, stream, looks) | over
        if doubtful.any():
            found |= see_page(page, stream, doubtful)
        return found

    def _find_doubtful(self, page: Any, stream: CharStream, looks: Sequence[Look]) -> Mask:  # noqa: ANN401 - see above
        """The characters whose look alone does not show whether a reader sees them."""
        if not looks or self._transparency.is_used(page):
            return np.ones(len(stream), bool)
        # A scan's text is compared with the whole scan.
        if stream.invisible.any() and has_image(looks[0]):
            return np.ones(len(stream), bool)
        return _inside_any(stream, [box for look in looks for box in find_doubtful(look)])


def _first(stream: CharStream) -> Ints:
    """Every character is on the first page of a stream of one."""
    return np.zeros(len(stream), np.int64)


def _read_annotations(page: Any, frame: PageFrame) -> list[tuple[str, Box]]:  # noqa: ANN401 - see above
    """The kind of each annotation that draws, and its boxes in the frame of the stream."""
    mupdf = load_pymupdf().mupdf
    annotations = mupdf.pdf_dict_gets(mupdf.pdf_page_from_fz_page(page.this).obj(), "Annots")
    found = []
    for index in range(mupdf.pdf_array_len(annotations)):
        one = mupdf.pdf_array_get(annotations, index)
        kind = mupdf.pdf_to_name(mupdf.pdf_dict_gets(one, "Subtype"))
        if kind not in _DRAWS_NOTHING:
            found += [(kind, _to_page(box, frame)) for box in _boxes_of(one, kind)]
    return found


def _boxes_of(annotation: Any, kind: str) -> list[Box]:  # noqa: ANN401 - see above
    mupdf = load_pymupdf().mupdf
    quads = mupdf.pdf_dict_gets(annotation, "QuadPoints")
    count = mupdf.pdf_array_len(quads) // 8
    if kind != "StrikeOut" or not count:
        rect = mupdf.pdf_to_rect(mupdf.pdf_dict_gets(annotation, "Rect"))
        return [(rect.x0, rect.y0, rect.x1, rect.y1)]
    numbers = [mupdf.pdf_array_get_real(quads, index) for index in range(8 * count)]
    rows = [numbers[start : start + 8] for start in range(0, 8 * count, 8)]
    return [(min(r[0::2]), min(r[1::2]), max(r[0::2]), max(r[1::2])) for r in rows]


def _to_page(box: Box, frame: PageFrame) -> Box:
    view, unit = frame.view_box, frame.user_unit
    xs, ys = sorted((box[0], box[2])), sorted((box[1], box[3]))
    return (
        (xs[0] - view.x0) * unit,
        (view.y1 - ys[1]) * unit,
        (xs[1] - view.x0) * unit,
        (view.y1 - ys[0]) * unit,
    )


def _inside_any(stream: CharStream, boxes: list[Box]) -> Mask:
    """The characters whose glyphs have their centre in one of the boxes."""
    found = np.zeros(len(stream), bool)
    if not boxes:
        return found
    x, y = stream.quads[0::2].mean(axis=0), stream.quads[1::2].mean(axis=0)
    for x0, y0, x1, y1 in boxes:
        found |= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    return found & ~is_space(stream.points)
