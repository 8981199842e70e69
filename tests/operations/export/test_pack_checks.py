"""A pack is checked without the store, and every byte of it is guarded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.operations.fsck.place import check_place
from spanproof.receipt.check.content import AuditorFile, AuditorText
from spanproof.receipt.check.receipt import AuditInputs, check_receipt
from spanproof.receipt.check.report import CheckOutcome, LineStatus, Question
from tests.operations.audited import load_trust
from tests.operations.export.conftest import codes, list_files
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context


def test_a_pack_is_checked_without_the_store(context: Context, pack: Path) -> None:
    trust = load_trust(context)
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
        sources = [AuditorFile.of(each.read_bytes()) for each in pack.glob("documents/*/source.*")]
        texts = [AuditorText.of(each.read_bytes()) for each in pack.glob("documents/*/*/text.txt")]
        inputs = AuditInputs(sources=sources, texts=texts)
        checked = check_receipt(path.read_bytes(), trust, inputs, now=MOMENT)
        assert checked.outcome is CheckOutcome.OK, checked.lines
        assert checked[Question.DOCUMENT].status is LineStatus.OK
        assert checked[Question.SPAN].status is LineStatus.OK


def test_another_trust_file_opens_no_pack(context: Context, pack: Path) -> None:
    from spanproof.receipt.keys.trust_file import parse_trust
    from tests.receipt.samples import Issuer, to_trust_bytes

    del context
    report = check_place(str(pack), parse_trust(to_trust_bytes(Issuer())))
    assert codes(report) == [("MANIFEST_SIGNATURE", "manifest.json")]
    assert report.outcome.value == "FAILED"


def test_every_byte_of_a_pack_is_guarded(context: Context, pack: Path) -> None:
    trust = load_trust(context)
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


def test_files_that_are_gone_or_beside_the_list_are_named(context: Context, pack: Path) -> None:
    trust = load_trust(context)
    (pack / "note.txt").write_text("mine", encoding="utf-8")
    (pack / "crops" / "elsewhere").symlink_to("/")
    (pack / "verdicts.csv").unlink()
    assert codes(check_place(str(pack), trust)) == [
        ("FILE_MISSING", "verdicts.csv"),
        ("FILE_UNLISTED", "crops/elsewhere"),
        ("FILE_UNLISTED", "note.txt"),
    ]


def test_a_statement_that_was_left_out_is_named_by_its_intake(context: Context, pack: Path) -> None:
    trust = load_trust(context)
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
