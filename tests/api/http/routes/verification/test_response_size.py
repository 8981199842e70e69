"""Whatever is sent, the whole response of a route that answers by it is bounded by the payload."""

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


#: Fields of each route that may be anything; what is repeated to no end is in ``GREEDY``.
TURN = {"role": "assistant", "response": "Yes, 1.", "context": {"t": {"fields": {"f": "yes"}}}}
TEXTS = [{"text": "Goods are replaced."}, {"text": SENTENCE, "doc_id": "terms", "chunk_id": "c"}]
FIELDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "attributions": {
        "answer": st.lists(PIECES, max_size=8).map(
            lambda pieces: "".join(words * times for words, times in pieces)
        ),
        "tool_results": st.lists(
            st.sampled_from([{"tool_name": "web_scrape", "output": SENTENCE}, {"tool_name": "a"}]),
            max_size=4,
        ),
        "documents": st.sampled_from([["terms"], ["terms"] * 200, ["a"], [{}]]),
        "retrieved": st.lists(st.sampled_from(TEXTS), max_size=4),
    },
    "clean-texts": {
        "text": st.lists(PIECES, max_size=8).map(
            lambda pieces: "".join(words * times for words, times in pieces)
        ),
        "grammars": st.sampled_from([None, [], ["chunk"], ["a"]]),
    },
    "prompts": {
        "grammar": st.sampled_from(["numbered", "chunk", "ref", "field"]),
        "retrieved": st.tuples(st.sampled_from(TEXTS), MANY).map(
            lambda drawn: [drawn[0]] * drawn[1]
        ),
        "context": st.sampled_from([None, TURN["context"]]),
    },
    "fields": {
        "role": st.just("assistant"),
        "response": st.tuples(st.sampled_from(["yes ", "[[t:f]]", "[[a:b]] "]), MANY).map(
            lambda drawn: drawn[0] * drawn[1]
        ),
        "context": st.integers(1, 50).map(
            lambda count: {"t" * count: {"fields": {f"f{at}": "yes" for at in range(count)}}}
        ),
    },
    "fields/calibrations": {
        "rows": MANY.map(lambda count: [TURN | {"labels": {"t.f": True}}] * count),
    },
    "answers": {"answer": st.just("So [1]."), "citations": st.tuples(THINGS, MANY).map(list)},
}
WIDE = {"s" * 900: {"fields": {f"f{at}": "yes" for at in range(2000)}}}
GREEDY: dict[str, Json] = {
    "attributions": {"answer": "No. " * 2500, "retrieved": [{"text": "No."}] * 9},
    "clean-texts": {"text": "[1]" * 3000},
    "prompts": {"grammar": "field", "context": WIDE},
    "fields": TURN | {"response": "yes " * 3000, "context": WIDE},
}


@pytest.mark.parametrize("route", FIELDS)
@tuned(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_other_responses_are_bounded_too(kept: TestClient, route: str, data: st.DataObject) -> None:
    body = data.draw(st.fixed_dictionaries({}, optional=FIELDS[route]))
    separators = data.draw(SPACED)
    raw = json.dumps(body, ensure_ascii=False, separators=separators).encode()
    response = kept.post(f"/v1/{route}", content=raw)
    assert response.status_code in {200, 202, 422}, response.text[:300]
    assert len(response.content) <= most_response_bytes(len(raw))


@pytest.mark.parametrize("route", GREEDY)
def test_a_short_payload_that_asks_for_much_is_refused(kept: TestClient, route: str) -> None:
    response = kept.post(f"/v1/{route}", json=GREEDY[route])
    assert response.status_code == 422
    assert response.json()["code"] == "ANSWER_TOO_DENSE"
