"""Small PDFs that ask for far more time, memory or depth than their size tells."""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING

from tests.ingest.pdf_bytes import HELVETICA, write_objects

if TYPE_CHECKING:
    from collections.abc import Callable

_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
_PAGES = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
_PAGE = (
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
    b"/Resources<</Font<</F1 5 0 R>>>>>>"
)


def overprint(millions: float) -> bytes:
    """So many characters printed one over the other: seconds of work, gigabytes of boxes."""
    line = b"(%s) Tj\n" % (b"x" * 50_000)
    return _one_page(b"BT /F1 1 Tf 10 10 Td\n" + line * int(20 * millions) + b"ET")


def flate_bomb() -> bytes:
    """Two layers of deflate over 200 MB of spaces."""
    squeeze = zlib.compressobj(9)
    megabyte = b" " * (1 << 20)
    inner = b"".join(squeeze.compress(megabyte) for _ in range(200)) + squeeze.flush()
    return write_objects([_CATALOG, _PAGES, _PAGE, _stream(inner, layers=2), HELVETICA])


def many_operators() -> bytes:
    """Five million operators in one content stream."""
    return _one_page(b"q Q " * 2_500_000)


def million_pages_claimed() -> bytes:
    """A page tree that claims a million pages and has one."""
    pages = _PAGES.replace(b"/Count 1", b"/Count 1000000")
    return write_objects([_CATALOG, pages, _PAGE, _stream(zlib.compress(b""))])


def million_kids() -> bytes:
    """A page tree that names one page a million times."""
    pages = b"<</Type/Pages/Kids[%s]/Count 1000000>>" % (b"3 0 R " * 1_000_000)
    return write_objects([_CATALOG, pages, _PAGE, _stream(zlib.compress(b""))])


def nested_arrays() -> bytes:
    """Half a million arrays, one in the other."""
    deep = _CATALOG[:-2] + b"/X " + b"[" * 500_000 + b"]" * 500_000 + b">>"
    return write_objects([deep, _PAGES, _PAGE, _stream(zlib.compress(b""))])


def nested_states() -> bytes:
    """A million graphics states saved and never restored."""
    return _one_page(b"q " * 1_000_000)


def circular_pages() -> bytes:
    """A page tree that is its own child."""
    return write_objects([_CATALOG, b"<</Type/Pages/Kids[2 0 R]/Parent 2 0 R/Count 1>>"])


def absurd_sizes() -> bytes:
    """Characters of absurd sizes, absurdly far away."""
    return _one_page(b"BT /F1 1e30 Tf 1e20 1e20 Td (x) Tj ET " * 1000)


def _one_page(content: bytes) -> bytes:
    stream = _stream(zlib.compress(content, 9))
    return write_objects([_CATALOG, _PAGES, _PAGE, stream, HELVETICA])


def _stream(deflated: bytes, *, layers: int = 1) -> bytes:
    for _ in range(layers - 1):
        deflated = zlib.compress(deflated, 9)
    filters = b"/FlateDecode " * layers
    return b"<</Length %d/Filter[%s]>>stream\n%s\nendstream" % (len(deflated), filters, deflated)


BOMBS: dict[str, Callable[[], bytes]] = {
    "overprint": partial(overprint, 3.3),
    "flate_bomb": flate_bomb,
    "many_operators": many_operators,
    "million_pages_claimed": million_pages_claimed,
    "million_kids": million_kids,
    "nested_arrays": nested_arrays,
    "nested_states": nested_states,
    "circular_pages": circular_pages,
    "absurd_sizes": absurd_sizes,
}
