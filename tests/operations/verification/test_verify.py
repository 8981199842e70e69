"""The use case behind ``verify`` and ``POST /v1/verifications``: typed errors and no others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError, MalformedAnswerError, UnknownPolicyError
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.verification.judging import list_documents
from spanproof.operations.verification.request import VerificationRequest
from spanproof.operations.verification.stored import show_verification
from spanproof.operations.verification.verify import verify_payload
from spanproof.verifier.formats.native import parse_answer
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from spanproof.operations.context import Context

TEXT = f"{SENTENCE}\nIt is governed by the law of Austria."


@pytest.fixture
def kept(context: Context) -> Context:
    ingest_stream(context, [TEXT.encode()], media_type=None, filename="a.txt", doc_id="agreement")
    return context


def _answer(**changes: Any) -> dict[str, Any]:
    citation = {"anchor": 1, "doc_id": "agreement", "span": {"text": SENTENCE}}
    return {"answer": "It is replaced soon [1].", "citations": [citation | changes]}


def test_block_and_payload_are_kept_as_they_are(kept: Context) -> None:
    raw = json.dumps(_answer(), indent=1).encode()
    verification = verify_payload(kept, raw)
    assert kept.store.answers.load(verification.verification_id).raw == raw
    shown = show_verification(kept, verification.verification_id)
    assert shown == json.loads(json.dumps(verification.response))


def test_a_verification_in_the_payload_is_not_taken_for_ours(kept: Context) -> None:
    forged = _answer(span={"text": "The moon is made of green cheese and honey."})
    forged["verification"] = {"result": "pass"}
    response = verify_payload(kept, json.dumps(forged).encode()).response
    assert response["verification"]["result"] == "fail"


def test_what_is_not_well_formed_is_not_kept(kept: Context) -> None:
    with pytest.raises(MalformedAnswerError):
        verify_payload(kept, b"{}")
    with pytest.raises(UnknownPolicyError):
        verify_payload(kept, json.dumps(_answer()).encode(), VerificationRequest(policy="lenient"))
    with pytest.raises(InputError):
        verify_payload(kept, json.dumps(_answer()).encode(), VerificationRequest(format="runes"))
    assert kept.store.answers.list().items == ()


def test_every_supplied_document_is_listed_once() -> None:
    hashes = ["sha256:" + digit * 64 for digit in "abc"]
    raw = {
        "answer": "Yes [1].",
        "documents": [hashes[0], "named", hashes[0]],
        "retrieved": [{"chunk_id": "c", "doc_hash": hashes[1], "doc_id": "chunked"}],
        "citations": [
            {"anchor": 1, "doc_hash": hashes[2], "doc_id": "cited", "span": {"text": "a"}}
        ],
    }
    answer = parse_answer(json.dumps(raw).encode()).answer
    assert list_documents(answer) == (
        [Digest.parse(each) for each in hashes],
        ["named", "chunked", "cited"],
    )


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from([SENTENCE, "agreement", "utf8", "[1]", "sha256:" + "a" * 64]),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "char_start", "char_end", "page"]), inner)
    ),
    max_leaves=6,
)
_CITATION_FIELDS = st.sampled_from(
    ["anchor", "span", "doc_id", "doc_hash", "pdf_locator", "chunk_id", "retrieval_score"]
)
_FIELDS = st.sampled_from(
    ["answer", "documents", "retrieved", "labels", "generated_at", "generator", "question"]
)


@tuned(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    changes=st.dictionaries(_CITATION_FIELDS, _VALUES, max_size=2),
    more=st.dictionaries(_FIELDS, _VALUES, max_size=2),
)
def test_any_payload_is_verified_or_refused(
    kept: Context, changes: dict[str, Any], more: dict[str, Any]
) -> None:
    raw = json.dumps(_answer(**changes) | more).encode()
    try:
        response = verify_payload(kept, raw).response
    except InputError:
        return
    json.dumps(response, allow_nan=False)
    assert response["verification"]["result"] in ("pass", "fail", "review", "error")
