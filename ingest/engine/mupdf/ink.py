"""A page drawn with and without its text, to see which characters leave ink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.assembly.ink import Views, find_concealed
from spanproof.ingest.engine.mupdf.library import load_pymupdf

if TYPE_CHECKING:
    from spanproof.ingest.assembly.characters import Flags
    from spanproof.ingest.assembly.stream import CharStream
    from spanproof.ingest.engine.protocol import Pixels

# A page of A4 at one pixel a point; a larger one is drawn smaller.
_MOST_PIXELS = 1_200_000


def see_page(page: Any, stream: CharStream) -> Flags:  # noqa: ANN401 - an untyped binding
    """Flags of the page's characters by its pixels; the page is unrotated."""
    mupdf = load_pymupdf().mupdf
    bound = mupdf.fz_bound_page(page.this)
    wide, high = max(bound.x1 - bound.x0, 1.0), max(bound.y1 - bound.y0, 1.0)
    scale = min(1.0, (_MOST_PIXELS / (wide * high)) ** 0.5)
    contents = mupdf.fz_new_display_list(bound)
    device = mupdf.fz_new_list_device(contents)
    mupdf.fz_run_page_contents(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    shown, bare = (
        _draw(page, contents, bound, scale, has_text=has_text) for has_text in (True, False)
    )
    return find_concealed(stream, Views(shown=shown, bare=bare, scale=scale))


def _draw(
    page: Any,  # noqa: ANN401 - see above
    contents: Any,  # noqa: ANN401 - see above
    bound: Any,  # noqa: ANN401 - see above
    scale: float,
    *,
    has_text: bool,
) -> Pixels:
    """The contents, and the annotations over them, whose own text stays in both drawings."""
    mupdf = load_pymupdf().mupdf
    matrix = mupdf.fz_scale(scale, scale)
    box = mupdf.fz_round_rect(mupdf.fz_transform_rect(bound, matrix))
    pixmap = mupdf.fz_new_pixmap_with_bbox(mupdf.fz_device_rgb(), box, mupdf.FzSeparations(), 0)
    mupdf.fz_clear_pixmap_with_value(pixmap, 255)
    for run, is_text_left_out in (
        (lambda device: _run_list(contents, device, bound), not has_text),
        (
            lambda device: mupdf.fz_run_page_annots(
                page.this, device, mupdf.FzMatrix(), mupdf.FzCookie()
            ),
            False,
        ),
        (
            lambda device: mupdf.fz_run_page_widgets(
                page.this, device, mupdf.FzMatrix(), mupdf.FzCookie()
            ),
            False,
        ),
    ):
        device = mupdf.fz_new_draw_device(matrix, pixmap)
        if is_text_left_out:
            # A device without these functions passes such text over.
            device.m_internal.fill_text = device.m_internal.stroke_text = None
        run(device)
        mupdf.fz_close_device(device)
    height, stride = pixmap.h(), pixmap.stride()
    samples = np.frombuffer(mupdf.ll_fz_pixmap_samples_memoryview(pixmap.m_internal), np.uint8)
    return samples.reshape(height, stride)[:, : pixmap.w() * 3].reshape(height, -1, 3).copy()


def _run_list(contents: Any, device: Any, bound: Any) -> None:  # noqa: ANN401 - see above
    mupdf = load_pymupdf().mupdf
    mupdf.fz_run_display_list(contents, device, mupdf.FzMatrix(), bound, mupdf.FzCookie())
