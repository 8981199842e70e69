"""Leaves: Rekor's ``hashedrekord`` 0.0.2 in JCS, one shape for whatever is logged.

A leaf holds the digest of a DSSE encoding, its signature and the public key: no content.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from core import canonical_json

if TYPE_CHECKING:
    from receipt.dsse import Envelope

KIND = "hashedrekord"
VERSION = "0.0.2"
#: As Sigstore names ECDSA on P-256 with SHA-256.
KEY_DETAILS = "PKIX_ECDSA_P256_SHA_256"


def write_entry(envelope: Envelope, public_key: bytes) -> bytes:
    """The leaf's bytes: of this envelope, by this key (SubjectPublicKeyInfo, DER)."""
    return canonical_json.dumps(
        {
            "apiVersion": VERSION,
            "kind": KIND,
            "spec": {
                "hashedRekordV002": {
                    "data": {
                        "algorithm": "SHA2_256",
                        "digest": _encode(hashlib.sha256(envelope.encoding).digest()),
                    },
                    "signature": {
                        "content": _encode(envelope.signature),
                        "verifier": {
                            "keyDetails": KEY_DETAILS,
                            "publicKey": {"rawBytes": _encode(public_key)},
                        },
                    },
                }
            },
        }
    )


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
