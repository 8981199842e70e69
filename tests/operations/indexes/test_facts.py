"""What a verdict says of the index, when it is made and when it is replayed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.citation import Answer, Citation, Quote
from spanproof.core.digest import Digest
from spanproof.core.documents.document import Library
from spanproof.core.span import Span
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.indexes.facts import with_recorded_indexes
from spanproof.operations.indexes.version import register
from spanproof.operations.replay.verification import load_stored, replay
from spanproof.operations.verification.verify import verify_payload
from spanproof.store.indexes.index_rows import NewVersion
from spanproof.verifier.identity.source import check_index
from tests.api.http.routes.test_indexes import make_row, to_lines

if TYPE_CHECKING:
    from spanproof.operations.context import Context

TEXT = "Goods are replaced within four days."
HEADER = {
    "format": "spanproof-manifest",
    "version": 1,
    "created_at": "2026-11-20T14:00:00Z",
    "extraction_pipelines": ["other@1"],
    "embedding_model": "minilm",
}


def register_version(context: Context, version: str) -> None:
    rows = to_lines(make_row(version, "text"))
    digest = Digest.of(
        json.dumps(make_row(version, "text"), sort_keys=True, separators=(",", ":")).encode()
        + b"\n"
    )
    header = HEADER | {"rows": 1, "rows_sha256": str(digest)}
    with context.store.blobs.stage() as staged:
        staged.write(json.dumps(header).encode() + b"\n" + rows)
        new = NewVersion(name="contracts", version=version, registered_at=datetime.now(UTC))
        register(context, new, staged)


def verify(context: Context, **given: Any) -> tuple[str, set[str], str]:
    citation = {
        "anchor": 1,
        "doc_hash": str(Digest.of(TEXT.encode())),
        "span": {"text": TEXT, "char_start": 0, "char_end": len(TEXT)},
    }
    answer = {"answer": "Goods are replaced [1].", "citations": [citation | given]}
    done = verify_payload(context, json.dumps(answer).encode())
    (verdict,) = done.block.verdicts
    codes = {code for code in verdict.codes if code.startswith("INDEX_")}
    return done.verification_id, codes, verdict.outcome.value


@pytest.fixture
def context(context: Context) -> Context:
    ingest_stream(
        context, [TEXT.encode()], filename=None, media_type="text/plain", doc_id=None, title=None
    )
    return context


def test_a_verdict_says_what_is_known_of_the_index_and_replays_so(context: Context) -> None:
    before = verify(context, index_version="v1", embedding_model="e5")
    assert before[1:] == (set(), "pass")
    register_version(context, "v0")
    unknown = verify(context, index_version="v1", embedding_model="e5")
    # Advice: the outcome is the same.
    assert unknown[1:] == ({"INDEX_UNKNOWN"}, "pass")
    register_version(context, "v1")
    other = verify(context, index_version="v1", embedding_model="e5")
    assert other[1:] == ({"INDEX_MODEL_MISMATCH"}, "pass")
    assert verify(context, index_version="v1", embedding_model="minilm")[1] == set()
    assert verify(context)[1] == set()
    # Each as it was then, whatever has been registered since.
    for verification_id, _, _ in (before, unknown, other):
        report = replay(context, load_stored(context, verification_id))
        assert report.stored_digest == report.recomputed_digest, report.to_json()


@pytest.mark.parametrize("code", ["INDEX_UNKNOWN", "INDEX_MODEL_MISMATCH"])
def test_what_another_store_knew_is_repeated(code: str) -> None:
    citations = tuple(
        Citation(
            anchor=n,
            quote=Quote(text="a"),
            doc_id="d",
            index_version=version,
            embedding_model="e5",
            segment=Span(0, 1),
        )
        for n, version in enumerate(("v1", "v2", None))
    )
    answer = Answer(prose="a", anchors=(), citations=citations)
    verdicts = [
        {"citation": 0, "codes": ["EXISTENCE_EXACT", code]},
        {"citation": 1, "codes": ["EXISTENCE_EXACT"]},
        {"citation": 2, "codes": ["EXISTENCE_EXACT"]},
    ]
    library = with_recorded_indexes(Library(), answer, verdicts)
    assert [check_index(each, library) for each in citations] == [(code,), (), ()]
    silent = with_recorded_indexes(Library(), answer, [{"citation": 0, "codes": []}])
    assert silent.indexes is None
