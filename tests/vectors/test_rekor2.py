"""Bundles of Sigstore's conformance suite: their log's part through our note, tree and DSSE code.

Their bundles carry certificates, which our strict profile refuses whole; so they are taken apart
here, and each part is judged by our own code.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from core.errors import (
    EvidenceError,
    MalformedNoteError,
    MalformedReceiptError,
    MalformedTrustError,
    NoteSignatureError,
    SpanproofError,
)
from core.merkle import InclusionProof, check_inclusion, hash_leaf
from receipt.bundle import parse_bundle
from receipt.checkpoint_note import parse_checkpoint
from receipt.dsse import encode
from receipt.json_field import Field
from receipt.keys import LogKey
from receipt.note import check_note, parse_note
from receipt.timestamp import check_timestamp
from receipt.trusted_root import _parse_authority, parse_trusted_root

if TYPE_CHECKING:
    from pathlib import Path

    from receipt.trusted_root import TimestampAuthority

#: What is wrong with the log's part of a bundle; of every other it holds.
LOG_FAULTS: dict[str, type[Exception]] = {
    "checkpoint-missing-log-signature_fail": MalformedNoteError,
    "checkpoint-missing-origin_fail": MalformedNoteError,
    "checkpoint-missing-root-hash_fail": MalformedNoteError,
    "checkpoint-missing-size_fail": MalformedNoteError,
    "checkpoint-no-matching-signature_fail": NoteSignatureError,
    "no-inclusion-proof_fail": MalformedReceiptError,
}
#: Whether a leaf is of the envelope beside it, by digest and by signature.
ENVELOPES = {
    "dsse-happy-path": (True, True),
    "dsse-invalid-sig_fail": (True, False),
    "dsse-mismatch-envelope_fail": (False, False),
    "dsse-mismatch-sig_fail": (True, False),
}
#: What is wrong with a timestamp; every other holds.
TIMESTAMP_FAULTS = {
    "timestamp-outside-trust-root-tsa-validity_fail": "it was trusted from",
    "timestamp-outside-tsa-cert-validity_fail": "certificates",
    "timestamp-payload-mismatch_fail": "Mismatch between messages",
    "timestamp-untrusted-tsa-with-embedded-cert_fail": "an RFC 3161 response",
    "timestamp-untrusted-tsa-without-embedded-cert_fail": "certificates",
}


@pytest.fixture(scope="module")
def cases(test_data: Path) -> dict[str, Path]:
    """The folders of Rekor v2 by their names."""
    folder = test_data / "vectors" / "sigstore-rekor2" / "test" / "assets" / "bundle-verify"
    return {path.name.removeprefix("rekor2-"): path for path in sorted(folder.glob("rekor2-*"))}


def read(folder: Path, name: str = "bundle.sigstore.json") -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def list_log_keys(root: Any) -> list[LogKey]:
    """The Ed25519 logs of a trusted root, whose ids are ours to compute."""
    keys = []
    for log in root["tlogs"]:
        if log["publicKey"]["keyDetails"] == "PKIX_ED25519":
            spki = base64.b64decode(log["publicKey"]["rawBytes"])
            key = LogKey.from_spki(spki, log["baseUrl"].removeprefix("https://"))
            assert base64.b64encode(key.log_id).decode() == log["logId"]["keyId"]
            keys.append(key)
    return keys


def check_log_part(bundle: Any, keys: list[LogKey]) -> None:
    """Raise unless the leaf is in a tree whose head one of the keys signed."""
    entry = bundle["verificationMaterial"]["tlogEntries"][0]
    fields = Field(entry, MalformedReceiptError, "").fields(
        "logIndex",
        "logId",
        "kindVersion",
        "inclusionProof",
        "canonicalizedBody",
        optional=["integratedTime"],
    )
    proof = fields["inclusionProof"].value
    note = parse_note(proof["checkpoint"]["envelope"])
    head = parse_checkpoint(note.text)
    signers = check_note(note, keys)
    assert base64.b64encode(signers[0].log_id).decode() == entry["logId"]["keyId"]
    hashes = tuple(base64.b64decode(each) for each in proof["hashes"])
    shown = InclusionProof(index=int(proof["logIndex"]), size=head.size, hashes=hashes)
    leaf = hash_leaf(base64.b64decode(entry["canonicalizedBody"]))
    assert check_inclusion(shown, leaf, head.root)
    # The same proof of another leaf, or under another root, shows nothing.
    assert not check_inclusion(shown, hash_leaf(b"other"), head.root)
    assert not check_inclusion(shown, leaf, hash_leaf(b"other"))


def test_the_log_part_of_every_bundle_is_judged_as_published(cases: dict[str, Path]) -> None:
    assert len(cases) == 26
    judged = {}
    for name, folder in cases.items():
        try:
            check_log_part(read(folder), list_log_keys(read(folder, "trusted_root.json")))
        except SpanproofError as error:
            judged[name] = type(error)
    assert judged == LOG_FAULTS


def test_their_leaves_are_of_the_envelopes_that_they_are_said_to_be_of(
    cases: dict[str, Path],
) -> None:
    found = {}
    for name, folder in cases.items():
        bundle = read(folder)
        if "dsseEnvelope" not in bundle:
            continue
        envelope = bundle["dsseEnvelope"]
        body = bundle["verificationMaterial"]["tlogEntries"][0]["canonicalizedBody"]
        spec = json.loads(base64.b64decode(body))["spec"]["hashedRekordV002"]
        message = encode(envelope["payloadType"], base64.b64decode(envelope["payload"]))
        digest = base64.b64encode(hashlib.sha256(message).digest()).decode()
        found[name] = (
            spec["data"]["digest"] == digest,
            spec["signature"]["content"] == envelope["signatures"][0]["sig"],
        )
    assert found == ENVELOPES


def list_authorities(folder: Path) -> list[TimestampAuthority]:
    """The time-stamping authorities of a case, by our own reader of them."""
    root = read(folder, "trusted_root.json")
    return [
        _parse_authority(Field(each, MalformedTrustError, ""))
        for each in root["timestampAuthorities"]
    ]


def test_their_timestamps_are_judged_as_published(cases: dict[str, Path]) -> None:
    faults, held = {}, 0
    for name, folder in cases.items():
        bundle = read(folder)
        if "messageSignature" in bundle:
            signature = bundle["messageSignature"]["signature"]
        else:
            signature = bundle["dsseEnvelope"]["signatures"][0]["sig"]
        for each in (
            bundle["verificationMaterial"]
            .get("timestampVerificationData", {})
            .get("rfc3161Timestamps", [])
        ):
            token = base64.b64decode(each["signedTimestamp"])
            try:
                check_timestamp(token, base64.b64decode(signature), list_authorities(folder))
                held += 1
            except EvidenceError as error:
                faults[name] = error.message
    assert faults.keys() == TIMESTAMP_FAULTS.keys()
    for name, words in TIMESTAMP_FAULTS.items():
        assert words in faults[name]
    assert held == 20


def test_our_strict_profile_refuses_every_bundle_with_a_certificate(test_data: Path) -> None:
    folder = test_data / "vectors" / "sigstore-rekor2" / "test" / "assets" / "bundle-verify"
    bundles = sorted(folder.glob("*/bundle.sigstore.json"))
    assert len(bundles) == 39
    for path in bundles:
        with pytest.raises((MalformedReceiptError, EvidenceError)):
            parse_bundle(path.read_bytes())


def test_our_trusted_root_is_narrower_than_theirs(cases: dict[str, Path]) -> None:
    roots = [path / "trusted_root.json" for path in cases.values()]
    for path in roots:
        value = json.loads(path.read_text(encoding="utf-8"))
        with pytest.raises(MalformedTrustError):
            parse_trusted_root(Field(value, MalformedTrustError, ""))
