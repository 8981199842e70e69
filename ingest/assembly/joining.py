"""Batches of pages → one Extraction: offsets shifted, columns set end to end, pages described."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.document import Extraction, Page
from spanproof.core.documents.layout import Layout
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import (
        CharacterCounts,
        Document,
        PageStatus,
        Pipeline,
        TextSource,
    )
    from spanproof.core.documents.text_block import Block, GlyphText
    from spanproof.core.geometry import PageFrame
    from spanproof.ingest.assembly.assemble import Batch

# A page is degraded when more of its characters than this have no Unicode value.
_UNMAPPED_SHARE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport:
    """What the engine met on a page, apart from its characters."""

    frame: PageFrame
    label: str | None
    #: Why the page could not be read; None where it could.
    problem: str | None = None
    #: What of it could not be read although its text could; None where nothing.
    lack: str | None = None
    #: Whether its text was read from its image by this very pipeline.
    is_recognised: bool = False


@dataclass(slots=True, kw_only=True)
class Batches:
    """Joins columns end to end as they come: memory never holds a column twice.

    A list of arrays to be joined at the end would need all of them and the joined ones at once.
    """

    texts: list[str] = field(default_factory=list)
    length: int = 0
    starts: list[int] = field(default_factory=list)
    counts: list[CharacterCounts] = field(default_factory=list)
    inked: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    originals: list[tuple[int, int]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    glyph_texts: list[GlyphText] = field(default_factory=list)
    #: The columns' bytes: these grow in place, as arrays cannot.
    columns: dict[str, bytearray] = field(default_factory=dict)

    def append(self, batch: Batch) -> None:
        """Put a batch behind the others."""
        base, runs = self.length, batch.runs
        self.starts += [base + start for start in batch.page_starts]
        self.counts += batch.counts
        self.inked += batch.inked
        self.hidden += batch.hidden
        self.originals += [(base + offset, code) for offset, code in batch.originals]
        self.blocks += [replace(b, span=b.span.shift(base)) for b in batch.blocks]
        self.glyph_texts += [replace(g, span=g.span.shift(base)) for g in batch.glyph_texts]
        self._extend("run_start", (runs.start + base).astype(np.int32))
        self._extend("run_end", (runs.end + base).astype(np.int32))
        for name in ("x", "y", "cos", "sin", "ascent", "descent"):
            self._extend(f"run_{name}", getattr(runs, name))
        self._extend("left", runs.left)
        self._extend("right", runs.right)
        self._extend("flags", batch.flags)
        self.texts.append(batch.text)
        self.length += len(batch.text)

    def _extend(self, name: str, column: np.ndarray[Any, Any]) -> None:
        self.columns.setdefault(name, bytearray()).extend(column.tobytes())

    def to_layout(self) -> Layout:
        """The columns as a layout, which takes their memory over."""
        types = {"run_cos": np.float32, "run_sin": np.float32, "flags": np.uint16}
        return Layout(
            **{
                name: np.frombuffer(column, types.get(name, np.int32))
                for name, column in self.columns.items()
            }
        )


def hidden_pages(batches: Batches) -> list[int]:
    """The indexes of the pages most of whose ink is invisible."""
    pairs = zip(batches.inked, batches.hidden, strict=True)
    return [index for index, (all_, hidden) in enumerate(pairs) if hidden > all_ / 2]


def join(  # noqa: PLR0913 - what a document is made of
    document: Document,
    pipeline: Pipeline,
    batches: Batches,
    reports: Sequence[PageReport],
    *,
    covered: frozenset[int],
    repaired: bool,
    encrypted: bool,
) -> Extraction:
    """The extraction; ``covered`` are the pages on which an image lies over the hidden text."""
    text = "".join(batches.texts)
    batches.texts.clear()
    counts, inked = batches.counts, batches.inked
    unseen = frozenset(hidden_pages(batches))
    pages = []
    for index, (report, start, end) in enumerate(
        zip(reports, batches.starts, [*batches.starts[1:], len(text)], strict=True)
    ):
        source: TextSource = "born_digital" if inked[index] else "none"
        if inked[index] and report.is_recognised:
            source = "ocr"
        elif inked[index] and index in covered:
            source = "ocr_layer"
        status, problem = _judge(
            report, counts[index], inked[index], hidden=index in unseen - covered
        )
        pages.append(
            Page(
                number=index + 1,
                label=report.label,
                span=Span(start, end),
                frame=report.frame,
                text_source=source,
                counts=counts[index],
                status=status,
                problem=problem,
            )
        )
    return Extraction(
        document=document,
        pipeline=pipeline,
        text=CanonicalText.of(text),
        pages=tuple(pages),
        layout=batches.to_layout(),
        repaired=repaired,
        encrypted=encrypted,
        originals=tuple(batches.originals),
        blocks=tuple(batches.blocks),
        glyph_texts=tuple(batches.glyph_texts),
    )


def _judge(
    report: PageReport, counts: CharacterCounts, inked: int, *, hidden: bool
) -> tuple[PageStatus, str | None]:
    if report.problem is not None:
        return "error", report.problem
    if hidden:
        return "degraded", "Most of the text is invisible and no image covers the page."
    if counts.unmapped > _UNMAPPED_SHARE * inked:
        return "degraded", f"{counts.unmapped} of {inked} characters have no Unicode value."
    if report.lack is not None:
        return "degraded", report.lack
    return "ok", None
