"""A report: what it says, that its PDF is one for archives, and that its signature holds."""

from __future__ import annotations

import json
import re
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.ingest.engine.mupdf.library import load_pymupdf
from spanproof.operations.decisions import DecisionOrder, record_decision
from spanproof.operations.erasing import erase
from spanproof.operations.export.material import load_case
from spanproof.operations.report.files import ARCHIVE, FOLDER
from spanproof.operations.report.job import run
from spanproof.operations.report.material import compare_words, write_view
from spanproof.operations.triage.choosing import View
from spanproof.receipt.export.evidence_pack import open_manifest
from spanproof.receipt.statement.predicate import Actor
from tests.engines import needs_mupdf
from tests.operations.audited import load_trust, take_document, verify_answer
from tests.sources import SENTENCE

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context

ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def make_report(context: Context, seed: str, **facts: str) -> tuple[Path, Any]:
    view = write_view(View(facts=facts), facts)
    arguments = {"seed": seed, "view": view, "asked_at": "2199-01-01T00:00:00+00:00"}
    result = run(context, json.loads(json.dumps(arguments)), lambda _done, _total: None)
    return context.jobs.outputs.path(seed), result


@needs_mupdf
def test_a_report_has_a_page_for_each_failure_and_is_signed(context: Context) -> None:
    doc_hash = take_document(context)
    verify_answer(context, doc_hash)
    changed = SENTENCE.replace("four", "nine")
    quoted = {"text": changed, "char_start": 0, "char_end": len(SENTENCE)}
    failing = verify_answer(context, doc_hash, span=quoted)
    hostile = verify_answer(context, doc_hash, span={"text": ATTACK}, doc_title=ATTACK)
    gone = verify_answer(context, doc_hash, span={"text": "Words that stand nowhere at all."})
    erase(context, gone, reason="asked for")
    order = DecisionOrder(action="reject", reason="Read on page 1.", citation=0)
    record_decision(context, failing, order, actor=Actor(key_id="ann"))

    place, result = make_report(context, "first")
    assert result == {"answers": 4, "failures": 2, "pages": 3}
    again, same = make_report(context, "first")
    assert (again, same) == (place, result)
    folder = place / FOLDER
    html = (folder / "report.html").read_text("utf-8")
    assert "<del>nine</del><ins>four</ins>" in html
    assert "reject by key ann" in html
    assert "Without a decision of a person: 1." in html
    assert "Failed and erased, so that nothing of them can be shown: 1." in html
    assert "There is no sampling epoch" in html
    assert re.search(r"<th scope=\"row\">fail</th><td>3</td><td>75\.0 %</td>", html)
    assert "<script" not in html
    assert "<img src=x" not in html
    assert f"<code>{hostile}</code>" in html

    # Signed as packs are; the archive has the same files.
    manifest, seal = (
        (folder / name).read_bytes() for name in ("manifest.json", "manifest.dsse.json")
    )
    keys = [each.key for each in load_trust(context).signing_keys]
    listed = open_manifest(manifest, seal, keys)
    assert {*listed.files, "manifest.json", "manifest.dsse.json"} == {
        each.name for each in folder.iterdir()
    }
    assert set(listed.verifications) == {failing, hostile}
    with zipfile.ZipFile(place / ARCHIVE / "report.zip") as packed:
        for name in packed.namelist():
            assert packed.read(name) == (folder / name).read_bytes()
    check_archived(folder / "report.pdf")

    only, result = make_report(context, "second", result="pass")
    assert result["failures"] == 0
    assert "All answers of the period" not in (only / FOLDER / "report.html").read_text("utf-8")


def check_archived(path: Path) -> None:
    """What ISO 19005-2 asks of structure, metadata, colours and fonts, as far as it shows here."""
    raw = path.read_bytes()
    assert raw.startswith(b"%PDF-1.7\n%")
    document = load_pymupdf().open(path)
    trailer = document.xref_object(-1)
    assert "/ID" in trailer
    assert "/Encrypt" not in trailer
    catalog = document.xref_object(document.pdf_catalog())
    assert "/OutputIntents" in catalog
    assert not re.search(r"/(JavaScript|AA|OpenAction|EmbeddedFiles|AcroForm)\b", catalog)
    xmp = document.get_xml_metadata()
    assert "<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>" in xmp
    # The Info dictionary says what the metadata say.
    assert f">{document.metadata['title']}</rdf:li>" in xmp
    moment = document.metadata["creationDate"]
    written = re.sub(r"D:(....)(..)(..)(..)(..)(..)\+00'00'", r"\1-\2-\3T\4:\5:\6+00:00", moment)
    assert f"<xmp:CreateDate>{written}<" in xmp
    (profile,) = re.findall(r"/DestOutputProfile (\d+)", catalog)
    assert document.xref_stream(int(profile))[12:20] == b"mntrRGB "
    fonts = {font[0] for page in document for font in page.get_fonts(full=True)}
    assert fonts
    for font in fonts:
        assert document.extract_font(font)[3], document.xref_object(font)
    for number in range(1, document.xref_length()):
        found = document.xref_object(number)
        assert not re.search(r"/(JS|Launch|LZWDecode|XFA|Movie|Sound)\b", found)
        assert not re.search(r"/Interpolate true", found)
    texts = "".join(page.get_text() for page in document)
    for words in ("Scope", "95 % interval", "Limits", "Sampling plan", "Reason", "Decision"):
        assert words in texts
    assert [each[2] for each in document.get_toc()] == [1, 2, 3]
    assert any(page.get_images() for page in document)
    document.close()


@pytest.mark.parametrize(
    ("quote", "source", "pieces"),
    [
        (None, "It is so.", ()),
        ("It is so.", None, (("", "It is so."),)),
        ("It is so.", "It was so.", (("", "It "), ("del", "is"), ("ins", "was"), ("", " so."))),
        ("a" * 5000, "b", (("", "a" * 5000),)),
    ],
)
def test_words_are_compared(quote: str | None, source: str | None, pieces: Any) -> None:
    assert compare_words(quote, source) == pieces


def test_load_case_is_what_a_page_is_of(context: Context) -> None:
    name = verify_answer(context, take_document(context), span={"text": ATTACK})
    assert load_case(context, name).verdicts[0].raw["outcome"] == "fail"
