"""Bundles of Sigstore's conformance suite, as far as a receipt has the same parts.

Their signers are certificates of an authority, which no receipt of ours has: who they are is not
asked. What is asked is what a receipt shares with them: the log of Rekor v2 (hashedrekord leaves,
signed notes, inclusion proofs), the DSSE envelope and its leaf, and RFC 3161 timestamps.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from spanproof.core import canonical_json
from spanproof.core.errors import EvidenceError, MalformedNoteError
from spanproof.core.log.merkle import InclusionProof, check_inclusion, hash_leaf
from spanproof.receipt.check.timestamp import check_timestamp
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.dsse import PAYLOAD_TYPE, Envelope
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.keys.signing_keys import EntryKey, LogKey
from spanproof.receipt.keys.trusted_root import TimestampAuthority, ValidFor
from tests.conformance.vectors import LeftOut, Vector, VectorSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SIGSTORE = "sigstore-rekor2"
_HTTPS = "https://"
#: Which part of a bundle is at fault, where its name ends in _fail (their README files say so).
_BAD_LOG = ("rekor2-checkpoint-", "rekor2-no-inclusion-proof")
_BAD_ENVELOPE = ("rekor2-dsse-",)
_BAD_TIMESTAMP = ("rekor2-timestamp-",)
#: The certificate is at fault: it was not valid at the time that the token rightly tells.
_BAD_CERTIFICATE = ("rekor2-timestamp-with-incorrect-time_fail",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A folder of the suite: a bundle, and the root that its reader trusts."""

    name: str
    bundle: dict[str, Any]
    root: dict[str, Any]

    @property
    def entry(self) -> dict[str, Any]:
        """The one log entry."""
        (entry,) = self.bundle["verificationMaterial"]["tlogEntries"]
        found: dict[str, Any] = entry
        return found

    @property
    def signature(self) -> bytes:
        """What the signer made, over a message or an envelope."""
        if "dsseEnvelope" in self.bundle:
            return _decode(self.bundle["dsseEnvelope"]["signatures"][0]["sig"])
        return _decode(self.bundle["messageSignature"]["signature"])

    @property
    def tokens(self) -> list[bytes]:
        """Its RFC 3161 responses."""
        found = self.bundle["verificationMaterial"].get("timestampVerificationData") or {}
        return [_decode(each["signedTimestamp"]) for each in found.get("rfc3161Timestamps", ())]

    def is_good(self, faults: tuple[str, ...]) -> bool:
        """Whether the part is good whose faults have these names."""
        return not (self.name.endswith("_fail") and self.name.startswith(faults))


def load_sigstore(folder: Path) -> Iterator[VectorSet]:
    """The three parts, each of the bundles that have it."""
    cases = [_read_case(path) for path in _find_rekor2(folder)]
    yield _make_set(
        "log",
        cases,
        _is_logged,
        _BAD_LOG,
        "spanproof.receipt.forms.signed_note, spanproof.core.log.merkle",
    )
    yield VectorSet(
        folder=SIGSTORE,
        question="leaves: the same bytes when written again",
        ours="spanproof.core.canonical_json.dumps",
        vectors=tuple(Vector(name=case.name, comes_out=partial(_is_jcs, case)) for case in cases),
    )
    signed = [case for case in cases if "dsseEnvelope" in case.bundle]
    ours = "spanproof.receipt.forms.dsse.Envelope, spanproof.receipt.keys.signing_keys.EntryKey"
    yield _make_set("envelopes", signed, _is_enveloped, _BAD_ENVELOPE, ours)
    stamped = [case for case in cases if case.tokens]
    ours = "spanproof.receipt.check.timestamp.check_timestamp"
    yield _make_set("timestamps", stamped, _is_stamped, _BAD_TIMESTAMP, ours)


def list_left_out(folder: Path) -> Iterator[LeftOut]:
    """What has no Rekor v2 entry."""
    known = {path.name for path in _find_rekor2(folder)}
    others = [path for path in _cases(folder).iterdir() if path.is_dir() and path.name not in known]
    reason = "bundles of Rekor v1 (leaves of another version, promises in place of proofs)"
    yield LeftOut(folder=SIGSTORE, count=len(others), reason=reason)


def _make_set(
    part: str,
    cases: list[Case],
    answer: Callable[[Case], bool],
    faults: tuple[str, ...],
    ours: str,
) -> VectorSet:
    good = {case.name: case.is_good(faults) or case.name in _BAD_CERTIFICATE for case in cases}
    return VectorSet(
        folder=SIGSTORE,
        question=part,
        ours=ours,
        vectors=tuple(
            Vector(name=case.name, comes_out=partial(_agrees, answer, case, good[case.name]))
            for case in cases
        ),
        accepted=sum(good.values()),
    )


def _agrees(answer: Callable[[Case], bool], case: Case, is_good: bool) -> bool:
    return answer(case) is is_good


def _is_logged(case: Case) -> bool:
    """Whether the leaf is in the tree whose head a trusted log signed."""
    proof = case.entry.get("inclusionProof")
    if proof is None:
        return False
    try:
        note = parse_note(proof["checkpoint"]["envelope"])
        signers = check_note(note, _list_logs(case))
        head = parse_checkpoint(note.text)
    except (MalformedNoteError, EvidenceError):
        return False
    path = InclusionProof(
        index=int(proof["logIndex"]),
        size=head.size,
        hashes=tuple(_decode(each) for each in proof["hashes"]),
    )
    leaf = hash_leaf(_decode(case.entry["canonicalizedBody"]))
    return head.origin in {key.name for key in signers} and check_inclusion(path, leaf, head.root)


def _list_logs(case: Case) -> list[LogKey]:
    """The Ed25519 logs of the root, whose ids are computed as ours."""
    found = []
    for log in case.root["tlogs"]:
        if log["publicKey"]["keyDetails"] == "PKIX_ED25519":
            origin = log["baseUrl"].removeprefix(_HTTPS)
            key = LogKey.from_spki(_decode(log["publicKey"]["rawBytes"]), origin)
            assert key.log_id == _decode(log["logId"]["keyId"])
            found.append(key)
    return found


def _is_jcs(case: Case) -> bool:
    raw = _decode(case.entry["canonicalizedBody"])
    return canonical_json.dumps(json.loads(raw)) == raw


def _is_enveloped(case: Case) -> bool:
    """Whether the certificate's key signed the envelope, and the leaf is this envelope's."""
    raw = case.bundle["dsseEnvelope"]
    assert raw["payloadType"] == PAYLOAD_TYPE
    envelope = Envelope(payload=_decode(raw["payload"]), signature=case.signature)
    leaf = json.loads(_decode(case.entry["canonicalizedBody"]))["spec"]["hashedRekordV002"]
    is_logged = _decode(leaf["data"]["digest"]) == hashlib.sha256(envelope.encoding).digest()
    is_signature_logged = _decode(leaf["signature"]["content"]) == envelope.signature
    is_signed = EntryKey(_read_key(case)).verify(envelope.encoding, envelope.signature)
    return is_logged and is_signature_logged and is_signed


def _read_key(case: Case) -> bytes:
    raw = _decode(case.bundle["verificationMaterial"]["certificate"]["rawBytes"])
    return (
        x509.load_der_x509_certificate(raw)
        .public_key()
        .public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def _is_stamped(case: Case) -> bool:
    """Whether every timestamp is one of a trusted authority over the signature."""
    authorities = [_read_authority(each) for each in case.root["timestampAuthorities"]]
    try:
        for token in case.tokens:
            check_timestamp(token, case.signature, authorities)
    except EvidenceError:
        return False
    return True


def _read_authority(raw: dict[str, Any]) -> TimestampAuthority:
    window = raw.get("validFor") or {}
    end = window.get("end")
    start = window.get("start")
    return TimestampAuthority(
        uri=raw.get("uri", ""),
        organization=raw["subject"]["organization"],
        common_name=raw["subject"]["commonName"],
        certificates=tuple(_decode(each["rawBytes"]) for each in raw["certChain"]["certificates"]),
        valid_for=ValidFor(
            start=datetime.min.replace(tzinfo=UTC) if start is None else _read_moment(start),
            end=None if end is None else _read_moment(end),
        ),
    )


def _read_moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _cases(folder: Path) -> Path:
    return folder / "test" / "assets" / "bundle-verify"


def _find_rekor2(folder: Path) -> list[Path]:
    return sorted(path for path in _cases(folder).glob("rekor2-*") if path.is_dir())


def _read_case(path: Path) -> Case:
    return Case(
        name=path.name,
        bundle=json.loads((path / "bundle.sigstore.json").read_text(encoding="utf-8")),
        root=json.loads((path / "trusted_root.json").read_text(encoding="utf-8")),
    )


def _decode(text: str) -> bytes:
    return base64.b64decode(text)
