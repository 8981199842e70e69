"""``[[REF:id]]`` with its block of sources, and legacy ``[n](url)``, against what was retrieved.

``retrieved`` and ``documents`` stand in the envelope; ``id`` is a retrieved ``chunk_id``. A source
that was not retrieved, or that the block gives another title or URL, is SOURCE_FABRICATED: its
anchors are orphans. The block is not part of the verified prose; behind a provider, whose offsets
count it, it stays in the prose and claims nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Anchor
from spanproof.verifier.formats.draft import Draft
from spanproof.verifier.formats.grammars.token import SOURCES
from spanproof.verifier.formats.grammars.tokenizer import tokenize
from spanproof.verifier.formats.markers.prose import (
    RESPONSE,
    choose_one,
    cite_chunk,
    has_document,
    next_number,
    read_prose,
)
from spanproof.verifier.formats.markers.sources import MALFORMED, SourceBlocks, read_blocks

if TYPE_CHECKING:
    from spanproof.core.citation import Retrieval
    from spanproof.core.span import Span
    from spanproof.verifier.formats.envelope import Envelope

GRAMMAR = "ref"
FABRICATED = "SOURCE_FABRICATED"
NOT_COMPARED = "SOURCE_NOT_COMPARED"
_GRAMMARS = ("link", GRAMMAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A retrieved chunk with every title and URL that the caller gave it."""

    chunk: Retrieval
    titles: frozenset[str]
    urls: frozenset[str]


def read(envelope: Envelope) -> Draft:
    """A text with reference tokens; raise MalformedAnswerError for another response."""
    prose, others = read_prose(envelope)
    draft = Draft(envelope, origin=GRAMMAR, declared_unit="codepoint")
    tokens = tokenize(prose, _GRAMMARS)
    blocks = read_blocks(prose, tokens)
    position = 0
    for token in tokens:
        if token.grammar == SOURCES:
            draft.write(prose[position : token.span.start])
            position = token.span.end
    draft.write(prose[position:])
    for name in others:
        draft.skip(f"{RESPONSE}/{name}", "Not a part of the prose.", code="FIELD_UNREAD")
    _add(draft, blocks)
    return draft


def read_markers(draft: Draft) -> None:
    """Add a citation for each retrieved chunk that the tokens in the draft's prose name."""
    tokens = tokenize(draft.prose, _GRAMMARS)
    draft.unclaimed += [token.span for token in tokens if token.grammar == SOURCES]
    _add(draft, read_blocks(draft.prose, tokens))


def _add(draft: Draft, blocks: SourceBlocks) -> None:
    origin, draft.origin = draft.origin, GRAMMAR
    for code, why in blocks.statuses:
        draft.remark(RESPONSE, code, why)
        if code == MALFORMED:
            # An unreadable part was not compared: the result is not a pass.
            draft.skip(RESPONSE, why)
    known = _read_known(draft.envelope)
    faults = _find_faults(draft, blocks, known)
    places: dict[tuple[str, str], list[Span]] = {}
    for token in tokenize(draft.prose, _GRAMMARS):
        if token.grammar != SOURCES:
            key = (token.grammar, token.values[-1])
            places.setdefault(key, []).append(token.span)
    for (grammar, name), spans in places.items():
        number = next_number(draft)
        chunk, code, why = _find_chunk(known, name, faults, by_url=grammar == "link")
        if chunk is not None:
            cite_chunk(draft, chunk, number, spans)
            continue
        draft.anchors += [Anchor(number=number, span=span) for span in spans]
        draft.remark(RESPONSE, code, f"{name} at {spans[0].start}: {why}")
    named = {name for grammar, name in places if grammar == GRAMMAR}
    for name, why in faults.items():
        if name not in named:
            draft.skip(RESPONSE, f"{FABRICATED}: {name}: {why}")
            draft.remark(RESPONSE, FABRICATED, f"{name}: {why}")
    draft.origin = origin


def _find_chunk(
    known: list[_Known], name: str, faults: dict[str, str], *, by_url: bool
) -> tuple[Retrieval | None, str, str]:
    found = [k.chunk for k in known if (name in k.urls if by_url else k.chunk.chunk_id == name)]
    if not found:
        return None, FABRICATED, f"no such {'URL' if by_url else 'source'} was retrieved."
    if name in faults and not by_url:
        return None, FABRICATED, faults[name]
    chunk = choose_one(found)
    if chunk is None:
        return None, "CHUNK_NOT_RETRIEVED", "several different chunks have that name."
    if not has_document(chunk):
        return None, "CHUNK_NOT_RETRIEVED", "it was retrieved without a document's name."
    return chunk, "", ""


def _find_faults(draft: Draft, blocks: SourceBlocks, known: list[_Known]) -> dict[str, str]:
    """Why an entry of the block differs from the retrieved source, by its id."""
    faults: dict[str, str] = {}
    for entry in blocks.entries:
        found = [each for each in known if each.chunk.chunk_id == entry.id]
        if not found:
            faults.setdefault(entry.id, "no such source was retrieved.")
            continue
        for what, said, given in (
            ("title", entry.title, frozenset().union(*(each.titles for each in found))),
            ("URL", entry.url, frozenset().union(*(each.urls for each in found))),
        ):
            if said is None:
                continue
            if not given:
                detail = f"{entry.id}: no {what} was retrieved to compare with {said!r}."
                draft.remark(RESPONSE, NOT_COMPARED, detail)
            elif _fold(said) not in {_fold(each) for each in given}:
                faults.setdefault(entry.id, f"the {what} {said!r} is not the one retrieved.")
    return faults


def _fold(text: str) -> str:
    """Titles and URLs must be equal apart from white space."""
    return " ".join(text.split())


def _read_known(envelope: Envelope) -> list[_Known]:
    rows = envelope.fields.get("retrieved") or []
    known = []
    for chunk, row in zip(envelope.details["retrieved"], rows, strict=True):
        titles = _texts(row, "title", "doc_title")
        urls = _texts(row, "url", "uri", "doc_url")
        for document in envelope.documents:
            same_hash = document.doc_hash is not None and document.doc_hash == chunk.doc_hash
            if same_hash or (document.doc_id is not None and document.doc_id == chunk.doc_id):
                titles |= {document.title} if document.title else set()
                urls |= {document.uri} if document.uri else set()
        known.append(_Known(chunk=chunk, titles=frozenset(titles), urls=frozenset(urls)))
    return known


def _texts(row: dict[str, Any], *names: str) -> set[str]:
    return {row[name] for name in names if isinstance(row.get(name), str) and row[name]}
