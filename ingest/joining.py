"""Batches of pages → one Extraction: offsets shifted, columns set end to end, pages described."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from core.document import Extraction, Page
from core.layout import Layout
from core.span import Span
from core.text import CanonicalText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.document import CharacterCounts, Document, PageStatus, Pipeline, TextSource
    from core.geometry import PageFrame
    from ingest.assemble import Batch

# A page is degraded when more of its characters than this have no Unicode value.
_UNMAPPED_SHARE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport:
    """What the engine met on a page, apart from its characters."""

    frame: PageFrame
    label: str | None
    #: Why the page could not be read; None where it could.
    problem: str | None = None


def hidden_pages(batches: Sequence[Batch]) -> list[int]:
    """The indexes of the pages most of whose ink is invisible."""
    inked = [count for batch in batches for count in batch.inked]
    hidden = [count for batch in batches for count in batch.hidden]
    return [i for i, (all_, h) in enumerate(zip(inked, hidden, strict=True)) if h > all_ / 2]


def join(  # noqa: PLR0913 - what a document is made of
    document: Document,
    pipeline: Pipeline,
    batches: Sequence[Batch],
    reports: Sequence[PageReport],
    *,
    covered: frozenset[int],
    repaired: bool,
) -> Extraction:
    """The extraction; ``covered`` are the pages on which an image lies over the hidden text."""
    text = "".join(batch.text for batch in batches)
    bases = [0, *accumulate(len(batch.text) for batch in batches)][:-1]
    starts = [
        base + start
        for base, batch in zip(bases, batches, strict=True)
        for start in batch.page_starts
    ]
    counts = [count for batch in batches for count in batch.counts]
    inked = [count for batch in batches for count in batch.inked]
    unseen = frozenset(hidden_pages(batches))
    pages = []
    for index, (report, start, end) in enumerate(
        zip(reports, starts, [*starts[1:], len(text)], strict=True)
    ):
        source: TextSource = "born_digital" if inked[index] else "none"
        if index in covered and inked[index]:
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
        layout=_join_layout(batches, bases),
        repaired=repaired,
        originals=tuple(
            (base + offset, code)
            for base, batch in zip(bases, batches, strict=True)
            for offset, code in batch.originals
        ),
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
    return "ok", None


def _join_layout(batches: Sequence[Batch], bases: Sequence[int]) -> Layout:
    runs = [batch.runs for batch in batches]

    def column(name: str) -> Any:  # noqa: ANN401 - arrays of several types
        return np.concatenate([getattr(one, name) for one in runs])

    def offsets(name: str) -> Any:  # noqa: ANN401 - see above
        shifted = [getattr(one, name) + base for one, base in zip(runs, bases, strict=True)]
        return np.concatenate(shifted).astype(np.int32)

    return Layout(
        run_start=offsets("start"),
        run_end=offsets("end"),
        run_x=column("x"),
        run_y=column("y"),
        run_cos=column("cos"),
        run_sin=column("sin"),
        run_ascent=column("ascent"),
        run_descent=column("descent"),
        left=column("left"),
        right=column("right"),
        flags=np.concatenate([batch.flags for batch in batches]),
    )
