from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from fastapi.testclient import TestClient

from spanproof.api.console.triage.page import ROWS_PER_PAGE
from spanproof.api.http.app import create_app
from spanproof.verifier.entailment import EntailmentNotRunWarning
from tests.api.conftest import context_of, make_answer, post_answer
from tests.sources import SECOND, SENTENCE, make_pdf

if TYPE_CHECKING:
    from spanproof.operations.settings import Settings


def verify(client: TestClient, answer: dict[str, Any]) -> str:
    response = post_answer(client, answer)
    assert response.status_code in (200, 201), response.text
    return str(response.json()["verification_id"])


def read_page(client: TestClient, path: str, *, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-security-policy"].startswith("default-src 'none'")
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "private, no-cache"
    return response.text


def find_link(page: str, start: str) -> str:
    found = re.search(rf'"({re.escape(start)}[^"]*)"', page)
    assert found, f"no link to {start}"
    return found.group(1).replace("&amp;", "&")


def test_an_empty_list_says_how_to_begin(client: TestClient) -> None:
    page = read_page(client, "/")

    assert "Nothing has been verified yet" in page
    assert "spanproof ingest" in page
    assert "spanproof verify" in page


def test_the_list_leads_to_the_answer_and_its_span(
    client: TestClient, document: dict[str, Any]
) -> None:
    answer = make_answer(document, doc_title="Agreement") | {"question": "When replaced?"}
    identity = verify(client, answer)

    listed = read_page(client, "/")
    shown = read_page(client, find_link(listed, f"/answers/{identity}"))
    span = read_page(client, find_link(shown, f"/view/{document['doc_hash']}/sha256:"))

    assert "When replaced?" in listed
    assert f"<mark>{SENTENCE}</mark>" in shown
    assert f"<mark>{SENTENCE}</mark>" in span
    assert document["text_sha256"] in span or document["extraction_id"] in span


def test_every_link_of_ours_on_the_pages_works(
    client: TestClient, document: dict[str, Any]
) -> None:
    identity = verify(client, make_answer(document))
    seen: dict[tuple[str, frozenset[str]], str] = {}
    waiting = ["/", f"/answers/{identity}"]
    while waiting:
        link = waiting.pop()
        path, _, query = link.partition("?")
        # The filters of the list lead to thousands of pages: one of each filter will do.
        names = frozenset(parse_qs(query))
        if (path, names) in seen or (path == "/" and len(names - {"since", "until"}) > 1):
            continue
        seen[path, names] = link
        response = client.get(link)
        assert response.status_code == 200, f"{link}: {response.text}"
        if response.headers["content-type"].startswith("text/html"):
            found = re.findall(r'(?:href|src)="(/[^"#]*)', response.text)
            waiting.extend(each.replace("&amp;", "&") for each in found)

    assert any(path.endswith(".png") for path in seen.values())
    assert any(path.startswith("/view/") and path.endswith("/original") for path in seen.values())
    assert any("/locate?" in path for path in seen.values())


def test_filters_narrow_the_list(client: TestClient, document: dict[str, Any]) -> None:
    good = verify(client, make_answer(document))
    absent = {"text": "Nobody ever wrote these peculiar seven words.", "char_start": None}
    bad = verify(client, make_answer(document, span={"text": absent["text"]}))

    for query, shown, hidden in (
        ("result=pass", good, bad),
        ("result=fail", bad, good),
        ("outcome=fail", bad, good),
        ("code=EXISTENCE_ABSENT", bad, good),
    ):
        page = read_page(client, f"/?{query}&code=" if "code" not in query else f"/?{query}")
        assert f"/answers/{shown}" in page, query
        assert f"/answers/{hidden}" not in page, query
    for query in ("since=2999-01-01", "until=2001-01-01", "doc_hash=sha256:" + "0" * 64):
        assert "No verification matches" in read_page(client, f"/?{query}")
    found = read_page(client, f"/?doc_hash={document['doc_hash']}&page=1")
    assert f"/answers/{good}" in found


@pytest.mark.parametrize(
    "query",
    [
        "doc_hash=sha256:AB",
        "since=yesterday",
        "result=splendid",
        "page=0",
        "skip=nonsense",
        "code=" + "%00",
    ],
)
def test_a_wrong_filter_is_said_and_never_ignored(client: TestClient, query: str) -> None:
    response = client.get(f"/?{query}")

    assert response.status_code in (200, 422)
    expected = "No verification" if query.startswith("code") else "The filter cannot be used"
    assert expected in response.text


def test_the_list_goes_on_page_by_page(client: TestClient, document: dict[str, Any]) -> None:
    made = {verify(client, make_answer(document)) for _ in range(ROWS_PER_PAGE + 3)}

    first = read_page(client, "/?result=pass")
    second = read_page(client, find_link(first, "/?result=pass&amp;skip="))
    shown = [set(re.findall(r'"/answers/([^"]+)"', page)) for page in (first, second)]

    assert [len(ids) for ids in shown] == [ROWS_PER_PAGE, 3]
    assert shown[0] | shown[1] == made
    assert 'rel="next"' not in second
    assert ">Previous<" in second
    assert f"Answers 1 to {ROWS_PER_PAGE} of {len(made)}" in first


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/answers/unknown", 404),
        ("/answers/..%2f..%2fetc", 404),
        (f"/view/sha256:{'0' * 64}/sha256:{'0' * 64}/0/5", 404),
        ("/view/sha256:0/sha256:0/0/5", 422),
        (f"/view/sha256:{'0' * 64}/sha256:{'0' * 64}/5/0", 422),
        (f"/view/sha256:{'0' * 64}/sha256:{'0' * 64}/-1/5", 422),
        (f"/view/sha256:{'0' * 64}/sha256:{'0' * 64}/0/{'9' * 5000}", 422),
        (f"/view/sha256:{'0' * 64}/original", 404),
        ("/static/console/routes.py", 404),
    ],
)
def test_what_cannot_be_shown_is_said_on_a_page(client: TestClient, path: str, status: int) -> None:
    response = client.get(path)

    assert response.status_code == status
    if response.headers["content-type"].startswith("text/html"):
        assert "Back to the list" in response.text
        assert "Traceback" not in response.text


def test_a_span_page_needs_the_document_that_its_extraction_reads(
    client: TestClient, document: dict[str, Any]
) -> None:
    other = client.put("/v1/documents", content=make_pdf(SECOND)).json()
    path = f"/view/{other['doc_hash']}/{document['extraction_id']}/0/5"

    assert "Not found" in read_page(client, path, status=404)


def test_a_span_beyond_the_text_is_refused(client: TestClient, document: dict[str, Any]) -> None:
    path = f"/view/{document['doc_hash']}/{document['extraction_id']}/0/999999"

    assert "Expected a span inside" in read_page(client, path, status=422)


def test_the_original_comes_as_it_was_sent(client: TestClient, document: dict[str, Any]) -> None:
    pdf = client.get(f"/view/{document['doc_hash']}/original")
    note = b"# <script>alert(1)</script>\n"
    text = client.put(
        "/v1/documents", content=note, headers={"Content-Type": "text/markdown"}
    ).json()
    shown = client.get(f"/view/{text['doc_hash']}/original")

    assert pdf.content.startswith(b"%PDF")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.headers["content-disposition"].startswith("inline")
    assert shown.content == note
    assert shown.headers["content-type"] == "text/plain; charset=utf-8"
    assert shown.headers["content-security-policy"].startswith("sandbox")
    assert shown.headers["x-content-type-options"] == "nosniff"


def test_a_missing_model_is_shown_as_not_run_and_never_as_a_pass(settings: Settings) -> None:
    without = settings.model_copy(update={"model": Path("no-such-model")})
    with TestClient(create_app(without), "http://127.0.0.1") as client:
        document = client.put("/v1/documents", content=make_pdf()).json()
        with pytest.warns(EntailmentNotRunWarning):
            identity = verify(client, make_answer(document))
        page = read_page(client, f"/answers/{identity}")

    assert "NOT_RUN (" in page
    assert "This is not a pass." in page
    assert 'class="summary error"' in page


def test_a_record_that_cannot_be_read_hides_no_other(
    client: TestClient, document: dict[str, Any]
) -> None:
    good = verify(client, make_answer(document))
    context = client.app.state.context  # type: ignore[attr-defined]
    block = client.get(f"/v1/verifications/{good}").json()["verification"]
    context.store.answers.add(
        json.dumps(["not an answer"]).encode(),
        block,
        verification_id="strange",
        answer_id="strange",
        verified_at=context.store.answers.load(good).verified_at,
    )

    page = read_page(client, "/")

    assert f"/answers/{good}" in page
    assert "the answer cannot be read" in page
    assert "This cannot be shown" in read_page(client, "/answers/strange", status=422)


def test_the_logs_page_shows_its_head_and_how_to_check_it(
    client: TestClient, document: dict[str, Any]
) -> None:
    empty = client.get("/log")
    assert empty.status_code == 200
    assert "There is no log yet" in empty.text
    assert post_answer(client, make_answer(document)).status_code == 200
    head, note = context_of(client).log.latest()
    page = client.get("/log")
    assert page.status_code == 200
    assert head.origin in page.text
    assert head.root.hex() in page.text
    assert f"<dd>{head.size}</dd>" in page.text
    assert note.split("\n")[0] in page.text
    assert "audit fsck http://127.0.0.1/v1/log" in page.text
    assert 'href="/v1/log/checkpoint"' in page.text
    assert "its statement has no time" not in page.text
    # A leaf that is no statement of ours has no time, and breaks nothing.
    context_of(client).log.include(b"bare")
    assert "its statement has no time" in client.get("/log").text


def test_a_text_of_the_request_is_not_shown_as_a_document(client: TestClient) -> None:
    retrieved = [{"text": SENTENCE, "doc_id": "lease.pdf"}]
    answer = {"answer": f"{SENTENCE[:-1]} [1].", "citations": [], "retrieved": retrieved}
    page = read_page(client, f"/answers/{verify(client, answer)}")
    assert "Text of the request: lease.pdf" in page
    assert "Text of the request, no document" in page
    assert "Answers that cite this document" not in page
    assert "/view/" not in page
    assert 'role="alert"' not in page
    listed = read_page(client, "/")
    assert "text lease.pdf" in listed
