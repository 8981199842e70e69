"""Whatever is sent, the whole response of ``POST /v1/verifications`` is bounded by the payload."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as tuned
from hypothesis import strategies as st

from spanproof.verifier.extent import most_response_bytes
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

Json = dict[str, Any]
QUOTES = (SENTENCE, "e", "the", SENTENCE[:30], SENTENCE.replace("four", "five"), "x" * 200)
PIECES = st.tuples(
    st.sampled_from(
        ["Goods are replaced. ", "[1]", "[2]. ", "[3] ", "No. ", "\u4e00\u3002", "\x01"]
    ),
    st.integers(1, 60),
)
#: Bodies of a field that may be anything; each may stand there some hundred times.
THINGS: st.SearchStrategy[Any] = st.sampled_from(
    [{}, 1, 1e300, 1e15, "a", None, [], {"text": "a"}, {"text": SENTENCE}, {"anchor": 1}, [[[]]]]
)
CITATIONS = st.fixed_dictionaries(
    {
        "anchor": st.integers(1, 3),
        "doc_id": st.just("terms"),
        "span": st.sampled_from(QUOTES).map(lambda text: {"text": text}),
    }
)
MANY = st.integers(1, 300)
SPACED = st.sampled_from([(",", ":"), (", ", ": ")])


@pytest.fixture(scope="module")
def kept(shared_client: TestClient) -> TestClient:
    """A service that has the document 'terms'."""
    shared_client.put("/v1/documents?doc_id=terms", content=SENTENCE.encode())
    return shared_client


@tuned(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    pieces=st.lists(PIECES, max_size=8),
    citations=st.lists(st.tuples(st.one_of(CITATIONS, THINGS), MANY), max_size=4),
    more=st.dictionaries(
        st.sampled_from(["retrieved", "documents", "labels", "question", "own"]),
        st.tuples(THINGS, MANY).map(lambda drawn: [drawn[0]] * drawn[1]),
        max_size=2,
    ),
    separators=SPACED,
)
@example(
    pieces=[("Goods are replaced [1]. ", 30)],
    citations=[({"anchor": 1, "doc_id": "terms", "span": {"text": SENTENCE}}, 1)],
    more={"own": [1e15] * 500},
    separators=(",", ":"),
)
@example(
    pieces=[("No. ", 1)],
    citations=[({}, 20_000)],
    more={"retrieved": [{}] * 300},
    separators=(",", ":"),
)
def test_response_is_bounded_by_the_payload(
    kept: TestClient,
    pieces: list[tuple[str, int]],
    citations: list[tuple[Any, int]],
    more: Json,
    separators: tuple[str, str],
) -> None:
    listed = [one for one, times in citations for _ in range(times)]
    answer = {"answer": "".join(words * times for words, times in pieces), "citations": listed}
    raw = json.dumps(answer | more, ensure_ascii=False, separators=separators).encode()
    response = kept.post("/v1/verifications", content=raw)
    assert response.status_code in {200, 422}, response.text[:300]
    assert len(response.content) <= most_response_bytes(len(raw))


def test_receipt_that_does_not_fit_is_at_its_address(kept: TestClient) -> None:
    many = 60
    answer = {
        "answer": " ".join(f"Goods of lot {at} are replaced [{at}]." for at in range(many)),
        "citations": [
            {"anchor": at, "doc_id": "terms", "span": {"text": SENTENCE}} for at in range(many)
        ],
    }
    raw = json.dumps(answer).encode()
    response = kept.post("/v1/verifications", content=raw)
    body = response.json()
    assert len(body["verification"]["verdicts"]) == many
    assert body["receipt"] is None
    receipt = kept.get(body["receipt_url"])
    assert receipt.json()["mediaType"].startswith("application/vnd.dev.sigstore.bundle")
    assert len(response.content) + len(receipt.content) > most_response_bytes(len(raw))
    assert kept.get(response.headers["content-location"]).json() == body


def test_receipt_that_fits_comes_with_its_response(kept: TestClient) -> None:
    span = {"text": SENTENCE}
    answer = {"answer": "So [1].", "citations": [{"anchor": 1, "doc_id": "terms", "span": span}]}
    body = kept.post("/v1/verifications", json=answer).json()
    assert kept.get(body["receipt_url"]).json() == body["receipt"]


def test_errors_name_the_first_of_many_problems(kept: TestClient) -> None:
    raw = b'{"answer":"a","citations":[' + b",".join([b"{}"] * 50_000) + b"]}"
    response = kept.post("/v1/verifications", content=raw)
    assert response.status_code == 422
    problem = response.json()
    assert len(problem["errors"]) == 32
    assert problem["errors"][0]["pointer"] == "/citations/0/anchor"
    assert "31 or more others" in problem["detail"]
