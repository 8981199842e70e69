"""What a parser's child is asked to do: one function a task, bytes in, byte parts out."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from spanproof.ingest.cage.extraction_parts import to_parts
from spanproof.ingest.extraction import extract
from spanproof.ingest.limits import OcrChoice
from spanproof.ingest.render import Highlight, annotate_pdf, render_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from spanproof.ingest.limits import Limits

    Task = Callable[[dict[str, Any], bytes, Limits], list[bytes]]


def _extract(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    left_out = frozenset(head["left_out"])
    extraction = extract(
        data,
        media_type=head["media_type"],
        filename=head["filename"],
        limits=limits,
        engine=head["engine"],
        ocr=None if head["ocr"] is None else OcrChoice(**head["ocr"]),
        only=frozenset(range(1, limits.max_pages + 1)) - left_out if left_out else None,
        # The parser asks another child for the second engine.
        alone=True,
    )
    return to_parts(extraction)


def _read_with_engine(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    pages = head["pages"]
    extraction = extract(
        data,
        limits=limits,
        engine=head["engine"],
        only=None if pages is None else frozenset(pages),
        alone=True,
    )
    return to_parts(extraction)


def _render_page(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    del limits
    marks = _to_highlights(head["highlights"])
    image = render_page(
        data,
        head["page"],
        marks,
        dpi=head["dpi"],
        strip=head["strip"],
        engine=head["engine"],
    )
    return [image]


def _annotate_pdf(head: dict[str, Any], data: bytes, limits: Limits) -> list[bytes]:
    del limits
    by_page = {int(page): _to_highlights(raw) for page, raw in head["highlights"].items()}
    return [annotate_pdf(data, by_page, engine=head["engine"])]


def _to_highlights(raw: Iterable[dict[str, Any]]) -> tuple[Highlight, ...]:
    return tuple(Highlight.from_json(one) for one in raw)


#: By the name that appears under ``do`` in a request's head.
TASKS: Mapping[str, Task] = MappingProxyType(
    {
        "extract": _extract,
        "read_with_engine": _read_with_engine,
        "render_page": _render_page,
        "annotate_pdf": _annotate_pdf,
    }
)


def load_tasks(modules: Iterable[str]) -> Mapping[str, Task]:
    """The tasks above and those in ``TASKS`` of each named module; the later one of a name wins."""
    tasks = dict(TASKS)
    for name in modules:
        tasks |= import_module(name).TASKS
    return tasks
