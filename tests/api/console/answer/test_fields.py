from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.console.test_escaping import ATTACKS, Reader

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def show(client: TestClient, names: str = "field", **payload: Any) -> str:
    """The page of an answer whose markers were read."""
    body = {
        "response": "It is in progress [[T:status]], late [[T:due]].",
        "context": {
            "ticket": {"fields": {"status": "in progress", "owner": "Ada"}},
            "secret": {"fields": {"pin": "1234"}, "hidden": True},
        },
        "registry": {"prefixes": {"T": "ticket"}},
    } | payload
    response = client.post(f"/v1/verifications?format={names}", content=json.dumps(body).encode())
    assert response.status_code == 200, response.text
    page = client.get(f"/answers/{response.json()['verification_id']}")
    assert page.status_code == 200
    return page.text


def test_the_page_shows_fields_source_and_what_was_dropped(client: TestClient) -> None:
    page = show(client)
    reader = Reader()
    reader.feed(page)
    text = " ".join(reader.text.split())
    assert "Fields citation" in text
    assert "1.00 marker status: in progress" in text
    assert "over-cited: 2 markers in 5 tokens" in text
    assert "UNKNOWN_FIELD [[T:due]]" in text
    assert "Hidden sections: secret." in text
    assert "1234" not in text


def test_a_marked_value_that_does_not_stand_there_is_told(client: TestClient) -> None:
    page = show(client, response="Somebody has it [[T:owner]].")
    assert "its value is not in the answer" in page


@pytest.mark.parametrize("attack", ATTACKS)
def test_names_values_and_sections_are_text(client: TestClient, attack: str) -> None:
    plain, attacked = Reader(), Reader()
    for reader, word in ((plain, "word"), (attacked, attack)):
        context = {word: {"fields": {word: word}}, "hidden one": {"fields": {}, "hidden": True}}
        registry = {"prefixes": {"T": word}}
        reader.feed(show(client, response=f"4 times {word}!", context=context, registry=registry))
    assert attacked.tags == plain.tags


def test_other_formats_have_no_such_section(client: TestClient, document: dict[str, Any]) -> None:
    answer = {
        "answer": "It is so [1].",
        "citations": [{"anchor": 1, "doc_hash": document["doc_hash"], "span": {"text": "so"}}],
    }
    made = client.post("/v1/verifications", content=json.dumps(answer).encode()).json()
    assert "fields-title" not in client.get(f"/answers/{made['verification_id']}").text
