"""Snippets: texts that came with the request and stand in for documents that are not kept here.

A citation of an unknown document is judged against the text that the request has for it. No
document stands behind that text: identity says SNIPPET, never MATCH. Where exactly one supplied
document holds the whole text, the citation is lifted to that document.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.citation import Quote
from spanproof.core.digest import digest_text
from spanproof.core.span import Span
from spanproof.core.verdicts.answer_findings import Snippet
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.existence import find_quote

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from spanproof.core.citation import Answer, Citation, Retrieval
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Extraction, Library, Source
    from spanproof.core.verdicts.verdict import Verdict

#: The words are those that were submitted; no document stands behind them.
SOURCE_IS_SNIPPET = "SOURCE_IS_SNIPPET"
#: A supplied document holds the submitted text: the citation is judged as one of that document.
SNIPPET_LIFTED = "SNIPPET_LIFTED"
_WHOLE = frozenset({ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifted:
    """The document that holds a snippet, its extraction, and where the snippet stands in it."""

    snippet_hash: Digest
    source: Source
    extraction: Extraction
    span: Span


def find_snippet(citation: Citation, answer: Answer, library: Library) -> Source | None:
    """The text that came with the answer for the cited document; None if it brought none.

    Several texts may come from one document: the cited chunk is the first choice, then any that
    holds the quote.
    """
    named = [chunk for chunk in answer.retrieved if chunk.text and _names(citation, chunk)]
    named.sort(key=lambda chunk: chunk.chunk_id != citation.chunk_id)
    quote = citation.quote
    words = "" if quote is None else " ".join(quote.text.split())
    held = [chunk for chunk in named if words in " ".join(str(chunk.text).split())]
    for chunk in [*held, *named]:
        doc_hash = digest_text(str(chunk.text))
        source = None if doc_hash is None else library.find(doc_hash)
        if source is not None and source.extractions:
            return source
    return None


def _names(citation: Citation, chunk: Retrieval) -> bool:
    doc_hash, doc_id = citation.doc_hash, citation.doc_id
    if doc_hash is not None and doc_hash in {chunk.doc_hash, digest_text(str(chunk.text))}:
        return True
    if doc_id is not None and doc_id in {chunk.doc_id, chunk.chunk_id, str(chunk.doc_hash)}:
        return True
    other = doc_hash is not None and chunk.doc_hash is not None
    other |= doc_id is not None and chunk.doc_id is not None
    return chunk.chunk_id == citation.chunk_id and not other


def lift(snippet: Extraction, library: Library) -> Lifted | None:
    """The only supplied document that holds the whole text of a snippet."""
    found = list(_find_holders(snippet, library))
    return found[0] if len(found) == 1 else None


def hold_itself(source: Source) -> Lifted:
    """A document whose own bytes are the text that was submitted."""
    extraction = source.extractions[0]
    return Lifted(
        snippet_hash=source.document.doc_hash,
        source=source,
        extraction=extraction,
        span=Span(0, len(extraction.text)),
    )


def _find_holders(snippet: Extraction, library: Library) -> Iterator[Lifted]:
    for source in library.sources:
        extraction = None if source.is_snippet else source.find_extraction(None)
        if extraction is None:
            continue
        there = find_quote(snippet.text.text, extraction)
        if there.status in _WHOLE and there.span is not None:
            yield Lifted(
                snippet_hash=snippet.document.doc_hash,
                source=source,
                extraction=extraction,
                span=there.span,
            )


def leave_out(library: Library, lifted: Collection[Digest | None]) -> Library:
    """The library without the snippets whose place a document took."""
    kept = tuple(
        source
        for source in library.sources
        if not (source.is_snippet and source.document.doc_hash in lifted)
    )
    return library if len(kept) == len(library.sources) else replace(library, sources=kept)


def place_quote(quote: Quote | None, snippet: Extraction, lifted: Lifted | None) -> Quote:
    """The quote in the text that it is judged against: of a whole snippet, with its offsets.

    Without a quote the whole text is cited. Other offsets count in a document that is not here.
    """
    text = snippet.text.text
    span = Span(0, len(text)) if lifted is None else lifted.span
    if quote is None or quote.text == text:
        return Quote(text=text, start=span.start, end=span.end)
    first = _find_start(quote, text)
    is_verbatim = lifted is None or lifted.extraction.text.slice(span) == text
    if first is None or not is_verbatim:
        return Quote(text=quote.text)
    start = span.start + first
    return Quote(text=quote.text, start=start, end=start + len(quote.text))


def _find_start(quote: Quote, text: str) -> int | None:
    """Where the quote stands in the snippet: at its offsets, else at the only place."""
    start = quote.start
    if start is not None and text[start : quote.end] == quote.text:
        return start
    first = text.find(quote.text)
    is_single = first >= 0 and text.find(quote.text, first + 1) < 0
    return first if is_single else None


def list_snippets(
    answer: Answer, library: Library, verdicts: Sequence[Verdict]
) -> tuple[Snippet, ...]:
    """The snippets that the verdicts name, as source or as a place elsewhere, each once."""
    snippets = {source.document.doc_hash for source in library.sources if source.is_snippet}
    if not snippets:
        return ()
    named = {verdict.identity.doc_hash for verdict in verdicts}
    for verdict in verdicts:
        places = (*verdict.existence.candidates, *verdict.attribution.supported_by)
        named |= {place.doc_hash for place in places}
    found: dict[Digest, Snippet] = {}
    for chunk in answer.retrieved:
        doc_hash = digest_text(chunk.text) if chunk.text else None
        if doc_hash is not None and doc_hash in snippets & named:
            found.setdefault(doc_hash, _describe(chunk, doc_hash))
    return tuple(found.values())


def _describe(chunk: Retrieval, doc_hash: Digest) -> Snippet:
    return Snippet(
        doc_hash=doc_hash,
        characters=len(chunk.text or ""),
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        cited_hash=chunk.doc_hash,
        page=chunk.page,
    )
