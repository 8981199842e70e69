"""An extraction as three byte strings: for the store, and for the parser's child to hand over.

``meta`` is JSON, ``text`` UTF-8, ``layout`` the stored form of ``spanproof.core.documents.layout``
(empty: none). Reading checks every invariant again, so bytes from a child or a disk are never
trusted.
"""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

from spanproof.core.digest import Digest
from spanproof.core.documents.blocks import Blocks
from spanproof.core.documents.blocks_record import blocks_from_json, blocks_to_json
from spanproof.core.documents.cell_columns import TableCell
from spanproof.core.documents.document import (
    CharacterCounts,
    Document,
    Extraction,
    Page,
    PageStatus,
    Pipeline,
    SandboxLevel,
    TextSource,
)
from spanproof.core.documents.layout import Layout
from spanproof.core.documents.table import Table, TablePart
from spanproof.core.documents.text_block import CellValue, GlyphText, PageReading
from spanproof.core.errors import IntegrityError, SpanproofError
from spanproof.core.geometry import PageFrame, Rect, Rotation
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRecord:
    """The three parts."""

    meta: bytes
    text: bytes
    layout: bytes


def to_record(extraction: Extraction, beside: list[bytes] | None = None) -> ExtractionRecord:
    """The parts of an extraction; with ``beside`` long columns are put there, as they are."""
    meta = {
        "doc_hash": str(extraction.document.doc_hash),
        "media_type": extraction.document.media_type,
        "byte_length": extraction.document.byte_length,
        "pipeline": {
            "name": extraction.pipeline.name,
            "config_json": extraction.pipeline.config_json,
        },
        "text_sha256": str(extraction.text.digest),
        "repaired": extraction.repaired,
        "encrypted": extraction.encrypted,
        "originals": [list(pair) for pair in extraction.originals],
        "pages": [_page_to_json(page) for page in extraction.pages],
        "blocks": blocks_to_json(Blocks.of(extraction.blocks), beside),
        "glyph_texts": [[g.span.start, g.span.end, g.glyphs] for g in extraction.glyph_texts],
        "tables": [_table_to_json(table) for table in extraction.tables],
        "second_readings": [[r.page, r.pipeline, r.text] for r in extraction.second_readings],
        "sandbox": extraction.sandbox,
    }
    if extraction.cell_values:
        meta["cell_values"] = [
            [value.span.start, value.span.end, value.raw, value.moment]
            for value in extraction.cell_values
        ]
    return ExtractionRecord(
        meta=json.dumps(meta, ensure_ascii=True, separators=(",", ":")).encode("ascii"),
        text=extraction.text.text.encode("utf-8"),
        layout=b"" if extraction.layout is None else extraction.layout.to_bytes(),
    )


def from_record(record: ExtractionRecord, beside: Sequence[bytes] | None = None) -> Extraction:
    """Rebuild an extraction; raise IntegrityError where the parts do not agree."""
    try:
        meta = json.loads(record.meta)
        text = CanonicalText.of(record.text.decode("utf-8"))
        layout = Layout.from_bytes(record.layout) if record.layout else None
        extraction = Extraction(
            document=Document(
                doc_hash=Digest.parse(meta["doc_hash"]),
                media_type=meta["media_type"],
                byte_length=meta["byte_length"],
            ),
            pipeline=Pipeline(**meta["pipeline"]),
            text=text,
            pages=tuple(_page_from_json(page) for page in meta["pages"]),
            layout=layout,
            repaired=meta["repaired"],
            encrypted=meta.get("encrypted", False),
            originals=tuple((offset, code) for offset, code in meta["originals"]),
            blocks=blocks_from_json(meta.get("blocks", []), beside),
            glyph_texts=tuple(_glyphs_from_json(raw) for raw in meta.get("glyph_texts", ())),
            tables=tuple(
                _table_from_json(raw, number)
                for number, raw in enumerate(meta.get("tables", ()), start=1)
            ),
            cell_values=tuple(map(_value_from_json, meta.get("cell_values", ()))),
            second_readings=tuple(
                _reading_from_json(raw, len(meta["pages"]))
                for raw in meta.get("second_readings", ())
            ),
            sandbox=meta.get("sandbox", "none"),
        )
        _check(extraction.sandbox in get_args(SandboxLevel), "sandbox", extraction.sandbox)
        numbers = [page.number for page in extraction.pages]
        _check(numbers == list(range(1, len(numbers) + 1)), "page numbers", numbers[:10])
        _check(type(extraction.document.byte_length) is int, "byte_length", meta["byte_length"])
        for name in ("repaired", "encrypted"):
            _check(type(getattr(extraction, name)) is bool, name, getattr(extraction, name))
        for pair in extraction.originals:
            _check(all(type(number) is int for number in pair), "original", pair)
    except IntegrityError:
        raise
    except (
        SpanproofError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OverflowError,
        RecursionError,
        zlib.error,
    ) as error:
        msg = f"Expected an extraction's parts, got {error!r}."
        raise IntegrityError(msg, hint="Ingest the document again.") from error
    if str(text.digest) != meta["text_sha256"]:
        msg = f"Expected a text of digest {meta['text_sha256']}, got {text.digest}."
        raise IntegrityError(msg, hint="Restore the store from a backup.")
    if layout is not None and len(layout) != len(text):
        msg = f"Expected a layout of {len(text)} characters, got {len(layout)}."
        raise IntegrityError(msg, hint="Restore the store from a backup.")
    if any(not 0 <= offset < len(text) for offset, _ in extraction.originals):
        msg = f"Expected replaced characters inside 0..{len(text)}, got {extraction.originals}."
        raise IntegrityError(msg, hint="Restore the store from a backup.")
    return extraction


def _page_to_json(page: Page) -> dict[str, Any]:
    frame = page.frame
    return {
        "number": page.number,
        "label": page.label,
        "start": page.span.start,
        "end": page.span.end,
        "frame": None
        if frame is None
        else {
            "view_box": _box(frame.view_box),
            "media_box": _box(frame.media_box),
            "rotation": frame.rotation,
            "user_unit": frame.user_unit,
        },
        "text_source": page.text_source,
        "counts": asdict(page.counts),
        "status": page.status,
        "problem": page.problem,
    }


def _page_from_json(raw: dict[str, Any]) -> Page:
    frame = raw["frame"]
    # Types are hints to Python: words and numbers from outside are held against them here.
    _check(raw["text_source"] in get_args(TextSource), "text_source", raw["text_source"])
    _check(raw["status"] in get_args(PageStatus), "status", raw["status"])
    for name in ("label", "problem"):
        _check(raw[name] is None or isinstance(raw[name], str), name, raw[name])
    for name in ("number", "start", "end"):
        _check(type(raw[name]) is int, name, raw[name])
    for name, count in raw["counts"].items():
        _check(type(count) is int and count >= 0, name, count)
    if frame is not None:
        _check(frame["rotation"] in get_args(Rotation), "rotation", frame["rotation"])
        unit = frame["user_unit"]
        _check(isinstance(unit, int | float) and 0 < unit < math.inf, "user_unit", unit)
    return Page(
        number=raw["number"],
        label=raw["label"],
        span=Span(raw["start"], raw["end"]),
        frame=None
        if frame is None
        else PageFrame(
            view_box=Rect(*frame["view_box"]),
            media_box=Rect(*frame["media_box"]),
            rotation=frame["rotation"],
            user_unit=frame["user_unit"],
        ),
        text_source=raw["text_source"],
        counts=CharacterCounts(**raw["counts"]),
        status=raw["status"],
        problem=raw["problem"],
    )


def _glyphs_from_json(raw: list[Any]) -> GlyphText:
    start, end, glyphs = raw
    for number in (start, end):
        _check(type(number) is int, "glyph text offset", number)
    _check(isinstance(glyphs, str), "glyph text", glyphs)
    return GlyphText(span=Span(start, end), glyphs=glyphs)


def _value_from_json(raw: list[Any]) -> CellValue:
    start, end, kept, moment = raw
    fits = type(start) is int and type(end) is int
    if not fits or not all(each is None or type(each) is str for each in (kept, moment)):
        msg = f"unexpected cell value: {raw!r}"
        raise ValueError(msg)
    return CellValue(span=Span(start, end), raw=kept, moment=moment)


def _table_to_json(table: Table) -> dict[str, Any]:
    caption = table.caption
    return {
        "caption": None if caption is None else [caption.start, caption.end],
        "header_rows": list(table.header_rows),
        "header_columns": table.header_columns,
        "parts": [
            [p.page, p.first_row, p.last_row, None if p.bbox is None else _box(p.bbox)]
            for p in table.parts
        ],
        # A row, not an object: a document has tens of thousands of cells.
        "cells": [
            [c.row, c.column, c.rows, c.columns, *(n for s in c.spans for n in (s.start, s.end))]
            for c in table.cells
        ],
    }


def _table_from_json(raw: dict[str, Any], number: int) -> Table:
    caption, parts = raw["caption"], raw["parts"]
    numbers = [*(caption or ()), *raw["header_rows"], raw["header_columns"]]
    numbers += [n for row in raw["cells"] for n in row] + [n for part in parts for n in part[:3]]
    _check(all(type(n) is int and n >= 0 for n in numbers), "number of a table", number)
    places = [n for row in raw["cells"] for n in row[:4]]
    _check(all(n > 0 for n in places) and len(parts) > 0, "place of a cell in table", number)
    return Table(
        number=number,
        caption=None if caption is None else Span(*caption),
        header_rows=tuple(raw["header_rows"]),
        header_columns=raw["header_columns"],
        parts=tuple(
            TablePart(
                page=page, first_row=first, last_row=last, bbox=None if box is None else Rect(*box)
            )
            for page, first, last, box in parts
        ),
        cells=tuple(
            TableCell(
                row=row,
                column=column,
                rows=rows,
                columns=columns,
                spans=tuple(Span(*edge) for edge in zip(edges[::2], edges[1::2], strict=True)),
            )
            for row, column, rows, columns, *edges in raw["cells"]
        ),
    )


def _reading_from_json(raw: list[Any], pages: int) -> PageReading:
    page, pipeline, text = raw
    _check(type(page) is int and 0 < page <= pages, "page of a second reading", page)
    _check(isinstance(pipeline, str) and isinstance(text, str), "second reading", pipeline)
    return PageReading(page=page, pipeline=pipeline, text=text)


def _check(fits: bool, name: str, got: object) -> None:  # noqa: FBT001 - the condition itself
    if not fits:
        msg = f"unexpected {name}: {got!r}"
        raise ValueError(msg)


def _box(rect: Rect) -> list[float]:
    return [rect.x0, rect.y0, rect.x1, rect.y1]
