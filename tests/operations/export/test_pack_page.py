"""What a person reads of a pack: its page, its table, its annotations."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.export.pack import export_pack
from spanproof.operations.fsck.place import check_place
from spanproof.operations.verification.verify import verify_payload
from tests.operations.audited import load_trust, take_document
from tests.receipt.export.selecting import find_selected

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context


class Page(HTMLParser):
    """What a page loads and links, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element."""
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            if name in {"href", "src"} and value is not None:
                self.addresses.append(value)

    def handle_data(self, data: str) -> None:
        """Note the words."""
        self.text += data


def test_the_page_has_no_script_and_loads_nothing_from_elsewhere(pack: Path) -> None:
    html = (pack / "index.html").read_text(encoding="utf-8")
    page = Page(html)
    assert "script" not in page.tags
    assert "default-src 'none'" in html
    for address in page.addresses:
        assert not re.match(r"[a-z]+:|//", address), address
        assert address.startswith("#") or (pack / address).is_file(), address
    assert "What this does not prove" in page.text
    assert "audit verify receipts/" in page.text


def test_what_an_answer_says_is_words_on_the_page_and_in_every_table(
    context: Context, tmp_path: Path
) -> None:
    take_document(context)
    nasty = "<script>alert(1)</script>\"'=cmd|\u202e"
    text = f"=1+1 {nasty} is what goods are"
    report = ingest_stream(context, [text.encode()], filename="a.txt", media_type=None, doc_id=None)
    quote = {"text": f"=1+1 {nasty}"}
    citation = {"anchor": 1, "doc_hash": str(report.doc_hash), "span": quote, "doc_title": nasty}
    answer = {"answer": f"=2+2 {nasty} [1].", "question": nasty, "citations": [citation]}
    raw = json.dumps(answer).encode()
    verification_id = verify_payload(context, raw).verification_id
    pack = tmp_path / "pack"
    export_pack(context, [verification_id], pack)
    html = (pack / "index.html").read_text(encoding="utf-8")
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    rows = list(csv.DictReader(io.StringIO((pack / "verdicts.csv").read_text("utf-8"))))
    assert len(rows) == 1
    assert not any(value.startswith(("=", "+", "-", "@")) for value in rows[0].values())
    assert json.loads((pack / "annotations.jsonld").read_bytes())["items"]
    assert check_place(str(pack), load_trust(context)).outcome.value == "OK"


def test_annotations_select_the_words_in_the_texts_of_the_pack(pack: Path) -> None:
    page = json.loads((pack / "annotations.jsonld").read_bytes())
    (item,) = page["items"]
    text = (pack / item["target"][0]["source"]["id"]).read_text(encoding="utf-8")
    assert find_selected(item, text) == text.split("\n")[0]
    assert (pack / item["target"][1]["source"]["id"]).is_file()
    assert item["target"][1]["selector"][0]["value"] == "page=1"
