from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from spanproof.core.citation import Answer, Citation, Quote, Retrieval
from spanproof.core.digest import Digest
from spanproof.core.documents.document import DocumentName, Library, Source
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ChunkStatus, IdentityStatus
from spanproof.verifier.identity.document import check_chunk, check_identity
from tests.builders import MOMENT, make_extraction, make_library

OLD = make_extraction("The old policy.")
NEW = make_extraction("The new policy.")
ANSWER = Answer(prose="", anchors=(), citations=())
LIBRARY = Library(
    sources=make_library(OLD, NEW).sources,
    names=(
        DocumentName(doc_id="policy", doc_hash=OLD.document.doc_hash, since=MOMENT),
        DocumentName(
            doc_id="policy", doc_hash=NEW.document.doc_hash, since=MOMENT + timedelta(days=9)
        ),
    ),
)


def cite(doc_hash: Digest | None = None, doc_id: str | None = None) -> Citation:
    return Citation(anchor=1, quote=Quote(text="policy"), doc_hash=doc_hash, doc_id=doc_id)


@pytest.mark.parametrize(
    ("citation", "status", "codes"),
    [
        (cite(NEW.document.doc_hash), IdentityStatus.MATCH, ()),
        (cite(NEW.document.doc_hash, "policy"), IdentityStatus.MATCH, ()),
        (cite(NEW.document.doc_hash, "nobody"), IdentityStatus.MATCH, ("DOC_ID_UNKNOWN",)),
        (cite(None, "policy"), IdentityStatus.MATCH, ("HASH_NOT_GIVEN",)),
        (cite(None, str(NEW.document.doc_hash)), IdentityStatus.MATCH, ()),
        (
            cite(OLD.document.doc_hash, "policy"),
            IdentityStatus.SUPERSEDED,
            ("SUPERSEDED_NOW",),
        ),
        (cite(Digest.of(b"other"), "policy"), IdentityStatus.HASH_MISMATCH, ()),
        (cite(Digest.of(b"other")), IdentityStatus.UNKNOWN_DOCUMENT, ()),
        (cite(Digest.of(b"other"), "nobody"), IdentityStatus.UNKNOWN_DOCUMENT, ()),
        (cite(None, "nobody"), IdentityStatus.UNKNOWN_DOCUMENT, ()),
        (cite(None, "sha256:" + "A" * 64), IdentityStatus.UNKNOWN_DOCUMENT, ()),
    ],
)
def test_the_whole_hash_decides(
    citation: Citation, status: IdentityStatus, codes: tuple[str, ...]
) -> None:
    resolved = check_identity(citation, ANSWER, LIBRARY)
    assert resolved.identity.status is status
    assert resolved.codes == codes
    good = status in {IdentityStatus.MATCH, IdentityStatus.SUPERSEDED}
    assert (resolved.extraction is not None) is good


def test_a_name_stands_for_the_version_of_the_answers_day() -> None:
    then = replace(ANSWER, generated_at=MOMENT + timedelta(days=1))
    resolved = check_identity(cite(None, "policy"), then, LIBRARY)
    assert resolved.identity.doc_hash == OLD.document.doc_hash
    superseded = check_identity(cite(OLD.document.doc_hash, "policy"), then, LIBRARY)
    assert superseded.identity.status is IdentityStatus.MATCH


def test_eight_equal_hexadecimal_digits_are_no_match() -> None:
    """A published verifier compared the first eight digits only."""
    real = NEW.document.doc_hash.hex
    forged = Digest(real[:8] + ("0" if real[8] != "0" else "1") + real[9:])
    assert check_identity(cite(forged), ANSWER, LIBRARY).identity.status is (
        IdentityStatus.UNKNOWN_DOCUMENT
    )


def test_the_hash_of_the_text_is_not_the_hash_of_the_source() -> None:
    """A published verifier hashed the decoded text instead of the source bytes."""
    source = "\ufeffThe policy.\r\n"
    extraction = make_extraction(source)
    decoded = Digest.of(source.replace("\ufeff", "").replace("\r\n", "\n").encode())
    found = check_identity(cite(decoded), ANSWER, make_library(extraction))
    assert found.identity.status is IdentityStatus.UNKNOWN_DOCUMENT


def test_an_unknown_extraction_is_not_replaced_by_the_newest() -> None:
    citation = replace(cite(NEW.document.doc_hash), extraction_id=Digest.of(b"none"))
    resolved = check_identity(citation, ANSWER, LIBRARY)
    assert resolved.identity.status is IdentityStatus.UNKNOWN_EXTRACTION
    assert resolved.extraction is None


def test_a_named_extraction_is_found_beside_the_newest() -> None:
    again = make_extraction("The new policy.", pipeline="plain@2")
    library = Library(sources=(Source(document=NEW.document, extractions=(again, NEW)),))
    citation = cite(NEW.document.doc_hash)
    assert check_identity(citation, ANSWER, library).extraction is again
    by_id = replace(citation, extraction_id=NEW.extraction_id)
    assert check_identity(by_id, ANSWER, library).extraction is NEW
    by_pipeline = replace(citation, extraction_pipeline="plain@1")
    assert check_identity(by_pipeline, ANSWER, library).extraction is NEW
    unknown = check_identity(replace(citation, extraction_pipeline="x@1"), ANSWER, library)
    assert unknown.codes == ("EXTRACTION_PIPELINE_UNKNOWN",)


@pytest.mark.parametrize(
    ("chunk", "status"),
    [
        (Retrieval(chunk_id="c", span=Span(0, 20)), ChunkStatus.MATCH),
        (Retrieval(chunk_id="c", span=Span(0, 12)), ChunkStatus.MISMATCH),
        (Retrieval(chunk_id="c", text="a policy\nhere"), ChunkStatus.MATCH),
        (Retrieval(chunk_id="c", text="another"), ChunkStatus.MISMATCH),
        (Retrieval(chunk_id="c", text="policy", doc_hash=Digest.of(b"x")), ChunkStatus.MISMATCH),
        (Retrieval(chunk_id="c"), ChunkStatus.UNKNOWN_INDEX),
        (Retrieval(chunk_id="d", text="policy"), ChunkStatus.UNKNOWN_INDEX),
    ],
)
def test_the_span_must_lie_in_the_chunk_of_the_snapshot(
    chunk: Retrieval, status: ChunkStatus
) -> None:
    citation = replace(cite(NEW.document.doc_hash), chunk_id="c")
    answer = replace(ANSWER, retrieved=(chunk,))
    found, codes = check_chunk(citation, answer, NEW.document.doc_hash, Span(8, 14))
    assert found is status
    assert ("CHUNK_SPAN_MISMATCH" in codes) is (status is ChunkStatus.MISMATCH)


def test_no_chunk_given_is_said_so() -> None:
    found, codes = check_chunk(cite(None, "policy"), ANSWER, None, None)
    assert (found, codes) == (ChunkStatus.NOT_GIVEN, ())
