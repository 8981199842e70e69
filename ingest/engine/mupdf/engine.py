"""PDF by MuPDF: open or refuse, then one text page and one walk a page.

Flags invent nothing: ligatures and white space are kept; no images, no CIDs posing as Unicode, no
clipping, no dehyphenation, no sorting.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.documents.document import Extraction, Pipeline
from spanproof.core.errors import (
    OcrNotNeededError,
)
from spanproof.core.shown import show_count
from spanproof.ingest.assembly.actual_text import ACTUAL_TEXT
from spanproof.ingest.assembly.characters import CANON
from spanproof.ingest.assembly.ink import VISIBILITY
from spanproof.ingest.assembly.joining import hidden_pages, join
from spanproof.ingest.assembly.line_readings import LINE_READINGS
from spanproof.ingest.engine.mupdf.actual_text_pages import MarkedContent
from spanproof.ingest.engine.mupdf.documents import open_document
from spanproof.ingest.engine.mupdf.frames import unrotate
from spanproof.ingest.engine.mupdf.library import (
    TEXT_FLAGS,
    library_errors,
    load_pymupdf,
)
from spanproof.ingest.engine.mupdf.pages import PageWalk
from spanproof.ingest.engine.mupdf.recognition import Recogniser, describe_ocr
from spanproof.ingest.engine.mupdf.unmapped import UNMAPPED
from spanproof.ingest.limits import check_limit, report_page
from spanproof.ingest.tables.find import find_tables

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from spanproof.core.documents.document import Document
    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.engine.protocol import Drawing
    from spanproof.ingest.limits import Limits, OcrChoice

# Hidden text under an image that takes this share of the page is the text layer of a scan.
_COVERED_SHARE = 0.5


class MupdfEngine:
    """Reads PDF with PyMuPDF; not thread-safe, like the library.

    With ``ocr`` it makes another extraction: pages without text are read from their images. The
    text of the others is the same as without; what OCR reads at their lost glyphs is kept beside.
    """

    def __init__(self, *, ocr: OcrChoice | None = None) -> None:
        self._ocr = ocr

    def pipeline(self) -> Pipeline:
        """Names both versions: one upgrade moved the text of 9 documents in 100."""
        return _plain_pipeline() if self._ocr is None else _make_pipeline(self._ocr)

    def read(
        self,
        document: Document,
        data: bytes,
        limits: Limits,
        *,
        only: frozenset[int] | None = None,
    ) -> Extraction:
        """Read every page of a PDF that opens; see ``open_document`` for what does not."""
        with open_document(data) as opened:
            return self.read_opened(document, opened, limits, only=only)

    def read_opened(
        self,
        document: Document,
        opened: Any,  # noqa: ANN401 - an untyped binding
        limits: Limits,
        *,
        only: frozenset[int] | None = None,
    ) -> Extraction:
        """The same for an opened document; it is left open, its pages unrotated."""
        check_limit(opened.page_count, limits.max_pages, "pages")
        pipeline = self.pipeline()
        walk = PageWalk(
            opened=opened,
            limits=limits,
            marked=MarkedContent(opened),
            recogniser=None if self._ocr is None else Recogniser.of(self._ocr),
            only=only,
        )
        walk.run()
        if self._ocr is not None and not walk.needs_ocr:
            pages = show_count(opened.page_count, "page")
            msg = f"Expected pages without text or with lost glyphs, got text on each of {pages}."
            raise OcrNotNeededError(msg, hint="Ingest it without OCR: its own text is better.")
        extraction = join(
            document,
            pipeline,
            walk.batches,
            walk.reports,
            covered=_find_covered(opened, walk),
            repaired=bool(opened.is_repaired),
            encrypted=opened.metadata.get("encryption") is not None,
        )
        return replace(extraction, tables=find_tables(extraction, walk.shapes))

    def open_drawing(self, data: bytes) -> AbstractContextManager[Drawing]:
        """Open a PDF to draw its pages or to mark a copy of it."""
        from spanproof.ingest.engine.mupdf.drawing import open_drawing

        return open_drawing(data)


@cache
def _plain_pipeline() -> Pipeline:
    # The same for every document of a process: writing it again takes longer than a small page.
    return _make_pipeline(None)


def _make_pipeline(ocr: OcrChoice | None) -> Pipeline:
    pymupdf = load_pymupdf()
    config = {
        "name": "pymupdf",
        "engine": {"mupdf": pymupdf.mupdf_version, "pymupdf": pymupdf.VersionBind},
        "flags": TEXT_FLAGS,
        "globals": {"quad_corrections": False, "small_glyph_heights": False},
        "clip": False,
        "separators": {"line": "\n", "page": "\f", "segment": "\n"},
        "segments": ["form_field", "annotation"],
        "normaliser": CANON,
        "actualtext": ACTUAL_TEXT,
        "ocg": "default",
        "visibility": VISIBILITY,
        "unmapped": UNMAPPED,
        "ocr": None if ocr is None else describe_ocr(ocr),
    }
    name = f"pymupdf@{pymupdf.VersionBind}+{CANON}+flags-{TEXT_FLAGS}+{ACTUAL_TEXT}"
    if ocr is not None:
        name += f"+ocr-{ocr.language}-{ocr.dpi}+{LINE_READINGS}"
    return Pipeline(name=name, config_json=canonical_json.dumps(config).decode("utf-8"))


def _find_covered(opened: Any, walk: PageWalk) -> frozenset[int]:  # noqa: ANN401 - see above
    """The pages with mostly hidden text on which an image takes most of the page."""
    return frozenset(
        index
        for index in hidden_pages(walk.batches)
        if _image_share(opened, index, walk.reports[index].frame) >= _COVERED_SHARE
    )


def _image_share(opened: Any, index: int, frame: PageFrame) -> float:  # noqa: ANN401 - see above
    """The share of the page that its images take together, at most 1."""
    box, unit = frame.view_box, frame.user_unit
    width, height = (box.x1 - box.x0) * unit, (box.y1 - box.y0) * unit
    report_page(index + 1)
    try:
        page = opened.load_page(index)
        unrotate(page)
        boxes = [image["bbox"] for image in page.get_image_info()]
    except library_errors():
        return 0.0
    taken = 0.0
    for x0, y0, x1, y1 in boxes:
        taken += max(0.0, min(x1, width) - max(x0, 0.0)) * max(0.0, min(y1, height) - max(y0, 0.0))
    # Scans are often cut into strips: their areas add up.
    return min(1.0, taken / (width * height)) if width * height > 0 else 0.0
