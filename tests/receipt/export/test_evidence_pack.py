from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.errors import EvidenceError, MalformedReceiptError
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.export import evidence_pack as evidence
from spanproof.receipt.export.evidence_pack import (
    MANIFEST,
    SEAL,
    Manifest,
    compare_files,
    is_pack_path,
    open_manifest,
    parse_manifest,
    seal_manifest,
    write_manifest,
)
from spanproof.receipt.keys.signing_keys import EntryKey
from tests.receipt.samples import make_entry_key
from tests.receipt.statements import MOMENT

FILES = {"index.html": Digest.of(b"page"), "log/tile/0/000.p/3": Digest.of(b"tile")}
KEY = make_entry_key()
PUBLIC = EntryKey(KEY.public_key)


def make() -> bytes:
    return write_manifest(FILES, verifications=["b", "a"], origin="log.example.com", made_at=MOMENT)


def test_a_manifest_reads_as_it_was_written() -> None:
    manifest = make()
    found = open_manifest(manifest, seal_manifest(manifest, KEY), [PUBLIC])
    assert found == parse_manifest(manifest)
    assert found == Manifest(
        files=FILES,
        verifications=("a", "b"),
        origin="log.example.com",
        made_at="2026-11-20T14:00:00Z",
    )


def test_it_is_an_in_toto_statement_about_every_file() -> None:
    statement = json.loads(make())
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"][0] == {
        "name": "index.html",
        "digest": {"sha256": Digest.of(b"page").hex},
    }


def test_the_same_files_give_the_same_bytes() -> None:
    turned = dict(reversed(FILES.items()))
    assert make() == write_manifest(
        turned, verifications=["a", "b"], origin="log.example.com", made_at=MOMENT
    )


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "..", "a/../b", "a//b", "./a", "a/.", "a\\b", "a b", "ä", "a/", "x" * 513],
)
def test_no_file_of_a_pack_leads_out_of_it(path: str) -> None:
    assert not is_pack_path(path)
    with pytest.raises(ValueError, match="plain relative"):
        write_manifest({path: FILES["index.html"]}, verifications=[], origin="o", made_at=MOMENT)


@pytest.mark.parametrize("path", ["a", "a.b", "..a", "a/..b/c", "x001/000", "000.p/7", "A_b-c"])
def test_plain_names_are_taken(path: str) -> None:
    assert is_pack_path(path)


@pytest.mark.parametrize("path", [MANIFEST, SEAL])
def test_the_list_does_not_list_itself(path: str) -> None:
    with pytest.raises(ValueError, match="plain relative"):
        write_manifest({path: FILES["index.html"]}, verifications=[], origin="o", made_at=MOMENT)


def test_a_pack_without_files_is_none() -> None:
    with pytest.raises(ValueError, match="no file"):
        write_manifest({}, verifications=[], origin="o", made_at=MOMENT)


def test_another_key_and_other_bytes_are_refused() -> None:
    manifest = make()
    seal = seal_manifest(manifest, KEY)
    with pytest.raises(EvidenceError, match="trusted key"):
        open_manifest(manifest, seal, [EntryKey(make_entry_key(2).public_key)])
    with pytest.raises(EvidenceError, match="trusted key"):
        open_manifest(manifest, seal, [])
    with pytest.raises(EvidenceError, match="what was signed"):
        open_manifest(manifest + b"\n", seal, [PUBLIC])


def test_a_signature_over_another_list_is_refused() -> None:
    manifest = make()
    seal = json.loads(seal_manifest(manifest, KEY))
    seal["payload"] = base64.b64encode(manifest.replace(b"index", b"other")).decode()
    with pytest.raises(EvidenceError, match="does not verify"):
        open_manifest(manifest, json.dumps(seal).encode(), [PUBLIC])


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s["subject"].append(s["subject"][0]),
        lambda s: s["subject"][0].update(name="../up"),
        lambda s: s["subject"][0].update(name=SEAL),
        lambda s: s["subject"][0]["digest"].update(sha256="A" * 64),
        lambda s: s["subject"][0]["digest"].update(sha512="0"),
        lambda s: s["subject"].clear(),
        lambda s: s.update(predicateType="urn:other"),
        lambda s: s.update(_type="urn:other"),
        lambda s: s.update(more=1),
        lambda s: s["predicate"].update(schema_version=2),
        lambda s: s["predicate"].update(schema_version=0),
        lambda s: s["subject"][0]["digest"].update(sha256="a" * 63),
        lambda s: s["subject"][0]["digest"].update(sha256="a" * 65),
        lambda s: s["subject"][0].update(name="x" * 513),
        lambda s: s["predicate"].update(time_made="yesterday"),
        lambda s: s["predicate"]["log"].update(size=3),
        lambda s: s["predicate"].update(verifications=[1]),
    ],
)
def test_a_list_that_says_something_else_is_malformed(change: Any) -> None:
    statement = json.loads(make())
    change(statement)
    with pytest.raises(MalformedReceiptError):
        parse_manifest(json.dumps(statement).encode())


@pytest.mark.parametrize(
    "seal",
    [
        b"",
        b"{}",
        b"[]",
        json.dumps({"payload": "", "payloadType": "text/plain", "signatures": []}).encode(),
        json.dumps(
            {
                "payload": "e30=",
                "payloadType": "application/vnd.in-toto+json",
                "signatures": [{"keyid": "a", "sig": "AA=="}] * 2,
            }
        ).encode(),
    ],
)
def test_an_envelope_that_is_none_is_malformed(seal: bytes) -> None:
    with pytest.raises(MalformedReceiptError):
        open_manifest(make(), seal, [PUBLIC])


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(raw: bytes) -> None:
    with pytest.raises((MalformedReceiptError, EvidenceError)):
        open_manifest(raw, raw, [PUBLIC])


def test_files_that_are_missing_changed_or_beside_the_list_are_named() -> None:
    manifest = parse_manifest(make())
    findings = Findings()
    compare_files(manifest, FILES, findings)
    assert not findings
    compare_files(manifest, {"index.html": None, "extra": Digest.of(b"")}, findings)
    assert [(found.code, found.place) for found in findings] == [
        ("FILE_CHANGED", "index.html"),
        ("FILE_MISSING", "log/tile/0/000.p/3"),
        ("FILE_UNLISTED", "extra"),
    ]
    findings = Findings()
    compare_files(manifest, FILES | {"index.html": Digest.of(b"forged")}, findings)
    assert [found.code for found in findings] == ["FILE_CHANGED"]


def test_names_of_512_characters_are_the_longest() -> None:
    files = {"x" * 512: Digest.of(b"page")}
    manifest = write_manifest(files, verifications=[], origin="o", made_at=MOMENT)
    assert parse_manifest(manifest).files == files


def test_the_kind_of_the_statement_stays_as_it_is() -> None:
    kind = json.loads(make())["predicateType"]
    assert kind == "urn:spanproof:attestation:evidence-pack:v1"


def test_a_signature_has_at_most_a_kibibyte() -> None:
    manifest = make()
    for size, words in ((1024, "does not verify"), (1025, "1024 bytes")):
        seal = json.loads(seal_manifest(manifest, KEY))
        seal["signatures"][0]["sig"] = base64.b64encode(bytes(size)).decode()
        with pytest.raises((EvidenceError, MalformedReceiptError), match=words):
            open_manifest(manifest, json.dumps(seal).encode(), [PUBLIC])


def test_the_words_name_what_could_not_be_read() -> None:
    with pytest.raises(MalformedReceiptError, match="Expected a manifest, got"):
        parse_manifest(b"[")
    with pytest.raises(MalformedReceiptError, match="Expected a DSSE envelope, got"):
        open_manifest(make(), b"[", [PUBLIC])


def test_the_bounds_are_those_of_the_documentation() -> None:
    assert (evidence.MAX_MANIFEST_BYTES, evidence.MAX_FILES) == (268_435_456, 2_000_000)


def test_a_text_has_twice_the_bytes_of_a_list_and_eight_values_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # An envelope has the list in Base64, and a file takes a few objects, names and commas.
    manifest = make()
    monkeypatch.setattr(evidence, "MAX_MANIFEST_BYTES", len(manifest))
    twice = manifest + b" " * len(manifest)
    assert parse_manifest(twice).files == FILES
    with pytest.raises(MalformedReceiptError, match=f"more than {2 * len(manifest)}"):
        parse_manifest(twice + b" ")
    monkeypatch.setattr(evidence, "MAX_FILES", 2)
    for values, words in ((16, "an object"), (17, "more than 16 values")):
        with pytest.raises(MalformedReceiptError, match=words):
            parse_manifest(b"[" + b",".join([b"1"] * values) + b"]")


def test_the_names_of_the_list_and_its_seal_stay_as_they_are() -> None:
    assert (MANIFEST, SEAL) == ("manifest.json", "manifest.dsse.json")
