"""A text that an ingested PDF holds is that document's, with its page, wherever it is shown."""

from __future__ import annotations

import base64
import csv
import json
from typing import TYPE_CHECKING

from spanproof.operations.export.pack import export_pack
from spanproof.operations.fsck.place import check_place
from tests.api.conftest import context_of, post_answer
from tests.operations.audited import load_trust
from tests.sources import SECOND, SENTENCE, make_pdf

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient


def test_a_text_is_lifted_to_its_page_everywhere(client: TestClient, tmp_path: Path) -> None:
    source = make_pdf(SENTENCE, f"Payment terms\n{SECOND}")
    kept = client.put(
        "/v1/documents", params={"doc_id": "agreement", "title": "Agreement"}, content=source
    ).json()
    doc_hash = kept["doc_hash"]
    answer = {
        "answer": f"{SECOND[:-1]} [1].",
        "citations": [],
        "retrieved": [{"text": SECOND, "doc_id": "chunk-7"}],
    }
    made = post_answer(client, answer).json()
    name = made["verification_id"]

    (verdict,) = made["verification"]["verdicts"]
    text = client.get(f"/v1/documents/{doc_hash}/text").text
    start = text.index(SECOND)
    assert verdict["outcome"] == "pass"
    assert (verdict["identity"]["status"], verdict["identity"]["doc_hash"]) == ("MATCH", doc_hash)
    assert "SNIPPET_LIFTED" in verdict["codes"]
    assert verdict["locator"]["page"] == 2
    place = (verdict["existence"]["char_start"], verdict["existence"]["char_end"])
    assert place == (start, start + len(SECOND))
    assert "page 2" in verdict["notes"]
    assert made["verification"]["snippets"] == []

    page = client.get(f"/answers/{name}").text
    assert "Text of the request" not in page
    assert 'role="alert"' not in page
    assert f"/view/{doc_hash}/{verdict['identity']['extraction_id']}/{place[0]}/{place[1]}" in page
    assert f"/v1/documents/{doc_hash}/pages/2.png" in page

    statement = json.loads(base64.b64decode(made["receipt"]["dsseEnvelope"]["payload"]))
    predicate = statement["predicate"]
    assert [each["doc_hash"] for each in predicate["documents"]] == [doc_hash]
    assert "snippets" not in predicate
    signed = predicate["verdicts"][0]
    assert signed["identity"]["doc_hash"] == doc_hash
    assert signed["locator"]["page"] == 2

    context, pack = context_of(client), tmp_path / "pack"
    export_pack(context, [name], pack)
    (row,) = csv.DictReader((pack / "verdicts.csv").read_text(encoding="utf-8").splitlines())
    assert (row["identity"], row["doc_hash"], row["pages"]) == ("MATCH", doc_hash, "2")
    assert row["source_text"] == SECOND
    folder = doc_hash.removeprefix("sha256:")
    assert (pack / "documents" / folder / "source.pdf").read_bytes() == source
    assert (pack / "crops" / name / "verdict-0-page-2.png").is_file()
    assert (pack / "marked" / name / f"{folder}.pdf").is_file()
    assert doc_hash in (pack / "index.html").read_text(encoding="utf-8")
    assert check_place(str(pack), load_trust(context)).outcome.value == "OK"
