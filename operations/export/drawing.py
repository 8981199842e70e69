"""Pictures of a pack: the band of the page around each span, and a marked copy of each PDF.

The pack reports a page that cannot be drawn, and still gets everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import ExtractionError, SettingsError
from spanproof.ingest.render import Highlight
from spanproof.operations.documents.locate import PDF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Document
    from spanproof.operations.context import Context
    from spanproof.operations.export.folder import PackFolder
    from spanproof.operations.export.material import Case, CitedVerdict

#: Points of the page that are shown above and below a span.
STRIP_POINTS = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Crop:
    """A picture of a span on one page: its path in the pack, its page, and the page's own label."""

    path: str
    page: int
    page_label: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawings:
    """Pictures by index of the verdict, marked copies by document, and what could not be drawn."""

    crops: dict[int, tuple[Crop, ...]]
    marked: dict[Digest, str]
    problems: tuple[str, ...]


def draw_case(context: Context, case: Case, folder: PackFolder) -> Drawings:
    """Draw every span of a verification that has a place on a page."""
    crops: dict[int, tuple[Crop, ...]] = {}
    marked: dict[Digest, str] = {}
    problems: list[str] = []
    for document in case.documents:
        own = [v for v in case.verdicts if _stands_in(v, document)]
        if document.media_type != PDF or not own:
            continue
        data = context.store.documents.read_source(document.doc_hash)
        for verdict in own:
            try:
                crops[verdict.index] = _draw_crops(context, case, verdict, data, folder)
            except (ExtractionError, SettingsError) as error:
                problems.append(f"verdict {verdict.index}: {error.code}: {error.message}")
        try:
            content = context.parser.annotate_pdf(data, _gather_highlights(own))
        except (ExtractionError, SettingsError) as error:
            problems.append(f"document {document.doc_hash}: {error.code}: {error.message}")
        else:
            path = f"marked/{case.verification_id}/{document.doc_hash.hex}.pdf"
            marked[document.doc_hash] = folder.write(path, content)
    return Drawings(crops=crops, marked=marked, problems=tuple(problems))


def _stands_in(verdict: CitedVerdict, document: Document) -> bool:
    extraction = verdict.extraction
    return (
        verdict.span is not None
        and extraction is not None
        and extraction.document.doc_hash == document.doc_hash
    )


def draw_crops(context: Context, verdict: CitedVerdict, *, name: str) -> list[tuple[Crop, bytes]]:
    """The pictures of one verdict's span; none of it where it has no place on a page of a PDF."""
    extraction = verdict.extraction
    if extraction is None or extraction.document.media_type != PDF or verdict.span is None:
        return []
    data = context.store.documents.read_source(extraction.document.doc_hash)
    return [
        (
            Crop(path=f"{name}-page-{page}.png", page=page, page_label=label),
            context.parser.render_page(data, page, [highlight], strip=STRIP_POINTS),
        )
        for page, label, highlight in _find_highlights(verdict)
    ]


def _draw_crops(
    context: Context, case: Case, verdict: CitedVerdict, data: bytes, folder: PackFolder
) -> tuple[Crop, ...]:
    found = []
    for page, label, highlight in _find_highlights(verdict):
        image = context.parser.render_page(data, page, [highlight], strip=STRIP_POINTS)
        path = f"crops/{case.verification_id}/verdict-{verdict.index}-page-{page}.png"
        found.append(Crop(path=folder.write(path, image), page=page, page_label=label))
    return tuple(found)


def _gather_highlights(verdicts: Sequence[CitedVerdict]) -> dict[int, list[Highlight]]:
    by_page: dict[int, list[Highlight]] = {}
    for verdict in verdicts:
        for page, _, highlight in _find_highlights(verdict):
            by_page.setdefault(page, []).append(highlight)
    return by_page


def _find_highlights(verdict: CitedVerdict) -> list[tuple[int, str | None, Highlight]]:
    if verdict.extraction is None or verdict.span is None:
        return []
    return [
        (
            locator.page,
            locator.page_label,
            Highlight(quads=locator.quads, outcome=verdict.raw["outcome"]),
        )
        for locator in locate_span(verdict.extraction, verdict.span)
    ]
