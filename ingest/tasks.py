"""What a parser's child is asked to do: one function a task, bytes in, byte parts out."""

from __future__ import annotations

from dataclasses import astuple
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from core.extraction_record import to_record
from ingest.choices import OcrChoice
from ingest.extraction import extract
from ingest.render import Highlight, annotate_pdf, render_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ingest.limits import Limits

    Task = Callable[[dict[str, Any], bytes, Limits], list[bytes]]


def _extract(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    extraction = extract(
        data,
        media_type=head["media_type"],
        filename=head["filename"],
        limits=limits,
        engine=head["engine"],
        ocr=None if head["ocr"] is None else OcrChoice(**head["ocr"]),
    )
    return list(astuple(to_record(extraction)))


def _render_page(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    del limits
    marks = _to_highlights(head["highlights"])
    return [render_page(data, head["page"], marks, dpi=head["dpi"])]


def _annotate_pdf(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    del limits
    by_page = {int(page): _to_highlights(raw) for page, raw in head["highlights"].items()}
    return [annotate_pdf(data, by_page)]


def _to_highlights(raw: Iterable[dict[str, Any]]) -> tuple[Highlight, ...]:
    return tuple(Highlight.from_json(one) for one in raw)


#: By the name that stands under ``do`` in a request's head.
TASKS: Mapping[str, Task] = MappingProxyType(
    {"extract": _extract, "render_page": _render_page, "annotate_pdf": _annotate_pdf}
)
