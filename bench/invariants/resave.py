"""The same pages in other bytes: page entries changed, objects written anew, pages repeated.

These are the changes under which text and places must stay as they are. MuPDF writes them, whatever
engine reads them: a checker's tool, not part of any extraction.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.engine.mupdf.documents import open_document
from spanproof.ingest.engine.mupdf.library import library_errors, load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.core.geometry import PageFrame, Rect

#: How the objects of a file may be written anew, each a set of ``tobytes`` options.
RESAVES: dict[str, dict[str, Any]] = {
    "plain": {},
    "collected and deflated": {"garbage": 4, "deflate": True},
    "expanded": {"garbage": 1, "expand": 1},
    "object streams": {"garbage": 2, "use_objstms": 1},
}
# Left, down, right and up: an origin moved and a page grown, by numbers that are no round ones.
_SHIFT = (37.25, 21.5, 13.75, 8.125)


def rotate(data: bytes, frames: dict[int, PageFrame]) -> bytes:
    """The document with those pages turned by a quarter more."""
    return _with_entries(
        data, {n: {"Rotate": str((f.rotation + 90) % 360)} for n, f in frames.items()}
    )


def shift(data: bytes, frames: dict[int, PageFrame]) -> bytes:
    """The document with the origins of those pages' boxes moved away from their content."""
    return _with_entries(
        data,
        {
            n: {"MediaBox": _grown(f.media_box), "CropBox": _grown(f.view_box)}
            for n, f in frames.items()
        },
    )


def scale(data: bytes, frames: dict[int, PageFrame]) -> bytes:
    """The document with a user unit twice as large on those pages."""
    return _with_entries(data, {n: {"UserUnit": f"{2 * f.user_unit:g}"} for n, f in frames.items()})


def write_anew(data: bytes, how: str) -> bytes:
    """The document with its objects written in another way (a key of ``RESAVES``)."""
    with open_document(data) as opened, _wrapped(how):
        return _to_bytes(opened, RESAVES[how])


def find_preserved(data: bytes, saved: bytes, numbers: Iterable[int]) -> frozenset[int]:
    """The pages whose content is the same in both files.

    A writer that decodes a damaged stream may leave half of it out: that is another document.
    """
    kept = []
    with open_document(data) as before, open_document(saved) as after, _wrapped("and read"):
        for number in numbers:
            (plain, raw), (other_plain, other_raw) = (
                _content(one, number) for one in (before, after)
            )
            # Content that cannot be decoded is the same only if it is empty or has the same bytes.
            lost = not plain and any(part.strip() for part in raw) and raw != other_raw
            if plain == other_plain and not lost:
                kept.append(number)
    return frozenset(kept)


def without_annotations(data: bytes, numbers: Iterable[int]) -> bytes | None:
    """The document with those pages' annotations taken off; None where they have none."""
    with open_document(data) as opened, _wrapped("without annotations"):
        found = [opened.page_xref(number - 1) for number in numbers]
        marked = [xref for xref in found if opened.xref_get_key(xref, "Annots")[0] != "null"]
        for xref in marked:
            opened.xref_set_key(xref, "Annots", "null")
        return _to_bytes(opened, {}) if marked else None


def repeat_pages(data: bytes, times: int) -> bytes:
    """A document of so many copies of all pages, each copy with objects of its own."""
    pymupdf = load_pymupdf()
    with open_document(data) as opened, pymupdf.open() as many, _wrapped("repeated"):
        for _ in range(times):
            many.insert_pdf(opened)
        return _to_bytes(many, {"garbage": 1})


def _with_entries(data: bytes, entries: dict[int, dict[str, str]]) -> bytes:
    with open_document(data) as opened, _wrapped("changed"):
        for number, changes in entries.items():
            for key, value in changes.items():
                opened.xref_set_key(opened.page_xref(number - 1), key, value)
        return _to_bytes(opened, {})


def _to_bytes(opened: Any, options: dict[str, Any]) -> bytes:  # noqa: ANN401 - an untyped binding
    written: bytes = opened.tobytes(encryption=load_pymupdf().PDF_ENCRYPT_NONE, **options)
    return written


def _content(opened: Any, number: int) -> tuple[bytes, list[bytes]]:  # noqa: ANN401 - see above
    page = opened.load_page(number - 1)
    raw = [opened.xref_stream_raw(xref) or b"" for xref in page.get_contents()]
    return page.read_contents() or b"", raw


def _grown(box: Rect) -> str:
    left, down, right, up = _SHIFT
    return f"[{box.x0 - left:.6f} {box.y0 - down:.6f} {box.x1 + right:.6f} {box.y1 + up:.6f}]"


@contextmanager
def _wrapped(what: str) -> Iterator[None]:
    try:
        yield
    except library_errors() as error:
        msg = f"Expected a document that can be written {what}, got one that cannot ({error})."
        raise BrokenDocumentError(msg, hint="Its invariants are checked without that.") from error
