"""ActualText: whether a page's text has any, and the page without it.

pdfium puts the ActualText of marked content in the place of its glyphs. Taken off the objects in
memory, it leaves a text page of what the glyphs themselves say. ActualText of the structure tree it
does not read at all.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from spanproof.ingest.engine.pdfium.library import load_calls
from spanproof.ingest.engine.pdfium.objects import text_objects

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def take_off(found: list[tuple[int, int]]) -> None:
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
