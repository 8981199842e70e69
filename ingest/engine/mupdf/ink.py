"""A page drawn with and without its text, to see which characters leave ink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.assembly.ink import Views, find_changed, find_concealed
from spanproof.ingest.engine.mupdf.bands import gather_bands
from spanproof.ingest.engine.mupdf.library import load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.ingest.assembly.characters import Flags
    from spanproof.ingest.assembly.stream import CharStream, Mask
    from spanproof.ingest.engine.protocol import Pixels

# A page of A4 at one pixel a point; a larger one is drawn smaller.
_MOST_PIXELS = 1_200_000
# Of the page around doubtful text, in points: edges and recognised words lie beside it.
_ROOM = 8.0


def see_page(page: Any, stream: CharStream, doubtful: Mask) -> Flags:  # noqa: ANN401 - an untyped binding
    """Flags of the page's doubtful characters by its pixels; the page is unrotated."""
    mupdf = load_pymupdf().mupdf
    recorded = record_page(page)
    bound, scale = recorded.bound, recorded.scale
    contents, over = recorded.contents, recorded.over
    found = np.zeros(len(stream), np.uint16)
    xs, ys = stream.quads[0::2], stream.quads[1::2]
    boxes = np.stack([xs.min(axis=0), ys.min(axis=0), xs.max(axis=0), ys.max(axis=0)])
    for left, top, right, bottom in gather_bands(boxes[:, doubtful]):
        part = mupdf.FzRect(left - _ROOM, top - _ROOM, right + _ROOM, bottom + _ROOM)
        part = mupdf.fz_intersect_rect(part, bound)
        if mupdf.fz_is_empty_rect(part):
            continue
        box = mupdf.fz_round_rect(mupdf.fz_transform_rect(part, mupdf.fz_scale(scale, scale)))
        shown = _draw((contents, over), (), part, box, scale)
        bare = _draw((contents, over), (contents,), part, box, scale)
        views = Views(shown=shown, bare=bare, scale=scale, left=box.x0, top=box.y0)
        inside = doubtful & (boxes[1] >= top) & (boxes[3] <= bottom)
        found |= find_concealed(stream, views, inside)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a page's contents and its annotations draw, its bounds, and pixels a point."""

    bound: Any
    scale: float
    contents: Any
    over: Any


def record_page(page: Any) -> Recorded:  # noqa: ANN401 - see above
    """Record an unrotated page once, so that parts of it can be drawn again."""
    mupdf = load_pymupdf().mupdf
    bound = mupdf.fz_bound_page(page.this)
    wide, high = max(bound.x1 - bound.x0, 1.0), max(bound.y1 - bound.y0, 1.0)
    return Recorded(
        bound=bound,
        scale=min(1.0, (_MOST_PIXELS / (wide * high)) ** 0.5),
        contents=_record(page, bound, mupdf.fz_run_page_contents),
        over=_record(page, bound, mupdf.fz_run_page_annots, mupdf.fz_run_page_widgets),
    )


def leaves_ink(recorded: Recorded, annotation: Any) -> bool:  # noqa: ANN401 - see above
    """Whether the text of an annotation or a field changes the picture of its page."""
    mupdf = load_pymupdf().mupdf
    part = mupdf.fz_intersect_rect(mupdf.pdf_bound_annot(annotation), recorded.bound)
    if mupdf.fz_is_empty_rect(part):
        return False
    scaled = mupdf.fz_transform_rect(part, mupdf.fz_scale(recorded.scale, recorded.scale))
    box, layers = mupdf.fz_round_rect(scaled), (recorded.contents, recorded.over)
    shown = _draw(layers, (), part, box, recorded.scale)
    bare = _draw(layers, (recorded.over,), part, box, recorded.scale)
    return bool(find_changed(shown, bare).any())


def _record(page: Any, bound: Any, *runs: Callable[..., None]) -> Any:  # noqa: ANN401 - see above
    """What the runs draw, to be drawn again and again."""
    mupdf = load_pymupdf().mupdf
    recorded = mupdf.fz_new_display_list(bound)
    device = mupdf.fz_new_list_device(recorded)
    for run in runs:
        run(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return recorded


def _draw(
    layers: tuple[Any, ...],
    textless: tuple[Any, ...],
    part: Any,  # noqa: ANN401 - see above
    box: Any,  # noqa: ANN401 - see above
    scale: float,
) -> Pixels:
    """A part of the layers, one over the other, without the text of those that are textless."""
    mupdf = load_pymupdf().mupdf
    pixmap = mupdf.fz_new_pixmap_with_bbox(mupdf.fz_device_rgb(), box, mupdf.FzSeparations(), 0)
    mupdf.fz_clear_pixmap_with_value(pixmap, 255)
    for layer in layers:
        device = mupdf.fz_new_draw_device(mupdf.fz_scale(scale, scale), pixmap)
        if layer in textless:
            # A device without these functions passes such text over.
            device.m_internal.fill_text = device.m_internal.stroke_text = None
        mupdf.fz_run_display_list(layer, device, mupdf.FzMatrix(), part, mupdf.FzCookie())
        mupdf.fz_close_device(device)
    height, stride = pixmap.h(), pixmap.stride()
    samples = np.frombuffer(mupdf.ll_fz_pixmap_samples_memoryview(pixmap.m_internal), np.uint8)
    return samples.reshape(height, stride)[:, : pixmap.w() * 3].reshape(height, -1, 3).copy()
