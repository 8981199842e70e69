"""The caller's payload as a response returns it: each part has a shape of its own.

So a field that only a request may leave out, or only the service adds, changes one side alone.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - pydantic reads annotations

from spanproof.api.http.wire.answer import (
    AnswerIn,
    CellIn,
    CitationIn,
    GeneratorIn,
    LocatorIn,
    RetrievedIn,
    SpanIn,
)


class SentSpanOut(SpanIn):
    """The quoted text and its offsets, as sent."""


class SentLocatorOut(LocatorIn):
    """A page and the box on it, as sent."""


class SentCellOut(CellIn):
    """A cell of a table, as sent."""


class SentCitationOut(CitationIn):
    """One structured citation, as sent."""

    span: SentSpanOut
    pdf_locator: SentLocatorOut | None = None
    cell: SentCellOut | None = None


class SentChunkOut(RetrievedIn):
    """One chunk that the retriever returned, as sent."""


class SentGeneratorOut(GeneratorIn):
    """What wrote the answer, as sent."""


class SentAnswerOut(AnswerIn):
    """An answer in the native format, as sent."""

    citations: Sequence[SentCitationOut]
    generator: SentGeneratorOut | None = None
    retrieved: Sequence[SentChunkOut] | None = None
