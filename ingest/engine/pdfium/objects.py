"""The objects of a page, and those of the forms that it draws."""

from __future__ import annotations

import ctypes
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.ingest.engine.pdfium.library import Calls, address_of, load_calls, load_pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.geometry import Rect

# FPDF_PAGEOBJ_TEXT and its like.
_TEXT, _IMAGE, _FORM = 1, 3, 5
# Forms in forms: deeper ones are drawn by no sane producer.
_DEEPEST = 12
# The corners of what an image is painted on, and a third number that lets a matrix move them.
_UNIT_SQUARE = np.array([(0.0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)])

_Matrix = np.ndarray[Any, np.dtype[np.float64]]


def text_objects(page: Any) -> list[int]:  # noqa: ANN401 - an untyped binding
    """The addresses of all text objects, those of no visible text too."""
    return [one for one, _ in _walk(*_on_page(page), _TEXT, np.eye(3), _DEEPEST)]


def remove_text(page: Any) -> None:  # noqa: ANN401 - an untyped binding
    """Take the text off a page and the forms that it draws, in memory only."""
    raw = load_pdfium()
    objects = [raw.FPDFPage_GetObject(page, i) for i in range(raw.FPDFPage_CountObjects(page))]
    for one in objects:
        kind = raw.FPDFPageObj_GetType(one)
        if kind == _TEXT:
            if raw.FPDFPage_RemoveObject(page, one):
                raw.FPDFPageObj_Destroy(one)
        elif kind == _FORM:
            _remove_inner(one, _DEEPEST)


def _remove_inner(form: Any, deepest: int) -> None:  # noqa: ANN401 - see above
    raw = load_pdfium()
    count = max(0, raw.FPDFFormObj_CountObjects(form))
    for one in [raw.FPDFFormObj_GetObject(form, index) for index in range(count)]:
        kind = raw.FPDFPageObj_GetType(one)
        if kind == _TEXT:
            if raw.FPDFFormObj_RemoveObject(form, one):
                raw.FPDFPageObj_Destroy(one)
        elif kind == _FORM and deepest:
            _remove_inner(one, deepest - 1)


def image_share(page: Any, box: Rect) -> float:  # noqa: ANN401 - an untyped binding
    """The share of a box of user space that the page's images take together, at most 1."""
    calls, taken = load_calls(), 0.0
    for image, outer in _walk(*_on_page(page), _IMAGE, np.eye(3), _DEEPEST):
        corners = _UNIT_SQUARE @ _read_matrix(calls, image) @ outer
        (x0, y0, _), (x1, y1, _) = corners.min(axis=0), corners.max(axis=0)
        width = max(0.0, min(x1, box.x1) - max(x0, box.x0))
        taken += width * max(0.0, min(y1, box.y1) - max(y0, box.y0))
    # Scans are often cut into strips: their areas add up.
    return float(min(1.0, taken / box.area)) if box.area > 0 else 0.0


def _on_page(page: Any) -> tuple[list[int], list[int]]:  # noqa: ANN401 - see above
    calls, address = load_calls(), address_of(page)
    count = max(0, calls.count_objects(address))
    found = list(map(calls.object_at, repeat(address), range(count)))
    return found, list(map(calls.object_type, found))


def _walk(
    objects: list[int], kinds: list[int], wanted: int, outer: _Matrix, deepest: int
) -> Iterator[tuple[int, _Matrix]]:
    """Objects of one kind, each with the matrix of the forms around it."""
    calls = load_calls()
    for one, kind in zip(objects, kinds, strict=True):
        if kind == wanted:
            yield one, outer
        elif kind == _FORM and deepest:
            count = max(0, calls.count_inner(one))
            inner = list(map(calls.inner_at, repeat(one), range(count)))
            matrix = _read_matrix(calls, one) @ outer
            yield from _walk(
                inner, list(map(calls.object_type, inner)), wanted, matrix, deepest - 1
            )


def _read_matrix(calls: Calls, one: int) -> _Matrix:
    read = np.zeros(6, np.float32)
    calls.object_matrix(one, read.ctypes.data)
    a, b, c, d, e, f = read.tolist()
    return np.array([(a, b, 0.0), (c, d, 0.0), (e, f, 1.0)])


_KEY = ctypes.create_string_buffer(b"ActualText")
# FPDF_OBJECT_STRING.
_STRING = 3


def find_actual_text(page: Any) -> list[tuple[int, int]]:  # noqa: ANN401 - an untyped binding
    """Each text object whose glyphs have an ActualText, and the mark that says so."""
    calls, key = load_calls(), ctypes.addressof(_KEY)
    return [
        (one, mark)
        for one in _marked(page)
        for mark in map(
            calls.mark_at, [one] * calls.count_marks(one), range(calls.count_marks(one))
        )
        if calls.value_type(mark, key) == _STRING
    ]


def remove_marks(found: list[tuple[int, int]]) -> None:
    """Take those marks off their objects; the document's own dictionaries stay as they are."""
    calls = load_calls()
    for one, mark in found:
        calls.remove_mark(one, mark)


def _marked(page: Any) -> Iterator[int]:  # noqa: ANN401 - see above
    calls = load_calls()
    every = text_objects(page)
    for one, count in zip(every, map(calls.count_marks, every), strict=True):
        if count > 0:
            yield one
