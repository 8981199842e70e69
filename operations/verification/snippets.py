"""The texts of a request whose documents are not known → snippets beside the documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanproof.core.digest import digest_text
from spanproof.core.documents.document import Document, Source
from spanproof.core.errors import ExtractionError
from spanproof.core.verdicts.status import IdentityStatus
from spanproof.ingest.limits import Limits
from spanproof.ingest.media_type import TEXT
from spanproof.ingest.plain import plain_pipeline, read_plain
from spanproof.verifier.identity.document import check_identity
from spanproof.verifier.identity.snippet import lift

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanproof.core.citation import Answer
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Library
    from spanproof.operations.context import Context


def with_snippets(library: Library, answer: Answer, others: Iterable[str] = ()) -> Library:
    """The library with a source for each retrieved text of an unknown document.

    ``others`` are further texts that came with the answer and are kept nowhere.
    """
    texts = dict.fromkeys([*_find_texts(library, answer), *others])
    sources = tuple(source for text in texts if (source := _read(text, library)) is not None)
    return replace(library, sources=(*library.sources, *sources)) if sources else library


def _find_texts(library: Library, answer: Answer) -> Iterator[str]:
    for chunk in answer.retrieved:
        doc_hash = chunk.doc_hash
        if doc_hash is None and chunk.doc_id is not None:
            doc_hash = library.resolve(chunk.doc_id, at=answer.generated_at)
        if chunk.text and (doc_hash is None or library.find(doc_hash) is None):
            yield chunk.text


def _read(text: str, library: Library) -> Source | None:
    doc_hash = digest_text(text)
    if doc_hash is None or library.find(doc_hash) is not None:
        return None
    data = text.encode("utf-8")
    document = Document(doc_hash=doc_hash, media_type=TEXT, byte_length=len(data))
    try:
        extraction = read_plain(document, data, Limits())
    except ExtractionError:
        # Nothing can be cited in it: binary data, or more than a document may have.
        return None
    # Of its own, so that no snippet has the extraction_id of a document with the same bytes.
    own = replace(extraction, pipeline=plain_pipeline(name="snippet"))
    return Source(document=document, extractions=(own,), is_snippet=True)


def find_holders(context: Context, answer: Answer, library: Library) -> list[Digest]:
    """Kept documents that were not supplied, and each alone hold a snippet that is cited."""
    cited = (check_identity(citation, answer, library) for citation in answer.citations)
    texts = {
        each.snippet.text.text: each.snippet
        for each in cited
        if each.snippet is not None and each.identity.status is IdentityStatus.SNIPPET
    }
    found: list[Digest] = []
    for text, snippet in texts.items():
        holder = context.store.texts.find_holder(text)
        if holder is not None and library.find(holder) is None:
            # Found but for what a view drops: the ladder decides.
            held = context.store.documents.load_library([holder], ())
            found += [holder] if lift(snippet, held) is not None else []
    return list(dict.fromkeys(found))
