"""Evidence packs: whole or not there, read by a person, checked without us."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from api.errors import OutputError
from api.evidence.folder import PackFolder, staged_pack
from api.operations.export import export_pack
from api.operations.fsck import check_place
from api.operations.ingest import ingest_stream
from api.operations.replay_receipt import load_predicate, replay_from_pack, replay_receipt
from api.operations.verify import RepairChoice, verify_payload
from api.wiring import Services
from core.digest import Digest
from core.errors import ExtractionError, InputError, VerificationNotFoundError
from ingest.sandbox import Parser
from receipt.check import Exhibits, check_receipt
from receipt.content_check import HeldFile, HeldText
from receipt.evidence import parse_manifest
from receipt.report import CheckOutcome, LineStatus, Question
from receipt.web_annotation import find_selected
from tests.api.audited import fill, load_trust, take_document, verify_answer
from tests.builders import ScriptedModel
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from pathlib import Path

    from api.operations.fsck import FsckReport

PNG = b"\x89PNG\r\n\x1a\n"


def list_files(pack: Path) -> dict[str, bytes]:
    return {
        path.relative_to(pack).as_posix(): path.read_bytes()
        for path in pack.rglob("*")
        if path.is_file()
    }


def codes(report: FsckReport) -> list[tuple[str, str]]:
    return [(found.code, found.place) for found in report.findings]


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


@pytest.fixture
def pack(services: Services, tmp_path: Path) -> Path:
    """A pack of one of three verifications."""
    *_, wanted = fill(services)
    export_pack(services, [wanted], tmp_path / "pack")
    return tmp_path / "pack"


def test_a_pack_has_everything_and_a_list_of_it(services: Services, tmp_path: Path) -> None:
    first, second, _ = fill(services)
    report = export_pack(services, [first, second, first], tmp_path / "pack")
    files = list_files(tmp_path / "pack")
    assert report.files == len(files)
    assert report.bytes == sum(map(len, files.values()))
    assert report.verifications == (first, second)
    assert (report.missing, report.problems, report.without_receipt) == ((), (), ())
    doc_hash = services.store.documents.list().items[0].document.doc_hash
    source = f"documents/{doc_hash.hex}/source.pdf"
    assert Digest.of(files[source]) == doc_hash
    for verification_id in (first, second):
        stored = services.store.answers.load(verification_id)
        assert files[f"answers/{verification_id}/payload"] == stored.raw
        assert json.loads(files[f"answers/{verification_id}/answer.json"])["verification"] == (
            stored.block
        )
        assert files[f"crops/{verification_id}/verdict-0-page-1.png"].startswith(PNG)
        marked = files[f"marked/{verification_id}/{doc_hash.hex}.pdf"]
        assert marked.startswith(b"%PDF-")
        assert b"/Highlight" in marked
        receipt = services.store.receipts.load(verification_id)
        assert files[f"receipts/{verification_id}.sigstore.json"] == receipt.bundle
        assert files[f"receipts/{verification_id}.tlog-proof"].startswith(b"c2sp.org/tlog-proof@v1")
        for stored_statement in services.log.find_statements(verification_id):
            assert f"statements/{stored_statement.index}.dsse.json" in files
    listed = parse_manifest(files["manifest.json"])
    assert listed.verifications == tuple(sorted((first, second)))
    assert listed.files == {
        path: Digest.of(content)
        for path, content in files.items()
        if path not in {"manifest.json", "manifest.dsse.json"}
    }


def test_other_answers_are_not_in_the_pack(services: Services, tmp_path: Path) -> None:
    wanted, other, _ = fill(services)
    export_pack(services, [wanted], tmp_path / "pack")
    for path, content in list_files(tmp_path / "pack").items():
        assert other not in path
        assert other.encode() not in content, path


def test_a_pack_is_checked_without_the_store(services: Services, pack: Path) -> None:
    trust = load_trust(services)
    report = check_place(str(pack), trust)
    assert {line.question: line.status.value for line in report.lines} == {
        "PACK": "OK",
        "CHECKPOINT": "OK",
        "TREE": "OK",
        "KEYS": "OK",
        "HISTORY": "NOT ASKED",
        "STATEMENTS": "OK",
    }
    assert check_place(str(pack / "log"), trust).outcome.value == "OK"
    for path in (pack / "receipts").glob("*.sigstore.json"):
        sources = [HeldFile.of(each.read_bytes()) for each in pack.glob("documents/*/source.*")]
        texts = [HeldText.of(each.read_bytes()) for each in pack.glob("documents/*/*/text.txt")]
        exhibits = Exhibits(sources=sources, texts=texts)
        checked = check_receipt(path.read_bytes(), trust, exhibits, now=MOMENT)
        assert checked.outcome is CheckOutcome.OK, checked.lines
        assert checked[Question.DOCUMENT].status is LineStatus.OK
        assert checked[Question.SPAN].status is LineStatus.OK


def test_another_trust_file_opens_no_pack(services: Services, pack: Path) -> None:
    from receipt.trust import parse_trust
    from tests.receipt.samples import Issuer, to_trust_bytes

    del services
    report = check_place(str(pack), parse_trust(to_trust_bytes(Issuer())))
    assert codes(report) == [("MANIFEST_SIGNATURE", "manifest.json")]
    assert report.outcome.value == "FAILED"


def test_every_byte_of_a_pack_is_guarded(services: Services, pack: Path) -> None:
    trust = load_trust(services)
    listed = {"manifest.json", "manifest.dsse.json"}
    for path, content in list_files(pack).items():
        changed = bytearray(content)
        changed[len(changed) // 2] ^= 1
        (pack / path).write_bytes(changed)
        if path in listed:
            try:
                report = check_place(str(pack), trust)
            except InputError:
                pass
            else:
                assert report.outcome.value == "FAILED", path
        else:
            report = check_place(str(pack), trust)
            assert ("FILE_CHANGED", path) in codes(report)
        (pack / path).write_bytes(content)
    assert check_place(str(pack), trust).outcome.value == "OK"


def test_files_that_are_gone_or_beside_the_list_are_named(services: Services, pack: Path) -> None:
    trust = load_trust(services)
    (pack / "note.txt").write_text("mine", encoding="utf-8")
    (pack / "crops" / "elsewhere").symlink_to("/")
    (pack / "verdicts.csv").unlink()
    assert codes(check_place(str(pack), trust)) == [
        ("FILE_MISSING", "verdicts.csv"),
        ("FILE_UNLISTED", "crops/elsewhere"),
        ("FILE_UNLISTED", "note.txt"),
    ]


def test_a_statement_that_was_left_out_is_named_by_its_intake(
    services: Services, pack: Path
) -> None:
    trust = load_trust(services)
    results = {path: json.loads(path.read_bytes()) for path in (pack / "statements").iterdir()}
    (result,) = (path for path, row in results.items() if _type_of(row).endswith("tion:v1"))
    (intake,) = (path for path, row in results.items() if _type_of(row).endswith("intake:v1"))
    result.write_bytes(b"{}")
    found = codes(check_place(str(pack), trust))
    assert ("STATEMENT_MISMATCH", f"leaf {result.name.partition('.')[0]}") in found
    result.unlink()
    intake.rename(result)
    found = codes(check_place(str(pack), trust))
    assert ("STATEMENT_MISMATCH", f"leaf {result.name.partition('.')[0]}") in found


def _type_of(envelope: dict[str, Any]) -> str:
    import base64

    kind: str = json.loads(base64.b64decode(envelope["payload"]))["predicateType"]
    return kind


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
    services: Services, tmp_path: Path
) -> None:
    take_document(services)
    nasty = "<script>alert(1)</script>\"'=cmd|\u202e"
    text = f"=1+1 {nasty} is what goods are"
    report = ingest_stream(
        services, [text.encode()], filename="a.txt", media_type=None, doc_id=None
    )
    quote = {"text": f"=1+1 {nasty}"}
    citation = {"anchor": 1, "doc_hash": str(report.doc_hash), "span": quote, "doc_title": nasty}
    answer = {"answer": f"=2+2 {nasty} [1].", "question": nasty, "citations": [citation]}
    raw = json.dumps(answer).encode()
    verification_id = verify_payload(services, raw).verification_id
    pack = tmp_path / "pack"
    export_pack(services, [verification_id], pack)
    html = (pack / "index.html").read_text(encoding="utf-8")
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    rows = list(csv.DictReader(io.StringIO((pack / "verdicts.csv").read_text("utf-8"))))
    assert len(rows) == 1
    assert not any(value.startswith(("=", "+", "-", "@")) for value in rows[0].values())
    assert json.loads((pack / "annotations.jsonld").read_bytes())["items"]
    assert check_place(str(pack), load_trust(services)).outcome.value == "OK"


def test_annotations_select_the_words_in_the_texts_of_the_pack(pack: Path) -> None:
    page = json.loads((pack / "annotations.jsonld").read_bytes())
    (item,) = page["items"]
    text = (pack / item["target"][0]["source"]["id"]).read_text(encoding="utf-8")
    assert find_selected(item, text) == text.split("\n")[0]
    assert (pack / item["target"][1]["source"]["id"]).is_file()
    assert item["target"][1]["selector"][0]["value"] == "page=1"


def test_a_citation_of_a_document_that_is_not_kept_is_told(
    services: Services, tmp_path: Path
) -> None:
    take_document(services)
    unknown = Digest.of(b"never seen")
    verification_id = verify_answer(services, unknown)
    report = export_pack(services, [verification_id], tmp_path / "pack")
    assert report.missing == (str(unknown),)
    assert str(unknown) in (tmp_path / "pack" / "index.html").read_text(encoding="utf-8")


def test_a_citation_that_was_attached_afterwards_is_in_the_pack(
    services: Services, tmp_path: Path
) -> None:
    doc_hash = take_document(services)
    raw = json.dumps(
        {
            "answer": "The supplier replaces defective goods within four business days.",
            "citations": [],
            "documents": [str(doc_hash)],
        }
    ).encode()
    choice = RepairChoice(sentences=True)
    verification_id = verify_payload(services, raw, repair=choice).verification_id
    block = services.store.answers.load(verification_id).block
    assert block["repair"]["citations"]
    export_pack(services, [verification_id], tmp_path / "pack")
    rows = list(csv.DictReader((tmp_path / "pack" / "verdicts.csv").read_text().splitlines()))
    assert [row["quote"] for row in rows] == [
        each["span"]["text"] for each in block["repair"]["citations"]
    ]
    assert check_place(str(tmp_path / "pack"), load_trust(services)).outcome.value == "OK"


def test_a_verification_from_before_there_were_receipts_says_so(
    services: Services, tmp_path: Path
) -> None:
    first, second = fill(services, 2)
    stored = services.store.answers.load(first)
    services.store.answers.add(
        stored.raw,
        stored.block,
        verification_id="early",
        answer_id="early",
        verified_at=stored.verified_at,
    )
    report = export_pack(services, ["early", second], tmp_path / "pack")
    assert report.without_receipt == ("early",)
    page = (tmp_path / "pack" / "index.html").read_text(encoding="utf-8")
    assert "This verification has no receipt" in page
    assert check_place(str(tmp_path / "pack"), load_trust(services)).outcome.value == "OK"


def test_pages_that_cannot_be_drawn_are_told_and_the_rest_is_there(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (verification_id,) = fill(services, 1)

    def refuse(*_: object, **__: object) -> bytes:
        raise ExtractionError("Expected a page, got none.", hint="Look.")

    monkeypatch.setattr(Parser, "render_page", refuse)
    monkeypatch.setattr(Parser, "annotate_pdf", refuse)
    report = export_pack(services, [verification_id], tmp_path / "pack")
    assert len(report.problems) == 2
    assert "Not drawn" in (tmp_path / "pack" / "index.html").read_text(encoding="utf-8")
    assert check_place(str(tmp_path / "pack"), load_trust(services)).outcome.value == "OK"


def test_a_pack_that_cannot_be_made_leaves_nothing(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (verification_id,) = fill(services, 1)
    output = tmp_path / "out" / "pack"
    output.parent.mkdir()
    with pytest.raises(VerificationNotFoundError):
        export_pack(services, ["never"], output)
    with pytest.raises(InputError):
        export_pack(services, [], output)
    with pytest.raises(OutputError):
        export_pack(services, [verification_id], tmp_path / "nowhere" / "pack")
    written = PackFolder.write

    def fail_late(folder: PackFolder, path: str, content: bytes) -> str:
        if path == "manifest.json":
            raise OSError(28, os.strerror(28))
        return written(folder, path, content)

    monkeypatch.setattr(PackFolder, "write", fail_late)
    for is_zip in (False, True):
        with pytest.raises(OutputError, match="No space"):
            export_pack(services, [verification_id], output, is_zip=is_zip)
    assert list(output.parent.iterdir()) == []


@pytest.mark.parametrize("is_zip", [False, True])
def test_nothing_that_is_there_is_replaced(tmp_path: Path, is_zip: bool) -> None:
    output = tmp_path / "pack"
    output.mkdir()
    with pytest.raises(OutputError, match="Expected no file"), staged_pack(output, is_zip=is_zip):
        pass
    other = tmp_path / "other"
    # Nor what came while the pack was made.
    staging = staged_pack(other, is_zip=is_zip)
    staging.__enter__().write("a", b"a")
    other.mkdir()
    with pytest.raises(OutputError):
        staging.__exit__(None, None, None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "pack"]
    assert list(other.iterdir()) == []


def test_a_file_is_written_once_and_nowhere_else(tmp_path: Path) -> None:
    with staged_pack(tmp_path / "pack", is_zip=False) as folder:
        folder.write("a/b", b"1")
        for path in ("a/b", "../c", "/etc/x"):
            with pytest.raises(ValueError, match="plain relative"):
                folder.write(path, b"2")
    assert list_files(tmp_path / "pack") == {"a/b": b"1"}
    assert (tmp_path / "pack" / "a" / "b").stat().st_mode & 0o777 == 0o600


def test_an_archive_holds_the_same_files(services: Services, tmp_path: Path) -> None:
    (verification_id,) = fill(services, 1)
    moments = iter([MOMENT, MOMENT])
    made: Any = {"clock": lambda: next(moments)}
    export_pack(services, [verification_id], tmp_path / "pack", **made)
    export_pack(services, [verification_id], tmp_path / "pack.zip", is_zip=True, **made)
    with zipfile.ZipFile(tmp_path / "pack.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    # A marked copy has a moment and an id of its own.
    files = list_files(tmp_path / "pack")
    assert packed.keys() == files.keys()
    same = {path for path in files if packed[path] == files[path]}
    assert {path.partition("/")[0] for path in files.keys() - same} <= {
        "marked",
        "manifest.json",
        "manifest.dsse.json",
    }


def test_a_receipt_is_computed_anew_from_the_store_and_from_the_pack(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (verification_id,) = fill(services, 1)
    export_pack(services, [verification_id], tmp_path / "pack")
    path = tmp_path / "pack" / "receipts" / f"{verification_id}.sigstore.json"
    predicate = load_predicate(path)
    assert replay_receipt(services, predicate).status is LineStatus.OK
    monkeypatch.setattr(Services, "require_model", lambda _services: ScriptedModel())
    pack = tmp_path / "pack"
    assert replay_from_pack(services.settings, pack, predicate).status is LineStatus.OK
    # A payload or a document of the pack that is another is a lie, not a gap.
    payload = pack / "answers" / verification_id / "payload"
    kept = payload.read_bytes()
    payload.write_bytes(kept.replace(b"four", b"nine"))
    line = replay_from_pack(services.settings, pack, predicate)
    assert (line.status, line.code) == (LineStatus.FAILED, "REPLAY_DIFFERS")
    payload.write_bytes(kept)
    (source,) = pack.glob("documents/*/source.pdf")
    content = source.read_bytes()
    source.write_bytes(content + b" ")
    assert replay_from_pack(services.settings, pack, predicate).status is LineStatus.FAILED
    source.unlink()
    assert replay_from_pack(services.settings, pack, predicate).status is LineStatus.NOT_CHECKED
    answer = pack / "answers" / verification_id / "answer.json"
    source.write_bytes(content)
    half = b'{"verification": {"a": "\\ud800"}}'
    big = b'{"verification": {"a": 18446744073709551616}}'
    for broken in (b"[]", b"{", half, big):
        answer.write_bytes(broken)
        line = replay_from_pack(services.settings, pack, predicate)
        assert line.status is LineStatus.NOT_CHECKED


def test_a_receipt_of_another_store_cannot_be_computed_anew(
    services: Services, tmp_path: Path
) -> None:
    (verification_id,) = fill(services, 1)
    export_pack(services, [verification_id], tmp_path / "pack")
    predicate = load_predicate(tmp_path / "pack" / "receipts" / f"{verification_id}.sigstore.json")
    own = services.settings.model_copy(update={"home": tmp_path / "elsewhere"})
    from api.wiring import open_services

    with open_services(own) as other:
        line = replay_receipt(other, predicate)
    assert line.status is LineStatus.NOT_CHECKED
    assert "VERIFICATION_NOT_FOUND" in line.words


def test_a_real_document_is_packed_and_checked(
    services: Services, tmp_path: Path, test_data: Path
) -> None:
    services._model = ScriptedModel()
    paths = sorted(
        (test_data / "documents" / "pdf").rglob("*.pdf"), key=lambda path: path.stat().st_size
    )
    for path in paths[len(paths) // 3 :]:
        content = path.read_bytes()
        try:
            report = ingest_stream(
                services, [content], filename=path.name, media_type=None, doc_id=None
            )
        except ExtractionError:
            continue
        assert report.extraction_id is not None
        extraction = services.store.documents.load_extraction(report.extraction_id)
        words = next((w for w in extraction.text.text.split("\n") if len(w.split()) > 8), None)
        if words is None:
            continue
        start = extraction.text.text.index(words)
        span = {"text": words, "char_start": start, "char_end": start + len(words)}
        answer = {
            "answer": f"{words} [1].",
            "citations": [{"anchor": 1, "doc_hash": str(report.doc_hash), "span": span}],
        }
        verification_id = verify_payload(services, json.dumps(answer).encode()).verification_id
        break
    else:
        pytest.fail("Expected a PDF with a line of words in the test data, got none.")
    pack = tmp_path / "pack"
    done = export_pack(services, [verification_id], pack)
    assert (done.missing, done.problems) == ((), ())
    assert list((pack / "crops" / verification_id).iterdir())
    assert check_place(str(pack), load_trust(services)).outcome.value == "OK"
    (item,) = json.loads((pack / "annotations.jsonld").read_bytes())["items"]
    text = (pack / item["target"][0]["source"]["id"]).read_bytes().decode("utf-8")
    assert find_selected(item, text) == words
