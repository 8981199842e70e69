from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from spanproof.api.http.requests.access import parse_marked_spans
from spanproof.api.http.wire.document import FindOut, LocateOut
from spanproof.operations.errors import MalformedParameterError
from tests import sources
from tests.api.conftest import check_problem

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


@pytest.fixture
def client(shared_client: TestClient) -> TestClient:
    """These tests only read, or add what no other looks at: one application is enough."""
    return shared_client


@pytest.fixture
def document(shared_document: dict[str, Any]) -> dict[str, Any]:
    return shared_document


@pytest.fixture
def path(document: dict[str, Any]) -> str:
    return f"/v1/documents/{document['doc_hash']}"


def test_the_text_is_the_canonical_one_byte_for_byte(
    client: TestClient, document: dict[str, Any], path: str
) -> None:
    response = client.get(f"{path}/text")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.headers["x-extraction-id"] == document["extraction_id"]
    assert len(response.content.decode()) == document["characters"]
    start = response.text.index(sources.SECOND)
    end = start + len(sources.SECOND)
    cut = client.get(f"{path}/text?start={start}&end={end}")
    assert cut.content == sources.SECOND.encode()


@pytest.mark.parametrize("unit", ["codepoint", "utf16", "utf8"])
def test_offsets_count_what_the_unit_says(client: TestClient, unit: str) -> None:
    text = "A 𝔘nit: 5 €."
    ref = client.put("/v1/documents", content=text.encode()).json()["doc_hash"]
    codec = {"codepoint": "utf-32-le", "utf16": "utf-16-le", "utf8": "utf-8"}[unit]
    size = {"codepoint": 4, "utf16": 2, "utf8": 1}[unit]
    start = len("A 𝔘".encode(codec)) // size
    end = len("A 𝔘nit: 5 €".encode(codec)) // size
    response = client.get(
        f"/v1/documents/{ref}/text", params={"start": start, "end": end, "unit": unit}
    )
    assert response.content == "nit: 5 €".encode()
    rest = client.get(f"/v1/documents/{ref}/text", params={"start": start, "unit": unit})
    assert rest.content == "nit: 5 €.".encode()


def test_an_offset_inside_a_character_is_a_problem(client: TestClient) -> None:
    ref = client.put("/v1/documents", content="A 𝔘nit.".encode()).json()["doc_hash"]
    for unit in ("utf16", "utf8"):
        response = client.get(
            f"/v1/documents/{ref}/text", params={"start": 3, "end": 5, "unit": unit}
        )
        check_problem(response, 422, "MALFORMED_SPAN")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("start=5&end=4", "MALFORMED_SPAN"),
        ("start=0&end=1000000", "MALFORMED_SPAN"),
        (f"start=0&end={10**30}", "MALFORMED_SPAN"),
        ("start=-1&end=4", "MALFORMED_PARAMETER"),
        ("start=a&end=4", "MALFORMED_PARAMETER"),
        ("start=0&end=4&unit=bytes", "MALFORMED_PARAMETER"),
    ],
)
@pytest.mark.parametrize("route", ["text", "locate"])
def test_bad_offsets_are_a_problem(
    client: TestClient, path: str, route: str, query: str, code: str
) -> None:
    check_problem(client.get(f"{path}/{route}?{query}"), 422, code)


def test_locate_names_page_box_and_quads(client: TestClient, path: str) -> None:
    response = client.get(f"{path}/locate", params={"start": 0, "end": len(sources.SENTENCE)})
    assert response.status_code == 200
    row = response.json()
    LocateOut.model_validate(row)
    assert row["text"] == sources.SENTENCE
    (place,) = row["pages"]
    assert place["page"] == 1
    assert len(place["quads"]) == 1
    assert len(place["quads"][0]) == 8
    x0, y0, x1, y1 = place["bbox"]
    # Written at (72, 100) from the top left, in 11 points.
    assert abs(x0 - 72) < 2
    assert 85 < y0 < 100 < y1 < 106
    assert x1 > 300


def test_locate_needs_both_offsets(client: TestClient, path: str) -> None:
    check_problem(client.get(f"{path}/locate?start=0"), 422, "MALFORMED_PARAMETER")


def test_find_gives_the_place_of_a_quote(client: TestClient, path: str) -> None:
    row = client.get(f"{path}/find", params={"quote": sources.SECOND}).json()
    FindOut.model_validate(row)
    assert row["status"] == "EXACT"
    (match,) = row["matches"]
    assert match["text"] == sources.SECOND
    assert match["page"] == 1
    assert row["nearest"] == []


def test_find_shows_the_nearest_words_of_an_altered_quote(client: TestClient, path: str) -> None:
    altered = sources.SENTENCE.replace("four", "five")
    row = client.get(f"{path}/find", params={"quote": altered}).json()
    assert row["status"] == "ALTERED"
    assert row["matches"] == []
    assert "four" in row["nearest"][0]["text"]


def test_find_without_words_is_a_problem(client: TestClient, path: str) -> None:
    check_problem(client.get(f"{path}/find", params={"quote": "  "}), 422, "MALFORMED_INPUT")
    check_problem(client.get(f"{path}/find"), 422, "MALFORMED_PARAMETER")


def _read_png(content: bytes) -> bytes:
    with Image.open(io.BytesIO(content)) as picture:
        assert picture.format == "PNG"
        return picture.tobytes()


def test_a_page_image_shows_the_span(client: TestClient, path: str) -> None:
    plain = client.get(f"{path}/pages/1.png")
    assert plain.headers["content-type"] == "image/png"
    end = len(sources.SENTENCE)
    marked = client.get(f"{path}/pages/1.png?start=0&end={end}")
    same = client.get(f"{path}/pages/1.png?span=0-{end}")
    failed = client.get(f"{path}/pages/1.png?span=0-{end}:fail&span={end + 1}-{end + 9}:pass")
    pictures = [_read_png(each.content) for each in (plain, marked, same, failed)]
    assert pictures[0] != pictures[1]
    assert pictures[1] == pictures[2]
    assert pictures[1] != pictures[3]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("span=1", "MALFORMED_PARAMETER"),
        ("span=1-2:great", "MALFORMED_PARAMETER"),
        ("span=9-3", "MALFORMED_SPAN"),
        ("span=0-999999", "MALFORMED_SPAN"),
        ("start=3", "MALFORMED_SPAN"),
    ],
)
def test_a_bad_span_to_draw_is_a_problem(
    client: TestClient, path: str, query: str, code: str
) -> None:
    check_problem(client.get(f"{path}/pages/1.png?{query}"), 422, code)


def test_a_page_that_is_not_there_is_a_problem(client: TestClient, path: str) -> None:
    check_problem(client.get(f"{path}/pages/2.png"), 404, "PAGE_NOT_FOUND")
    check_problem(client.get(f"{path}/pages/0.png"), 422, "MALFORMED_PARAMETER")


def test_a_text_has_no_page_image(client: TestClient) -> None:
    ref = client.put("/v1/documents", content=b"Some words.").json()["doc_hash"]
    check_problem(client.get(f"/v1/documents/{ref}/pages/1.png"), 422, "MALFORMED_INPUT")


def test_every_bad_span_is_named() -> None:
    with pytest.raises(MalformedParameterError) as caught:
        parse_marked_spans(["1-2", "x", "3-4:no"])
    assert [problem.got for problem in caught.value.problems] == ["'x'", "'3-4:no'"]
