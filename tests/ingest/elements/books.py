"""EPUB books as small as a test needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.ingest.elements.epub import read
from spanproof.ingest.media_type import EPUB
from tests.ingest.elements.reading import pack, read_with

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""
XHTML = "application/xhtml+xml"


def make_package(*items: tuple[str, str], spine: tuple[str, ...] = ()) -> str:
    manifest = "".join(
        f'<item id="i{n}" href="{href}" media-type="{kind}"/>'
        for n, (href, kind) in enumerate(items)
    )
    refs = spine or tuple(f"i{n}" for n in range(len(items)))
    return (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{manifest}</manifest>'
        f"<spine>{''.join(f'<itemref idref={ref!r}/>' for ref in refs)}</spine></package>"
    )


def make_page(body: str, *, title: str = "", before: str = "") -> str:
    return (
        f'{before}<html xmlns="http://www.w3.org/1999/xhtml"'
        f' xmlns:epub="http://www.idpf.org/2007/ops"><head><title>{title}</title></head>'
        f"<body>{body}</body></html>"
    )


def make_book(*pages: str, **others: str) -> bytes:
    names = [f"p{number}.xhtml" for number in range(1, len(pages) + 1)]
    return pack(
        {
            "mimetype": EPUB,
            "META-INF/container.xml": CONTAINER,
            "OPS/book.opf": make_package(*((name, XHTML) for name in names)),
            **{f"OPS/{name}": page for name, page in zip(names, pages, strict=True)},
            **others,
        }
    )


def read_book(*pages: str, **others: str) -> Extraction:
    return read_with(read, make_book(*pages, **others), EPUB)
