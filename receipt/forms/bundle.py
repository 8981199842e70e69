"""Receipts as files: Sigstore bundles v0.3 with one DSSE signature and one log entry.

Source: https://github.com/sigstore/protobuf-specs (sigstore_bundle.proto, sigstore_rekor.proto).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spanproof.core.errors import EvidenceError, MalformedReceiptError
from spanproof.core.json_reader import strict_json
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.core.json_reader.json_field import Field
from spanproof.core.log.checkpoint import IncludedLeaf, LoggedLeaf
from spanproof.core.log.merkle import HASH_SIZE, InclusionProof, hash_leaf
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.log_entry import KIND, MAX_ENTRY_BYTES, VERSION
from spanproof.receipt.forms.signed_note import MAX_NOTE_BYTES, parse_note

MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
#: Room for the statement of an answer with thousands of citations.
MAX_BUNDLE_BYTES = 32 << 20
MAX_PAYLOAD_BYTES = 16 << 20
#: A tree of 2**63 leaves has no longer proof.
MAX_HASHES = 63
MAX_TIMESTAMPS = 8
MAX_TOKEN_BYTES = 1 << 16
_LIMITS = strict_json.JsonLimits(max_bytes=MAX_BUNDLE_BYTES, max_depth=8, max_values=1000)
_HINT = "Give the receipt as it was issued."


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a bundle holds: the signed statement, its leaf, and that the leaf is in the log.

    ``key_id`` is only a hint which key signed; ``entry`` are the leaf's bytes, ``log_id`` is
    ``LogKey.log_id``, ``timestamps`` are RFC 3161 tokens over the signature (DER).
    """

    envelope: Envelope
    key_id: str
    entry: bytes
    included: IncludedLeaf
    log_id: bytes
    timestamps: tuple[bytes, ...] = ()


def bundle_to_json(receipt: Receipt) -> dict[str, Any]:
    """The bundle; its 64-bit numbers are strings, as protobuf's JSON writes them.

    Its names are in the order of canonical JSON: the first answer and all later ones are the same.
    """
    included = receipt.included
    material: dict[str, Any] = {"publicKey": {"hint": receipt.key_id}}
    if receipt.timestamps:
        tokens = [{"signedTimestamp": encode_base64(token)} for token in receipt.timestamps]
        material["timestampVerificationData"] = {"rfc3161Timestamps": tokens}
    material["tlogEntries"] = [
        {
            "canonicalizedBody": encode_base64(receipt.entry),
            "inclusionProof": {
                "checkpoint": {"envelope": included.note},
                "hashes": [encode_base64(each) for each in included.proof.hashes],
                "logIndex": str(included.leaf.index),
                "rootHash": encode_base64(included.checkpoint.root),
                "treeSize": str(included.checkpoint.size),
            },
            "kindVersion": {"kind": KIND, "version": VERSION},
            "logId": {"keyId": encode_base64(receipt.log_id)},
            "logIndex": str(included.leaf.index),
        }
    ]
    return {
        "dsseEnvelope": {
            "payload": encode_base64(receipt.envelope.payload),
            "payloadType": receipt.envelope.payload_type,
            "signatures": [{"sig": encode_base64(receipt.envelope.signature)}],
        },
        "mediaType": MEDIA_TYPE,
        "verificationMaterial": material,
    }


def parse_bundle(raw: bytes) -> Receipt:
    """Read a bundle of exactly the shape that ``bundle_to_json`` writes; nothing is verified.

    Raises MalformedReceiptError (or MalformedNoteError for its checkpoint) for any other shape,
    EvidenceError for parts that contradict one another: then the receipt can be read and is wrong.
    """
    error = MalformedReceiptError
    value = strict_json.parse(
        raw,
        what="a Sigstore bundle v0.3",
        error=error,
        hint=_HINT,
        limits=_LIMITS,
    )
    bundle = Field(value, error, _HINT).fields("mediaType", "verificationMaterial", "dsseEnvelope")
    bundle["mediaType"].literal(MEDIA_TYPE)
    material = bundle["verificationMaterial"].fields(
        "publicKey", "tlogEntries", optional=["timestampVerificationData"]
    )
    logged = material["tlogEntries"].items(most=1)
    if not logged:
        # What a stolen key signs looks like this: all is well formed, and no check could see it.
        msg = "Expected a receipt with its place in the log, got one that was never logged."
        raise EvidenceError(msg, hint=_HINT)
    log_id, entry, included = _parse_logged(logged[0])
    return Receipt(
        envelope=_parse_envelope(bundle["dsseEnvelope"]),
        key_id=material["publicKey"].fields("hint")["hint"].text(most=256),
        entry=entry,
        included=included,
        log_id=log_id,
        timestamps=_parse_timestamps(material.get("timestampVerificationData")),
    )


def _parse_envelope(field: Field) -> Envelope:
    envelope = field.fields("payload", "payloadType", "signatures")
    # Another signature would be one that no check reads.
    signature = envelope["signatures"].items(least=1, most=1)[0].fields("sig")
    return Envelope(
        payload=envelope["payload"].base64(most=MAX_PAYLOAD_BYTES),
        payload_type=envelope["payloadType"].text(),
        signature=signature["sig"].base64(most=256),
    )


def _parse_logged(field: Field) -> tuple[bytes, bytes, IncludedLeaf]:
    """The log's id, the leaf's bytes, and what puts it into the log."""
    logged = field.fields("logIndex", "logId", "kindVersion", "inclusionProof", "canonicalizedBody")
    kind = logged["kindVersion"].fields("kind", "version")
    kind["kind"].literal(KIND)
    kind["version"].literal(VERSION)
    proof = logged["inclusionProof"].fields(
        "logIndex", "rootHash", "treeSize", "hashes", "checkpoint"
    )
    note = proof["checkpoint"].fields("envelope")["envelope"].text(most=MAX_NOTE_BYTES)
    checkpoint = parse_checkpoint(parse_note(note).text)
    entry = logged["canonicalizedBody"].base64(most=MAX_ENTRY_BYTES)
    index, size = logged["logIndex"].int64(), proof["treeSize"].int64()
    hashes = proof["hashes"].items(most=MAX_HASHES)
    included = IncludedLeaf(
        leaf=LoggedLeaf(origin=checkpoint.origin, index=index, leaf_hash=hash_leaf(entry)),
        checkpoint=checkpoint,
        note=note,
        proof=InclusionProof(
            index=index, size=size, hashes=tuple(each.base64(size=HASH_SIZE) for each in hashes)
        ),
    )
    # What is said twice must be said alike: one of our readers or another's may go by either.
    _require_same(index, proof["logIndex"].int64(), "the leaf's index in its proof")
    _require_same(size, checkpoint.size, "the tree's size in its checkpoint")
    root = proof["rootHash"].base64(size=HASH_SIZE)
    _require_same(root.hex(), checkpoint.root.hex(), "the tree's root in its checkpoint")
    return logged["logId"].fields("keyId")["keyId"].base64(size=32), entry, included


def _require_same(expected: object, got: object, what: str) -> None:
    if expected != got:
        msg = f"Expected {expected} as {what}, got {got}."
        raise EvidenceError(msg, hint=_HINT)


def _parse_timestamps(field: Field | None) -> tuple[bytes, ...]:
    if field is None:
        return ()
    tokens = field.fields("rfc3161Timestamps")["rfc3161Timestamps"]
    return tuple(
        token.fields("signedTimestamp")["signedTimestamp"].base64(most=MAX_TOKEN_BYTES)
        for token in tokens.items(least=1, most=MAX_TIMESTAMPS)
    )
