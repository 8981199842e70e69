"""The report as PDF/A-2b (ISO 19005-2): HTML set by MuPDF, and what makes a PDF an archived one.

MuPDF embeds every font that it sets. Added here: XMP metadata that agree with the Info dictionary,
and an output intent with an sRGB profile (written by littleCMS, "no copyright, use freely").
"""

from __future__ import annotations

import threading
from importlib import resources
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from spanproof.ingest.engine.mupdf.library import load_pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

#: A4 with 18 mm around.
_MARGIN = 51
#: MuPDF is not thread-safe, and jobs run in threads.
_LOCK = threading.Lock()
_XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<xmp:CreateDate>{moment}</xmp:CreateDate><xmp:ModifyDate>{moment}</xmp:ModifyDate>
<xmp:CreatorTool>Spanproof</xmp:CreatorTool><pdf:Producer>Spanproof</pdf:Producer>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""


def write_pdf(
    path: Path, sections: Iterable[tuple[str, str]], *, style: str, title: str, made_at: datetime
) -> int:
    """Write the sections, each a bookmark's words and HTML, each from a new page; the pages.

    Pictures are files beside ``path``.
    """
    with _LOCK:
        pymupdf = load_pymupdf()
        raw = path.with_suffix(".raw")
        marks: list[list[Any]] = []
        writer = pymupdf.DocumentWriter(str(raw))
        try:
            pages = 0
            for name, html in sections:
                marks.append([1, name or "-", pages + 1])
                pages += sum(1 for _ in _set(pymupdf, writer, html, style, path.parent))
        finally:
            writer.close()
        document = pymupdf.open(raw, filetype="pdf")
        try:
            document.set_toc(marks)
            _archive(document, title, made_at)
            document.save(path, garbage=3, deflate=True)
        finally:
            document.close()
            raw.unlink()
    return pages


def _set(pymupdf: Any, writer: Any, html: str, style: str, folder: Path) -> Iterator[None]:  # noqa: ANN401
    story = pymupdf.Story(html=html, user_css=style, archive=pymupdf.Archive(str(folder)))
    paper, inside = pymupdf.paper_rect("a4"), (_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    more = True
    while more:
        device = writer.begin_page(paper)
        more, _ = story.place(paper + inside)
        story.draw(device)
        writer.end_page()
        yield


def _archive(document: Any, title: str, made_at: datetime) -> None:  # noqa: ANN401
    moment = made_at.strftime("%Y%m%d%H%M%S")
    stamp = f"D:{moment}+00'00'"
    document.set_metadata(
        {
            "title": title,
            "creator": "Spanproof",
            "producer": "Spanproof",
            "creationDate": stamp,
            "modDate": stamp,
        }
    )
    written = made_at.strftime("%Y-%m-%dT%H:%M:%S+00:00")
    document.set_xml_metadata(_XMP.format(title=escape(title), moment=written))
    profile = document.get_new_xref()
    document.update_object(profile, "<</N 3>>")
    document.update_stream(profile, _read_profile())
    catalog = document.pdf_catalog()
    intent = (
        "[<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB IEC61966-2.1)"
        f"/Info(sRGB IEC61966-2.1)/DestOutputProfile {profile} 0 R>>]"
    )
    document.xref_set_key(catalog, "OutputIntents", intent)
    document.xref_set_key(catalog, "Lang", "(en)")


def _read_profile() -> bytes:
    folder = resources.files("spanproof.operations.report")
    return folder.joinpath("templates", "srgb.icc").read_bytes()
