"""The first page over the doors: counts, links, saved views, CSV, ETags, and errors as pages."""

from __future__ import annotations

import gzip
import re
from html import unescape
from typing import TYPE_CHECKING, Any

from spanproof.operations.documents.locate import PageImages
from tests.api.conftest import make_answer, post_answer

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from tests.api.access import Guarded

PAGE = {"accept": "text/html"}


def test_the_first_page_counts_filters_and_saves(
    client: TestClient, document: dict[str, Any]
) -> None:
    for model, quote in (("m&1", None), ("m2", "Nobody ever wrote these peculiar words.")):
        answer = make_answer(document, **({} if quote is None else {"span": {"text": quote}}))
        answer |= {"generator": {"model": model}, "labels": {"team": "claims"}}
        assert post_answer(client, answer).status_code == 200
    page = client.get("/").text
    assert "50 % of these answers fail (95 % interval" in page
    assert "▲ 2 more than the 0 before" in page
    links = [unescape(each) for each in re.findall(r'href="(/\?[^"]+)"', page)]
    (link,) = {each for each in links if "generator_model=m%261" in each}
    assert link == "/?period=30&generator_model=m%261"
    narrowed = client.get(link).text
    assert "0 % of these answers fail" in narrowed
    assert 'aria-label="Remove the filter Generator model"' in narrowed
    assert "Answers 1 to 1 of 1" in narrowed
    found = client.get("/?q=peculiar").text
    assert "Answers 1 to 1 of 1" in found
    # Each bar of the chart and each line of its table are the same answers.
    bar = next(each for each in links if "since=" in each)
    assert "Answers 1 to 2 of 2" in client.get(bar).text

    table = client.get("/answers.csv?q=peculiar")
    assert table.headers["content-disposition"] == 'attachment; filename="answers.csv"'
    assert [line.split(",")[2] for line in table.text.split("\r\n")[:2]] == ["result", "fail"]
    assert client.get("/answers.csv?skip=x").status_code == 422

    own = {"origin": "http://127.0.0.1"}
    form = {"name": " Claims <team> ", "query": "label=team%3Dclaims&evil=1&sort=failures"}
    saved = client.post("/views", data=form, headers=own, follow_redirects=False)
    assert (saved.status_code, saved.headers["location"]) == (
        303,
        "/?label=team%3Dclaims&sort=failures",
    )
    shown = client.get("/").text
    assert '<a href="/?label=team%3Dclaims&amp;sort=failures"><bdi>Claims &lt;team&gt;' in shown
    (remove,) = re.findall(r'action="(/views/[0-9a-f]+/remove)"', shown)
    for refused in ({"name": "", "query": "q=x"}, {"name": "x", "query": "sort=best"}):
        assert client.post("/views", data=refused, headers=own).status_code == 422
    assert client.post("/views", data=form, headers={"origin": "http://evil"}).status_code == 403
    assert client.post(remove, headers={"origin": "http://evil"}).status_code == 403
    assert "Claims &lt;team&gt;" in client.get("/").text
    assert client.post(remove, headers=own).status_code == 200
    assert "Claims &lt;team&gt;" not in client.get("/").text


def test_what_a_reader_has_is_not_sent_again(client: TestClient, document: dict[str, Any]) -> None:
    assert post_answer(client, make_answer(document)).status_code == 200
    picture = f"/v1/documents/{document['doc_hash']}/pages/1.png"
    for path in ("/", "/log", picture):
        first = client.get(path)
        again = client.get(path, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b""), path
        assert again.headers["etag"] == first.headers["etag"]
        assert client.get(path, headers={"if-none-match": '"other"'}).status_code == 200
    for asked, coding in (("gzip, br", "gzip"), ("gzip;q=0", None), ("", None)):
        with client.stream("GET", "/", headers={"accept-encoding": asked}) as response:
            raw = b"".join(response.iter_raw())
        assert response.headers.get("content-encoding") == coding
        assert response.headers["vary"] == "Accept-Encoding"
        assert b"Results over time" in (gzip.decompress(raw) if coding else raw)
        assert len(raw) < (6_000 if coding else 60_000)


def test_pictures_are_kept_up_to_a_number_of_bytes() -> None:
    images = PageImages(max_bytes=5)
    drawn: list[str] = []

    def draw(name: str) -> bytes:
        def note() -> bytes:
            drawn.append(name)
            return b"123"

        return images.find((name,), note)

    assert [draw("a"), draw("a"), draw("b"), draw("a")] == [b"123"] * 4
    assert drawn == ["a", "b", "a"]


def test_a_browser_gets_its_errors_as_pages_and_a_program_as_problems(guarded: Guarded) -> None:
    key = guarded.make_key("default", "ingest")
    reader = guarded.make_key("default", "read")
    for path, who, status, words in (
        ("/nosuch", reader, 404, "Not found"),
        ("/", key, 403, "Your key may not see this"),
        ("/reviews", reader, 403, "Your key may not see this"),
        ("/answers/nosuch", reader, 404, "Not found"),
        ("/static/console/nosuch", reader, 404, "Not found"),
    ):
        page = guarded.ask("GET", path, who, headers=PAGE)
        assert page.status_code == status, path
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["content-security-policy"].startswith("default-src 'none'")
        assert f"<h1>{words}</h1>" in page.text
        assert "/openapi.json for" not in page.text
    for path in ("/nosuch", "/v1/nosuch"):
        asked = {} if path == "/nosuch" else PAGE
        problem = guarded.ask("GET", path, reader, headers=asked)
        assert problem.headers["content-type"] == "application/problem+json"
    # Who may only read sees no button that would save.
    listed = guarded.ask("GET", "/?q=x", reader, headers=PAGE)
    assert listed.status_code == 200
    assert "Name of this view" not in listed.text
