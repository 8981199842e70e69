"""The playground: a document is read, a citation or an answer is judged, and nothing is kept."""

from __future__ import annotations

import json
import re
import time
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from spanproof.api.console.playground.forms import read_upload
from spanproof.core.errors import InputError
from tests.api.console.kinds import QUOTES, make_documents
from tests.api.console.test_escaping import ATTACKS, check_harmless
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from spanproof.operations.access.keys import NewKey
    from tests.api.access import Guarded

NAME = "terms.html"


@pytest.fixture(scope="module")
def key(guarded: Guarded) -> NewKey:
    return guarded.make_key("default", "read", "verify", "ingest")


def upload(guarded: Guarded, key: NewKey, name: str, content: bytes) -> Any:
    body = (
        f'--b1\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    ).encode() + content
    headers = {"content-type": 'multipart/form-data; boundary="b1"', "accept": "text/html"}
    return guarded.ask(
        "POST", "/playground/documents", key, content=body + b"\r\n--b1--\r\n", headers=headers
    )


def send(guarded: Guarded, key: NewKey, **fields: str) -> Any:
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": "text/html"}
    content = urlencode(fields).encode()
    return guarded.ask("POST", "/playground/answers", key, content=content, headers=headers)


@pytest.fixture(scope="module")
def doc_hash(guarded: Guarded, key: NewKey) -> str:
    """The document, uploaded by the form and watched until it is read."""
    sent = upload(guarded, key, rf"C:\papers\{NAME}", make_documents()[NAME])
    assert sent.status_code == 303
    until, page = time.monotonic() + 60, "data-waits"
    while time.monotonic() < until:
        page = guarded.ask("GET", sent.headers["location"], key).text
        if "data-waits" not in page:
            break
        assert "Look again" in page
        time.sleep(0.1)
    assert "The document was read." in page
    assert f"A citation of <bdi>{NAME}</bdi>" in page
    found = re.search(r'name="document" value="(sha256:[0-9a-f]{64})"', page)
    assert found
    assert QUOTES[NAME] in unescape(page)
    return found.group(1)


def test_a_citation_is_judged_by_quote_or_by_offsets_and_nothing_is_kept(
    guarded: Guarded, key: NewKey, doc_hash: str
) -> None:
    def count() -> tuple[Any, ...]:
        kept = guarded.ask("GET", "/v1/verifications", key).json()["verifications"]
        size = guarded.ask("GET", "/v1/log/checkpoint", key).text
        metrics = guarded.tenants.default.metrics.render().decode()
        rows = [row for row in metrics.splitlines() if "verification" in row or "verdict" in row]
        return len(kept), size, rows

    text = guarded.ask("GET", f"/v1/documents/{doc_hash}/text", key).text
    start = text.index(QUOTES[NAME])
    before = count()
    claim = {"document": doc_hash, "claim": QUOTES[NAME]}
    place = {"start": str(start), "end": str(start + len(QUOTES[NAME]))}
    for given in ({"quote": QUOTES[NAME]}, place, place | {"quote": QUOTES[NAME]}):
        shown = send(guarded, key, **claim, **given, policy="strict")
        assert shown.status_code == 200
        page = unescape(shown.text)
        assert "This was tried out." in page
        assert "1 of 1 citation passes" in page
        assert f"<mark>{QUOTES[NAME]}</mark>" in page
        assert "strict" in page
        assert "Decide on this citation" not in page
    altered = send(guarded, key, **claim, quote="Defective goods are replaced within ten days.")
    assert "card fail" in altered.text
    assert count() == before


def test_a_pasted_answer_is_judged_in_its_format_and_with_contexts(
    guarded: Guarded, key: NewKey, doc_hash: str
) -> None:
    citation = {"anchor": 1, "doc_hash": doc_hash, "span": {"text": QUOTES[NAME]}}
    native = json.dumps({"answer": f"{QUOTES[NAME]} [1]", "citations": [citation]})
    shown = send(guarded, key, payload=native, format="native").text
    assert "1 of 1 citation passes" in shown, re.sub("<[^>]+>", "", shown)
    bare = send(guarded, key, payload=f"{SENTENCE} [1]", contexts=SENTENCE, format="native")
    assert "1 of 1 citation passes" in bare.text


def test_a_form_that_cannot_be_judged_says_why_and_keeps_what_was_typed(
    guarded: Guarded, key: NewKey, doc_hash: str
) -> None:
    for fields, words in (
        ({"payload": "{", "format": "native"}, "MALFORMED"),
        ({"payload": "{}", "format": "nosuch"}, "Expected a format of"),
        ({"document": doc_hash, "claim": "  "}, "Expected a claim"),
        ({"document": doc_hash, "claim": "It is."}, "Expected a quote or its offsets"),
        ({"document": doc_hash, "claim": "It is.", "start": "4"}, "Expected two offsets"),
        ({"document": doc_hash, "claim": "It is.", "start": "4", "end": "99999"}, "inside 0.."),
    ):
        shown = send(guarded, key, **fields)
        assert shown.status_code in {400, 422}, fields
        assert words in unescape(shown.text)
        typed = fields.get("payload") or fields["claim"]
        assert f">\n{typed}</textarea>" in unescape(shown.text)
    assert upload(guarded, key, "", b"x").status_code in {400, 422}
    assert "Upload and read" in guarded.ask("GET", "/playground", key).text
    reader = guarded.make_key("default", "read", "verify")
    assert "Upload and read" not in guarded.ask("GET", "/playground", reader).text
    with pytest.raises(InputError, match="a form with a file"):
        read_upload("multipart/form-data", b"")


def test_nothing_that_is_typed_or_uploaded_becomes_markup(
    guarded: Guarded, key: NewKey, doc_hash: str
) -> None:
    for attack in ATTACKS:
        shown = send(guarded, key, document=doc_hash, claim=attack, quote=attack, start=attack)
        page = shown.text
        # The page's own fields are the only ones.
        assert page.count("<textarea") == page.count("</textarea>") == 5
        check_harmless(re.sub(r"</?textarea[^>]*>", "", page), attack)
        tried = send(guarded, key, payload=f"{attack} [1]", contexts=attack, format="native")
        if tried.status_code == 200:
            check_harmless(tried.text, attack)
