"""PDF by MuPDF: open or refuse, then one text page and one walk a page.

Flags invent nothing: ligatures and white space are kept; no images, no CIDs posing as Unicode, no
clipping, no dehyphenation, no sorting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core import canonical_json
from core.document import Extraction, Pipeline
from core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ExtractionError,
    LimitExceededError,
)
from core.geometry import PageFrame, Rect
from ingest.assemble import Batch, assemble
from ingest.characters import CANON
from ingest.engine.frames import read_frame, unrotate
from ingest.engine.library import library_errors, load_pymupdf
from ingest.engine.stext import CHAR_BYTES, read_stream, widest_count
from ingest.joining import PageReport, hidden_pages, join
from ingest.limits import check_limit

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from core.document import Document
    from ingest.choices import OcrChoice
    from ingest.limits import Limits

#: TEXT_PRESERVE_LIGATURES | TEXT_PRESERVE_WHITESPACE.
TEXT_FLAGS = 3
# Pages are walked together until their characters fill about this much memory.
_BATCH_BYTES = 8 << 20
_BATCH_PAGES = 256
_LETTER = Rect(0.0, 0.0, 612.0, 792.0)
# Hidden text under an image that takes this share of the page is the text layer of a scan.
_COVERED_SHARE = 0.5


class MupdfEngine:
    """Reads PDF with PyMuPDF; not thread-safe, like the library."""

    def __init__(self, *, ocr: OcrChoice | None = None) -> None:
        self._ocr = ocr

    def pipeline(self) -> Pipeline:
        """Names both versions: one upgrade moved the text of 9 documents in 100."""
        pymupdf = load_pymupdf()
        config = {
            "name": "pymupdf",
            "engine": {"mupdf": pymupdf.mupdf_version, "pymupdf": pymupdf.VersionBind},
            "flags": TEXT_FLAGS,
            "globals": {"quad_corrections": False, "small_glyph_heights": False},
            "clip": False,
            "separators": {"line": "\n", "page": "\f"},
            "normaliser": CANON,
            "actualtext": True,
            "ocr": None,
        }
        return Pipeline(
            name=f"pymupdf@{pymupdf.VersionBind}+{CANON}+flags-{TEXT_FLAGS}",
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
        walk = _Walk(opened=opened, limits=limits, only=only)
        walk.run()
        return join(
            document,
            self.pipeline(),
            walk.batches,
            walk.reports,
            covered=_find_covered(opened, walk),
            repaired=bool(opened.is_repaired),
        )


def open_document(data: bytes) -> AbstractContextManager[Any]:
    """Open a PDF or raise the ExtractionError that says why not; an empty password is tried."""
    pymupdf = load_pymupdf()
    try:
        opened = pymupdf.open(stream=data, filetype="pdf")
        locked, pages = bool(opened.needs_pass), 0
        if not locked:
            pages = opened.page_count
    except library_errors() as error:
        raise _refusal(error) from error
    if locked:
        opened.close()
        msg = "Expected a PDF that opens without a password, got an encrypted one."
        raise EncryptedDocumentError(msg, hint="Save it without a password and give that file.")
    if pages == 0:
        opened.close()
        msg = "Expected a PDF with at least one page, got none."
        raise EmptyDocumentError(msg, hint="Open the file in a viewer: it may be damaged.")
    context: AbstractContextManager[Any] = opened
    return context


def _refusal(error: Exception) -> ExtractionError:
    if _is_memory(error):
        return _memory_error()
    cause = error.__cause__ or error.__context__ or error
    if "encryption" in str(cause):
        msg = f"Expected a PDF that opens without a key, got an encrypted one ({_one_line(cause)})."
        return EncryptedDocumentError(msg, hint="Save it without encryption and give that file.")
    msg = f"Expected a readable PDF, got one that cannot be opened ({_one_line(cause)})."
    return BrokenDocumentError(msg, hint="Open the file in a viewer and save it again.")


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "alloc" in str(error).lower()


def _memory_error() -> LimitExceededError:
    msg = "Expected a document that fits in the memory allowed, got one that needs more."
    return LimitExceededError(msg, hint="Split the document or raise the memory limit.")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


@dataclass(slots=True, kw_only=True)
class _Walk:
    """One pass over the pages, batch by batch."""

    opened: Any
    limits: Limits
    only: frozenset[int] | None = None
    batches: list[Batch] = field(default_factory=list)
    reports: list[PageReport] = field(default_factory=list)
    characters: int = 0

    def run(self) -> None:
        """Walk all pages, with the labels that the document gives them."""
        labelled = _has_labels(self.opened)
        waiting: list[Any] = []
        frames: list[PageFrame] = []
        size = 0
        for index in range(self.opened.page_count):
            text_page, report = self._read_page(index, labelled=labelled)
            self.reports.append(report)
            waiting.append(text_page)
            frames.append(report.frame)
            size += widest_count(text_page) * CHAR_BYTES
            if size >= _BATCH_BYTES or len(waiting) >= _BATCH_PAGES:
                self._take(waiting, frames)
                waiting, frames, size = [], [], 0
        if waiting:
            self._take(waiting, frames)

    def _read_page(self, index: int, *, labelled: bool) -> tuple[Any, PageReport]:
        mupdf = load_pymupdf().mupdf
        frame = PageFrame(view_box=_LETTER, media_box=_LETTER)
        label: str | None = None
        if self.only is not None and index + 1 not in self.only:
            return mupdf.FzStextPage(mupdf.FzRect()), PageReport(frame=frame, label=label)
        try:
            page = self.opened.load_page(index)
            frame = read_frame(page, unrotate(page))
            label = (page.get_label() or None) if labelled else None
            text_page = load_pymupdf().extra.page_get_textpage(
                page.this, None, TEXT_FLAGS, mupdf.FzMatrix()
            )
        except MemoryError as error:
            raise _memory_error() from error
        except library_errors() as error:
            if _is_memory(error):
                raise _memory_error() from error
            empty = mupdf.FzStextPage(mupdf.FzRect())
            problem = f"Expected a readable page, got an error ({_one_line(error)})."
            return empty, PageReport(frame=frame, label=label, problem=problem)
        return mupdf.FzStextPage(text_page), PageReport(frame=frame, label=label)

    def _take(self, text_pages: list[Any], frames: list[PageFrame]) -> None:
        most = self.limits.max_characters - self.characters
        batch = assemble(read_stream(text_pages, most=most), frames)
        self.characters += len(batch.text)
        check_limit(self.characters, self.limits.max_characters, "characters")
        self.batches.append(batch)


def _has_labels(opened: Any) -> bool:  # noqa: ANN401 - an untyped binding
    try:
        return bool(opened.get_page_labels())
    except library_errors():
        # A broken label tree costs the labels, not the document.
        return False


def _find_covered(opened: Any, walk: _Walk) -> frozenset[int]:  # noqa: ANN401 - see above
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
