"""An extraction as three byte strings: what the store keeps and what the parser's child hands over.

``meta`` is JSON, ``text`` UTF-8, ``layout`` the stored form of ``core.layout`` (empty: none). Reading
checks every invariant again, so bytes from a child or a disk are never trusted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from core.digest import Digest
from core.document import CharacterCounts, Document, Extraction, Page, Pipeline
from core.errors import IntegrityError, SpanproofError
from core.geometry import PageFrame, Rect
from core.layout import Layout
from core.span import Span
from core.text import CanonicalText


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRecord:
    """The three parts."""

    meta: bytes
    text: bytes
    layout: bytes


def to_record(extraction: Extraction) -> ExtractionRecord:
    """The parts of an extraction."""
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
        "originals": [list(pair) for pair in extraction.originals],
        "pages": [_page_to_json(page) for page in extraction.pages],
    }
    return ExtractionRecord(
        meta=json.dumps(meta, ensure_ascii=True, separators=(",", ":")).encode("ascii"),
        text=extraction.text.text.encode("utf-8"),
        layout=b"" if extraction.layout is None else extraction.layout.to_bytes(),
    )


def from_record(record: ExtractionRecord) -> Extraction:
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
            originals=tuple((offset, code) for offset, code in meta["originals"]),
        )
    except IntegrityError:
        raise
    except (SpanproofError, ValueError, KeyError, TypeError) as error:
        msg = f"Expected an extraction's parts, got {error!r}."
        raise IntegrityError(msg, hint="Ingest the document again.") from error
    if str(text.digest) != meta["text_sha256"]:
        msg = f"Expected a text of digest {meta['text_sha256']}, got {text.digest}."
        raise IntegrityError(msg, hint="Restore the store from a backup.")
    if layout is not None and len(layout) != len(text):
        msg = f"Expected a layout of {len(text)} characters, got {len(layout)}."
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


def _box(rect: Rect) -> list[float]:
    return [rect.x0, rect.y0, rect.x1, rect.y1]
