"""PDF by pdfium: its name and version, and the reading of one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.documents.document import Extraction, Pipeline
from spanproof.core.errors import OcrUnavailableError
from spanproof.ingest.assembly.actual_text import ACTUAL_TEXT
from spanproof.ingest.assembly.characters import CANON
from spanproof.ingest.assembly.ink import VISIBILITY
from spanproof.ingest.assembly.joining import join
from spanproof.ingest.engine.pdfium.annotations import open_form
from spanproof.ingest.engine.pdfium.documents import is_encrypted, open_document
from spanproof.ingest.engine.pdfium.library import load_pdfium, versions
from spanproof.ingest.engine.pdfium.pages import PageWalk
from spanproof.ingest.limits import check_limit

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from spanproof.core.documents.document import Document
    from spanproof.ingest.engine.protocol import Drawing
    from spanproof.ingest.limits import Limits, OcrChoice


class PdfiumEngine:
    """Reads and draws PDF with pypdfium2; not thread-safe, like the library."""

    def __init__(self, *, ocr: OcrChoice | None = None) -> None:
        self._ocr = ocr

    def pipeline(self) -> Pipeline:
        """Names both versions, and the behaviour of the library that shapes the text."""
        engine = versions()
        config = {
            "name": "pypdfium2",
            "engine": engine,
            "globals": {"system_fonts": False},
            "page": {"rotation": 0, "box": [0, 0, 14_400, 14_400]},
            "line_end_hyphen": "U+002D",
            "separators": {"line": "\n", "page": "\f", "segment": "\n"},
            "segments": ["form_field", "annotation"],
            "normaliser": CANON,
            "actualtext": f"marked content, {ACTUAL_TEXT}",
            "ocg": "all",
            "visibility": VISIBILITY,
            "ocr": None,
        }
        return Pipeline(
            name=f"pypdfium2@{engine['pypdfium2']}+{CANON}+{ACTUAL_TEXT}",
            config_json=canonical_json.dumps(config).decode("utf-8"),
        )

    def read(
        self,
        document: Document,
        data: bytes,
        limits: Limits,
        *,
        only: frozenset[int] | None = None,
    ) -> Extraction:
        """Read every page of a PDF that opens; see ``open_document`` for what does not."""
        if self._ocr is not None:
            msg = "Expected an engine with OCR, got pdfium, which has none."
            raise OcrUnavailableError(msg, hint="Set SPANPROOF_ENGINE=mupdf for OCR.")
        with open_document(data) as opened, open_form(opened) as form:
            raw = load_pdfium()
            check_limit(raw.FPDF_GetPageCount(opened), limits.max_pages, "pages")
            walk = PageWalk(opened=opened, form=form, data=data, limits=limits, only=only)
            walk.run()
            return join(
                document,
                self.pipeline(),
                walk.batches,
                walk.reports,
                covered=walk.find_covered(),
                repaired=not raw.FPDF_DocumentHasValidCrossReferenceTable(opened),
                encrypted=is_encrypted(opened),
            )

    def open_drawing(self, data: bytes) -> AbstractContextManager[Drawing]:
        """Open a PDF to draw its pages or to mark a copy of it."""
        from spanproof.ingest.engine.pdfium.drawing import open_drawing

        return open_drawing(data)
