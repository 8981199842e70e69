"""Documents without page geometry through every door: text, places, verdicts, the console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.http.wire.document import LocateOut
from tests.api.conftest import check_problem, post_answer
from tests.ingest.elements.books import make_book, make_page
from tests.ingest.elements.odf.test_odt import make_cell, make_odt

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

CLAIM = "Repairs are paid within thirty days"
TABLE = (
    f"<table:table><table:table-row>{make_cell('Service')}{make_cell('Term')}</table:table-row>"
    f"<table:table-row>{make_cell('Repairs')}{make_cell(CLAIM)}</table:table-row></table:table>"
)
RTF = rb"{\rtf1\ansi\pard One.\par\pard " + CLAIM.encode() + rb".\par}"
TEXT = f"One.\r\nTwo. {CLAIM}.\r\n".encode()
EMPTY = dict.fromkeys(
    ("name", "level", "part", "slide", "sheet", "cell", "paragraph", "line", "column")
)

CASES = {
    "odt": (
        make_odt(f"<text:p>Terms</text:p>{TABLE}"),
        {"kind": "cell", "cell": "B2", "paragraph": 5},
        "paragraph 5, cell B2",
    ),
    "epub": (
        make_book(make_page("<p>One.</p>"), make_page(f"<h1>Two</h1><p>{CLAIM}.</p>")),
        {"kind": "paragraph", "part": "OPS/p2.xhtml", "paragraph": 2},
        "part OPS/p2.xhtml, paragraph 2",
    ),
    "rtf": (RTF, {"kind": "paragraph", "paragraph": 2}, "paragraph 2"),
    "txt": (TEXT, {"kind": "text", "line": 2, "column": 6}, "line 2"),
}


@pytest.fixture
def client(shared_client: TestClient) -> TestClient:
    """These tests only read, or add what no other looks at: one application is enough."""
    return shared_client


@pytest.fixture(scope="module")
def kept(shared_client: TestClient) -> dict[str, Any]:
    """A document of each format, which the application keeps."""
    rows = {}
    for name, (content, _, _) in CASES.items():
        response = shared_client.put(
            "/v1/documents", params={"filename": f"terms.{name}"}, content=content
        )
        assert response.status_code == 201, response.text
        rows[name] = response.json()
    return rows


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, kept: dict[str, Any]) -> tuple[dict[str, Any], Any, str]:
    _, place, words = CASES[request.param]
    return kept[request.param], place, words


def find_claim(client: TestClient, doc_hash: str) -> dict[str, Any]:
    found = client.get(f"/v1/documents/{doc_hash}/find", params={"quote": CLAIM}).json()
    assert found["status"] == "EXACT"
    match: dict[str, Any] = found["matches"][0]
    return match


def test_locate_names_the_block_where_there_is_no_page(
    client: TestClient, case: tuple[dict[str, Any], Any, str]
) -> None:
    document, place, _ = case
    match = find_claim(client, document["doc_hash"])
    span = {"start": match["char_start"], "end": match["char_end"]}
    path = f"/v1/documents/{document['doc_hash']}"
    row = client.get(f"{path}/locate", params=span).json()
    LocateOut.model_validate(row)
    assert row["pages"] == []
    (found,) = row["places"]
    start, end = found.pop("char_start"), found.pop("char_end")
    assert found == EMPTY | place
    block = client.get(f"{path}/text", params={"start": start, "end": end}).text
    assert CLAIM in block
    assert len(block) <= len(CLAIM) + 1
    page = 2 if place.get("part") else 1
    assert match["page"] == page


def test_an_answer_that_cites_a_block_is_exact_and_shows_its_place(
    client: TestClient, case: tuple[dict[str, Any], Any, str]
) -> None:
    document, _, words = case
    match = find_claim(client, document["doc_hash"])
    span = {"char_start": match["char_start"], "char_end": match["char_end"], "text": CLAIM}
    citation = {"anchor": 1, "doc_hash": document["doc_hash"], "span": span}
    answer = {"answer": f"{CLAIM} [1].", "citations": [citation]}
    verification = post_answer(client, answer).json()
    (verdict,) = verification["verification"]["verdicts"]
    assert verdict["existence"]["status"] == "EXACT"
    assert verdict["locator"]["status"] == "NOT_GIVEN"
    card = client.get(f"/answers/{verification['verification_id']}")
    assert card.status_code == 200
    assert f"<bdi>{words}</bdi>" in card.text
    view = client.get(verdict["view_url"])
    assert view.status_code == 200
    assert words in view.text


def test_a_page_given_for_a_document_without_pages_is_no_layout(
    client: TestClient, case: tuple[dict[str, Any], Any, str]
) -> None:
    document = case[0]
    citation = {
        "anchor": 1,
        "doc_hash": document["doc_hash"],
        "span": {"text": CLAIM},
        "pdf_locator": {"page": 1, "bbox": [0, 0, 100, 100]},
    }
    answer = {"answer": f"{CLAIM} [1].", "citations": [citation]}
    (verdict,) = post_answer(client, answer).json()["verification"]["verdicts"]
    assert verdict["locator"]["status"] == "NO_LAYOUT"


def test_there_is_no_image_of_a_document_without_pages(
    client: TestClient, case: tuple[dict[str, Any], Any, str]
) -> None:
    document = case[0]
    response = client.get(f"/v1/documents/{document['doc_hash']}/pages/1.png")
    problem = check_problem(response, 422, "MALFORMED_INPUT")
    assert document["media_type"] in problem["detail"]


def test_the_original_is_a_download_named_by_its_type(
    client: TestClient, case: tuple[dict[str, Any], Any, str]
) -> None:
    document = case[0]
    suffix = {"text/plain": ".txt", "application/rtf": ".rtf"}.get(document["media_type"])
    for path in (
        f"/v1/documents/{document['doc_hash']}/source",
        f"/view/{document['doc_hash']}/original",
    ):
        disposition = client.get(path).headers["content-disposition"]
        assert disposition.endswith(f'{suffix}"' if suffix else ('.odt"', '.epub"'))
