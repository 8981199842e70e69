"""A page's frame, read from MuPDF: view box, media box, rotation and user unit in user space.

Everything here holds for a page whose rotation was set to 0 (``unrotate``): PyMuPDF's own matrix is
wrong on rotated pages with a CropBox offset or a /UserUnit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from spanproof.core.geometry import PageFrame, Rect
from spanproof.ingest.engine.mupdf.library import load_pymupdf

if TYPE_CHECKING:
    from spanproof.core.geometry import Point, Quad, Rotation

# MuPDF computes in 32-bit floats: what they add to a decimal number of the file goes away here.
_DIGITS = 4


def unrotate(page: Any) -> Rotation:  # noqa: ANN401 - an untyped binding
    """Set a page's rotation to 0 (in memory only) and return the old one, clockwise."""
    rotation = int(page.rotation) % 360
    if rotation not in (0, 90, 180, 270):
        rotation = 0
    if rotation:
        page.set_rotation(0)
    return cast("Rotation", rotation)


def read_frame(page: Any, rotation: Rotation) -> PageFrame:  # noqa: ANN401 - an untyped binding
    """The frame of an unrotated page.

    MuPDF resolves inheritance, missing and empty boxes here, by the very function that placed the
    characters: so the frame can never disagree with them.
    """
    mupdf = load_pymupdf().mupdf
    view, matrix = mupdf.FzRect(), mupdf.FzMatrix()
    pdf_page = mupdf.pdf_page_from_fz_page(page.this)
    mupdf.pdf_page_transform(pdf_page, view, matrix)
    media = mupdf.pdf_to_rect(
        mupdf.pdf_dict_get_inheritable(pdf_page.obj(), mupdf.PDF_ENUM_NAME_MediaBox)
    )
    view_box = _to_rect(view)
    media_box = _to_rect(media)
    return PageFrame(
        view_box=view_box,
        media_box=media_box if media_box.area > 0 else view_box,
        rotation=rotation,
        user_unit=round(matrix.a, 6) or 1.0,
    )


def to_unrotated(frame: PageFrame, point: Point) -> Point:
    """User space → the frame of the unrotated page in which MuPDF reads and annotates."""
    x, y = point
    return (x - frame.view_box.x0) * frame.user_unit, (frame.view_box.y1 - y) * frame.user_unit


def to_library_quad(frame: PageFrame, quad: Quad) -> Any:  # noqa: ANN401 - an untyped binding
    """A quad of user space in the library's frame and corner order."""
    corners = (quad.ul, quad.ur, quad.ll, quad.lr)
    return load_pymupdf().Quad(*(to_unrotated(frame, corner) for corner in corners))


def _to_rect(box: Any) -> Rect:  # noqa: ANN401 - an untyped binding
    xs, ys = sorted((box.x0, box.x1)), sorted((box.y0, box.y1))
    x0, x1 = (round(x, _DIGITS) for x in xs)
    y0, y1 = (round(y, _DIGITS) for y in ys)
    return Rect(x0, y0, x1, y1)
