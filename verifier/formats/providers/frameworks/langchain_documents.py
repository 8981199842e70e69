"""LangChain's ``Document`` as retrieved: its words, its place, and the document it was cut from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.citation import Quote, Retrieval
from spanproof.verifier.formats.providers.either_case import choose_id, open_either_case
from spanproof.verifier.formats.providers.frameworks.document_names import (
    find_by_hash,
    read_names,
)
from spanproof.verifier.formats.providers.payload import find_cited, raise_malformed

if TYPE_CHECKING:
    from spanproof.verifier.formats.draft import Draft
    from spanproof.verifier.formats.envelope import SuppliedDocument
    from spanproof.verifier.formats.providers.either_case import EitherCaseReader

_IDS = ("doc_id", "document_id", "file_id", "file_name", "filename", "title")
_URIS = ("source", "url", "file_path")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedDocument:
    """One member of the context; ``pages`` from 1."""

    named: str
    chunk_id: str
    quote: Quote
    document: SuppliedDocument | None
    pages: tuple[int, int] | None
    title: str | None
    names: tuple[str, ...]

    def cite(self, draft: Draft, number: int) -> None:
        """Add the citation of the anchors with this number."""
        draft.cite(
            document=self.document,
            named=self.named,
            quote=self.quote,
            number=number,
            pages=self.pages,
            chunk_id=self.chunk_id,
            doc_title=self.title,
            names=self.names,
        )


def read_documents(draft: Draft, owner: EitherCaseReader, name: str) -> list[RetrievedDocument]:
    """Read the documents of a context and note each as a retrieved chunk."""
    found = []
    for position, (pointer, item) in enumerate(owner.items(name)):
        reader = open_either_case(item, pointer)
        if isinstance(reader.fields.get("kwargs"), dict) and "lc" in reader.fields:
            reader = open_either_case(reader.fields["kwargs"], f"{pointer}/kwargs")
        one = _read_document(draft, reader, position)
        found.append(one)
        document = one.document
        draft.retrieved.append(
            Retrieval(
                chunk_id=one.chunk_id,
                doc_id=document.doc_id if document else one.named,
                doc_hash=document.doc_hash if document else None,
                text=one.quote.text,
                rank=position + 1,
                names=one.names,
            )
        )
    return found


def _read_document(draft: Draft, reader: EitherCaseReader, position: int) -> RetrievedDocument:
    text = reader.optional("page_content", str)
    if text is None:
        raise_malformed(f"{reader.pointer}/page_content", "the text of a document", None)
    metadata = reader.open("metadata") or open_either_case({}, reader.pointer)
    ids = [_text(metadata, name) for name in _IDS]
    uris = [_text(metadata, name) for name in _URIS]
    listed = [uri for uri in uris if uri and draft.envelope.find_document(uri=uri)]
    uri = next(iter([*listed, *filter(None, uris)]), None)
    chunk_id = reader.text("id")
    chosen = choose_id(draft.envelope, [*ids, chunk_id, uri])
    pages = _read_pages(draft, metadata)
    document = find_by_hash(metadata) if not listed else None
    if document is None:
        document = find_cited(draft, reader.pointer, uri=uri, file_id=chosen)
    return RetrievedDocument(
        named=uri or chosen or reader.pointer,
        chunk_id=chunk_id or f"documents/{position}",
        quote=_read_quote(draft, metadata, text, paged=pages is not None),
        document=document,
        pages=pages,
        title=_text(metadata, "title"),
        names=() if document else read_names(metadata, chunk_id),
    )


def _read_pages(draft: Draft, metadata: EitherCaseReader) -> tuple[int, int] | None:
    """``page`` counts from 0 as PyPDF's loader does, ``page_number`` from 1; a label is no page."""
    page, number = _integer(metadata, "page"), _integer(metadata, "page_number")
    first = number if page is None else page + 1
    if first is None:
        return None
    if first < 1:
        detail = f"page {page!r}, page_number {number!r}: they do not name a page."
        draft.remark(metadata.pointer, "PAGE_UNREAD", detail)
        return None
    return first, first


def _read_quote(draft: Draft, metadata: EitherCaseReader, text: str, *, paged: bool) -> Quote:
    """The chunk; with its place if the splitter found it in a text of several pages."""
    start = _integer(metadata, "start_index")
    if start is None:
        return Quote(text=text)
    if start < 0 or paged:
        why = "the splitter did not find the chunk" if start < 0 else "it counts from its own page"
        detail = f"start_index {start}: {why}; the words are searched."
        draft.remark(metadata.pointer, "OFFSETS_NOT_OF_DOCUMENT", detail)
        return Quote(text=text)
    return Quote(text=text, start=start, end=start + len(text), unit="codepoint")


def _text(metadata: EitherCaseReader, name: str) -> str | None:
    """Metadata are the caller's own: another type under a known name is not a problem."""
    value = metadata.fields.get(name)
    return value if isinstance(value, str) and value else None


def _integer(metadata: EitherCaseReader, name: str) -> int | None:
    value = metadata.fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
