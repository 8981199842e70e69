"""Extractions that no reader may make: each test of a check shows it one and asks for its finding.

Values check themselves when they are made, so a broken one is forged past its constructor.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from spanproof.core.text import CanonicalText
from spanproof.ingest.extraction import extract
from spanproof.ingest.limits import Limits
from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.invariants.reader import Reader
    from spanproof.core.documents.document import Document, Extraction

T = TypeVar("T")
LIMITS = Limits()
#: Three pages: two lines and a turned one, nothing, one line.
THREE_PAGES = write_pdf(
    PageSpec(
        content=show("One line of words", 72, 700)
        + show("and another, ² raised 𝑥", 72, 600)
        + show("upright", 300, 300, degrees=90)
    ),
    PageSpec(entries=b"/Rotate 90"),
    PageSpec(content=show("Last page", 72, 700), entries=b"/UserUnit 2"),
)


def read_three_pages() -> Extraction:
    """The extraction of ``THREE_PAGES``, sound in every way."""
    return extract(THREE_PAGES)


def forge(value: T, **changes: Any) -> T:
    """A copy with other fields, whatever the class's own checks would say."""
    forged = copy.copy(value)
    for name, change in changes.items():
        object.__setattr__(forged, name, change)
    return forged


def with_text(extraction: Extraction, text: str) -> Extraction:
    """The extraction with another text of the same length."""
    assert len(text) == len(extraction.text)
    return forge(extraction, text=forge(extraction.text, text=text))


def with_column(extraction: Extraction, name: str, change: Callable[[Any], Any]) -> Extraction:
    """The extraction with one column of its layout changed."""
    layout = extraction.layout
    assert layout is not None
    column = np.array(getattr(layout, name))
    return forge(extraction, layout=forge_layout(layout, **{name: change(column)}))


def forge_layout(layout: Any, **changes: Any) -> Any:
    """A layout with other columns, unchecked (its own way to be copied would check them)."""
    forged = object.__new__(type(layout))
    for name in type(layout).__slots__:
        object.__setattr__(forged, name, changes.get(name, getattr(layout, name)))
    return forged


def replaced_text(extraction: Extraction, text: str) -> Extraction:
    """The extraction of another text that is well made in itself."""
    return forge(extraction, text=CanonicalText.of(text))


@dataclass(frozen=True, kw_only=True)
class SpoiltEngine:
    """A real engine whose readings are changed afterwards: what a faulty one would hand over."""

    engine: Reader
    spoil: Callable[[Extraction, frozenset[int] | None], Extraction]
    asked: list[frozenset[int] | None] = field(default_factory=list)

    def read(
        self,
        document: Document,
        data: bytes,
        limits: Limits,
        *,
        only: frozenset[int] | None = None,
    ) -> Extraction:
        self.asked.append(only)
        return self.spoil(self.engine.read(document, data, limits, only=only), only)
