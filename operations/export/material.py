"""What a pack is about: verifications as they were kept, with their documents and receipts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.errors import NotFoundError
from spanproof.core.span import Span
from spanproof.core.verdicts.hash_only import NOT_KEPT
from spanproof.core.verdicts.status import IdentityStatus
from spanproof.operations.decisions import find_standing, list_decisions
from spanproof.operations.verification.judging import list_documents
from spanproof.operations.verification.stored import show_verification
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.statement.statement import parse_statement

if TYPE_CHECKING:
    from spanproof.core.citation import Answer
    from spanproof.core.documents.document import Document, Extraction, Library
    from spanproof.operations.context import Context
    from spanproof.operations.decisions import StoredDecision

Json = dict[str, Any]
#: A verdict of these was judged on no document, also where one of that hash is kept by now.
_NO_DOCUMENT = frozenset(
    {IdentityStatus.SNIPPET, IdentityStatus.UNKNOWN_DOCUMENT, IdentityStatus.HASH_MISMATCH}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedVerdict:
    """A verdict of the block beside what its citation quoted, and the text that it was judged on.

    ``extraction`` is None where nothing was read; ``span`` None where nothing was found in it.
    """

    index: int
    raw: Json
    quote: str | None
    title: str | None
    extraction: Extraction | None
    span: Span | None

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages that the span touches, from 1; empty for a document without pages."""
        if self.extraction is None or self.span is None or self.extraction.layout is None:
            return ()
        return tuple(page.number for page in self.extraction.pages_of(self.span))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One verification: the unchanged payload, the answer, each verdict, the documents.

    ``documents`` are those that were there to judge on, ``missing`` the supplied ones that were
    not, or are gone. ``raw`` is None where its words were not kept.
    """

    verification_id: str
    verified_at: datetime
    raw: bytes | None
    response: Json
    block: Json
    prose: str
    question: str | None
    verdicts: tuple[CitedVerdict, ...]
    documents: tuple[Document, ...]
    titles: dict[Digest, str | None]
    extractions: tuple[Extraction, ...]
    missing: tuple[str, ...]
    decisions: tuple[StoredDecision, ...]
    #: What holds of each citation that somebody decided on.
    decided: dict[int, str]


def load_case(context: Context, verification_id: str) -> Case:
    """Everything of one verification; raise VerificationNotFoundError where it is not kept."""
    from spanproof.verifier.formats.registry import parse_payload

    stored = context.store.answers.load(verification_id)
    decisions = list_decisions(context, verification_id)
    answer = parse_payload(stored.raw, stored.block["import"]["format"]).answer
    hashes, names = list_documents(answer)
    verdicts = stored.block["verdicts"]
    supplied = _list_signed(context, verification_id)
    repaired = (stored.block.get("repair") or {}).get("citations", [])
    judged = [
        Digest.parse(v["identity"]["doc_hash"])
        for v in verdicts
        if v["identity"]["status"] not in _NO_DOCUMENT and v["identity"]["doc_hash"] is not None
    ]
    judged += [Digest.parse(row["doc_hash"]) for row in repaired if row["doc_hash"] is not None]
    # No name is looked up: today it may be that of a document that came afterwards.
    library = context.store.documents.load_library([*supplied, *judged], ())
    cited = tuple(
        _join_verdict(
            index,
            verdict,
            _find_cited(verdict["citation"], answer, repaired),
            _find_extraction(context, verdict),
            library,
        )
        for index, verdict in enumerate(verdicts)
    )
    known = {str(source.document.doc_hash) for source in library.sources}
    known |= {name.doc_id for name in library.names if str(name.doc_hash) in known}
    named = (name for name in names if name != NOT_KEPT)
    wanted = [*map(str, hashes), *named, *map(str, supplied), *map(str, judged)]
    # A submitted text stands in the payload; blocks of older procedures have none.
    known |= {snippet["doc_hash"] for snippet in stored.block.get("snippets", ())}
    return Case(
        verification_id=verification_id,
        verified_at=stored.verified_at,
        raw=None if stored.is_hash_only else stored.raw,
        response=show_verification(context, verification_id),
        block=stored.block,
        prose=answer.prose,
        question=answer.question,
        verdicts=cited,
        documents=tuple(source.document for source in library.sources),
        titles={source.document.doc_hash: source.title for source in library.sources},
        extractions=_list_extractions(cited, library),
        missing=tuple(dict.fromkeys(ref for ref in wanted if ref not in known)),
        decisions=decisions,
        decided={
            index: standing.word
            for index in {each.event.citation for each in decisions}
            if (standing := find_standing(decisions, index, datetime.now(UTC))) is not None
        },
    )


def _list_signed(context: Context, verification_id: str) -> list[Digest]:
    """The documents that the receipt lists: all that were there to judge on, cited or not."""
    found = context.store.receipts.find(verification_id)
    if found is None:
        return []
    predicate = parse_statement(parse_bundle(found.bundle).envelope.payload).predicate
    return [document.doc_hash for document in predicate.documents]


def _find_cited(number: int, answer: Answer, repaired: list[Json]) -> tuple[str | None, str | None]:
    """The quote and the title that a citation gives."""
    if number < len(answer.citations):
        citation = answer.citations[number]
        return None if citation.quote is None else citation.quote.text, citation.doc_title
    # Citations that were attached afterwards come after the caller's own.
    row = repaired[number - len(answer.citations)]
    return row["span"] and row["span"]["text"], row["doc_title"]


def _join_verdict(
    index: int,
    verdict: Json,
    cited: tuple[str | None, str | None],
    extraction: Extraction | None,
    library: Library,
) -> CitedVerdict:
    quote, title = cited
    place = verdict["existence"]
    start, end = place["char_start"], place["char_end"]
    span = None
    if extraction is not None and start is not None and end is not None:
        span = Span(start, end)
        span = span if extraction.text.holds(span) else None
    source = None if extraction is None else library.find(extraction.document.doc_hash)
    return CitedVerdict(
        index=index,
        raw=verdict,
        quote=quote,
        title=title or (source.title if source is not None else None),
        extraction=extraction,
        span=span,
    )


def _find_extraction(context: Context, verdict: Json) -> Extraction | None:
    extraction_id = verdict["identity"]["extraction_id"]
    if extraction_id is None or verdict["identity"]["status"] in _NO_DOCUMENT:
        return None
    try:
        return context.store.documents.load_extraction(Digest.parse(extraction_id))
    except NotFoundError:
        return None


def _list_extractions(
    verdicts: tuple[CitedVerdict, ...], library: Library
) -> tuple[Extraction, ...]:
    """Those that were judged on; of every other document the one meant by default."""
    found = {v.extraction.extraction_id: v.extraction for v in verdicts if v.extraction is not None}
    read = {each.document.doc_hash for each in found.values()}
    for source in library.sources:
        default = source.find_extraction(None)
        if source.document.doc_hash not in read and default is not None:
            found[default.extraction_id] = default
    return tuple(found.values())
