"""Receipts as files: Sigstore bundles v0.3 with one DSSE signature and one log entry.

Source: https://github.com/sigstore/protobuf-specs (sigstore_bundle.proto, sigstore_rekor.proto).
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from receipt.entry import KIND, VERSION

if TYPE_CHECKING:
    from core.checkpoint import IncludedLeaf
    from receipt.dsse import Envelope

MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a bundle holds: the signed statement, its leaf, and that the leaf is in the log.

    ``key_id`` is only a hint which key signed; ``entry`` are the leaf's bytes, ``log_id`` names
    the log's key, ``timestamps`` are RFC 3161 tokens over the signature (DER).
    """

    envelope: Envelope
    key_id: str
    entry: bytes
    included: IncludedLeaf
    log_id: bytes
    timestamps: tuple[bytes, ...] = ()


def bundle_to_json(receipt: Receipt) -> dict[str, Any]:
    """The bundle; its 64-bit numbers are strings, as protobuf's JSON writes them."""
    included = receipt.included
    material: dict[str, Any] = {
        "publicKey": {"hint": receipt.key_id},
        "tlogEntries": [
            {
                "logIndex": str(included.leaf.index),
                "logId": {"keyId": _encode(receipt.log_id)},
                "kindVersion": {"kind": KIND, "version": VERSION},
                "inclusionProof": {
                    "logIndex": str(included.leaf.index),
                    "rootHash": _encode(included.checkpoint.root),
                    "treeSize": str(included.checkpoint.size),
                    "hashes": [_encode(each) for each in included.proof.hashes],
                    "checkpoint": {"envelope": included.note},
                },
                "canonicalizedBody": _encode(receipt.entry),
            }
        ],
    }
    if receipt.timestamps:
        tokens = [{"signedTimestamp": _encode(token)} for token in receipt.timestamps]
        material["timestampVerificationData"] = {"rfc3161Timestamps": tokens}
    return {
        "mediaType": MEDIA_TYPE,
        "verificationMaterial": material,
        "dsseEnvelope": {
            "payload": _encode(receipt.envelope.payload),
            "payloadType": receipt.envelope.payload_type,
            "signatures": [{"sig": _encode(receipt.envelope.signature)}],
        },
    }


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
