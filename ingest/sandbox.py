"""The parser in a cage: limits that hold, locks that hold, crashes that stay there.

Each document is read by a child of its own, forked from a warm zygote and locked up before it gets
a byte (docs/explanation/sandbox.md). A child that is late, dies or answers invalid_answer costs one
request a typed error. What it hands over is checked like bytes from a stranger.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from spanproof.core.digest import Digest
from spanproof.core.errors import ExtractionError, IntegrityError
from spanproof.ingest.cage.cage import Answer, Cage, CrashedError, invalid_answer
from spanproof.ingest.cage.extraction_parts import from_parts
from spanproof.ingest.cage.preload import choose_preload
from spanproof.ingest.limits import Limits, check_limit
from spanproof.ingest.ocr import find_tessdata, language_files
from spanproof.ingest.render import DEFAULT_DPI
from spanproof.ingest.second_engine import FIRST, REFUSED, SECOND, add_readings, fall_back

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanproof.core.documents.document import Extraction, Page, SandboxLevel
    from spanproof.ingest.cage.confine import Lock
    from spanproof.ingest.cage.preload import Preload
    from spanproof.ingest.limits import CageChoice, EngineName, OcrChoice
    from spanproof.ingest.render import Highlight

# Pages that end the parser are left out one by one; a document with more of them is given up.
_MOST_LEFT_OUT = 3


class Parser:
    """Extraction and page images in caged children; up to ``workers`` threads work at once.

    ``without`` leaves locks out as if the kernel had none: how the refusal of ``required`` is seen.
    """

    #: Modules whose ``TASKS`` a child can do besides the product's own.
    extra_tasks: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        engine: EngineName = "mupdf",
        cage: CageChoice = "auto",
        workers: int = 1,
        without: Sequence[Lock] = (),
    ) -> None:
        self.limits = limits or Limits()
        self.engine: EngineName = engine
        self.cage: CageChoice = cage
        self.workers = workers
        self._cage = Cage(
            self.limits, cage, workers=workers, without=without, tasks=self.extra_tasks
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process; a later call starts others."""
        self._cage.close()

    @property
    def zygotes(self) -> tuple[int, ...]:
        """The process ids of the zygotes that run."""
        return self._cage.zygotes

    def check_cage(self) -> SandboxLevel:
        """How far a child locks itself up here; raise what reading a document would raise."""
        return self._cage.check(self.engine)

    def extract(
        self,
        data: bytes,
        *,
        media_type: str | None = None,
        filename: str | None = None,
        ocr: OcrChoice | None = None,
    ) -> Extraction:
        """``ingest.extract`` in a child; the parts it hands over are checked here.

        A page that ends the child is left out the next time and becomes a page with an error.
        """
        check_limit(len(data), self.limits.max_bytes, "bytes")
        preload = choose_preload(data, filename, media_type, self.engine)

        def read() -> Extraction:
            return self._extract(data, media_type, filename, ocr, preload)

        def read_second(pages: frozenset[int] | None) -> Extraction:
            return self.read_with_engine(data, engine=SECOND, pages=pages)

        if preload != FIRST:
            return read()
        if ocr is not None:
            return add_readings(read(), read_second)
        return fall_back(read, read_second)

    def _extract(
        self,
        data: bytes,
        media_type: str | None,
        filename: str | None,
        ocr: OcrChoice | None,
        preload: Preload,
    ) -> Extraction:
        head: dict[str, Any] = {
            "do": "extract",
            "media_type": media_type,
            "filename": filename,
            "engine": self.engine,
            "ocr": None,
        }
        reads: tuple[str, ...] = ()
        if ocr is not None:
            # Found here: a caged child sees no folder that it was not given.
            folder = find_tessdata(ocr).resolve()
            reads = (str(folder), *(str(p.resolve()) for p in language_files(ocr, folder)))
            head["ocr"] = asdict(replace(ocr, tessdata=str(folder)))
        left_out: dict[int, str] = {}
        seconds = self.limits.seconds
        while True:
            head["left_out"] = sorted(left_out)
            try:
                answer = self._cage.ask(head, data, preload, reads=reads, seconds=seconds)
            except CrashedError as crash:
                if not crash.page or crash.page in left_out or len(left_out) >= _MOST_LEFT_OUT:
                    raise
                left_out[crash.page] = crash.how
                seconds -= crash.seconds
            else:
                return self._check(answer, data, left_out)

    def read_with_engine(
        self, data: bytes, *, engine: EngineName, pages: frozenset[int] | None = None
    ) -> Extraction:
        """A PDF as another engine reads it, of the pages (from 1) that are named, or all."""
        head = {
            "do": "read_with_engine",
            "engine": engine,
            "pages": None if pages is None else sorted(pages),
        }
        return self._check(self.ask(head, data, preload=engine), data, {})

    def render_page(
        self,
        data: bytes,
        page: int,
        highlights: Sequence[Highlight] = (),
        *,
        dpi: int = DEFAULT_DPI,
        strip: float | None = None,
    ) -> bytes:
        """``spanproof.ingest.render.render_page`` in a child."""
        marks = [one.to_json() for one in highlights]
        head = {
            "do": "render_page",
            "page": page,
            "dpi": dpi,
            "strip": strip,
            "highlights": marks,
        }
        return _only(self._draw(head, data).parts, b"\x89PNG\r\n\x1a\n")

    def annotate_pdf(
        self, data: bytes, highlights_by_page: Mapping[int, Sequence[Highlight]]
    ) -> bytes:
        """``spanproof.ingest.render.annotate_pdf`` in a child."""
        marks = {page: [one.to_json() for one in some] for page, some in highlights_by_page.items()}
        head = {"do": "annotate_pdf", "highlights": marks}
        return _only(self._draw(head, data).parts, b"%PDF-")

    def _draw(self, head: dict[str, Any], data: bytes) -> Answer:
        """The answer of the first engine that draws the document."""
        try:
            return self.ask({**head, "engine": self.engine}, data)
        except REFUSED as refusal:
            if self.engine != FIRST:
                raise
            try:
                return self.ask({**head, "engine": SECOND}, data, preload=SECOND)
            except ExtractionError:
                raise refusal from None

    def ask(self, head: dict[str, Any], data: bytes, *, preload: Preload | None = None) -> Answer:
        """Have a child do the task that ``head["do"]`` names; its parts are not checked yet."""
        return self._cage.ask(
            head, data, preload or self.engine, reads=(), seconds=self.limits.seconds
        )

    def _check(self, answer: Answer, data: bytes, left_out: Mapping[int, str]) -> Extraction:
        try:
            extraction = from_parts(answer.parts)
        except (ValueError, IntegrityError) as error:
            raise invalid_answer() from error
        if (
            extraction.document.doc_hash != Digest.of(data)
            or extraction.document.byte_length != len(data)
            or len(extraction.text) > self.limits.max_characters
            or len(extraction.pages) > self.limits.max_pages
            or any(number > len(extraction.pages) for number in left_out)
        ):
            raise invalid_answer()
        pages = tuple(_judge(page, left_out) for page in extraction.pages)
        return replace(extraction, pages=pages, sandbox=answer.level)


def _judge(page: Page, left_out: Mapping[int, str]) -> Page:
    how = left_out.get(page.number)
    if how is None:
        return page
    problem = f"Expected a page that the parser survives, got one that ended it ({how})."
    return replace(page, status="error", problem=problem)


def _only(parts: list[bytes], magic: bytes) -> bytes:
    if len(parts) != 1 or not parts[0].startswith(magic):
        raise invalid_answer()
    return parts[0]
