"""A receipt: a Sigstore bundle v0.3; see docs/reference/receipts.md."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from spanproof.receipt.forms.bundle import MEDIA_TYPE


class _BundlePart(BaseModel):
    """Names as in protobuf's JSON; 64-bit numbers are strings, bytes are base64."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class PublicKeyOut(_BundlePart):
    """A hint at the signing key, which is in the trust file."""

    hint: str


class LogIdOut(_BundlePart):
    """The log, by its key."""

    key_id: str


class KindVersionOut(_BundlePart):
    """Kind of the leaf."""

    kind: Literal["hashedrekord"]
    version: Literal["0.0.2"]


class CheckpointOut(_BundlePart):
    """The signed head of the log."""

    envelope: str


class InclusionProofOut(_BundlePart):
    """Proof that the head includes the leaf."""

    log_index: str
    root_hash: str
    tree_size: str
    hashes: list[str]
    checkpoint: CheckpointOut


class LogEntryOut(_BundlePart):
    """The leaf and its place in the log."""

    log_index: str
    log_id: LogIdOut
    kind_version: KindVersionOut
    inclusion_proof: InclusionProofOut
    canonicalized_body: str


class MaterialOut(_BundlePart):
    """Material for checking the signature, besides the trust file."""

    public_key: PublicKeyOut
    tlog_entries: list[LogEntryOut]
    timestamp_verification_data: dict[str, Any] | None = None


class SignatureOut(_BundlePart):
    """ECDSA P-256 over SHA-256, DER."""

    sig: str


class EnvelopeOut(_BundlePart):
    """The signed statement (DSSE)."""

    payload: str
    payload_type: str
    signatures: list[SignatureOut]


class ReceiptOut(_BundlePart):
    """A Sigstore bundle."""

    media_type: Literal["application/vnd.dev.sigstore.bundle.v0.3+json"] = Field(alias="mediaType")
    verification_material: MaterialOut
    dsse_envelope: EnvelopeOut


#: The example shows a bundle's shape; real bytes would be as long as this file.
EXAMPLE: dict[str, Any] = {
    "mediaType": MEDIA_TYPE,
    "verificationMaterial": {
        "publicKey": {"hint": "cTLoJC8D2gYbZYyRtM6sfEgPyZhlUU754+T6W6DpYu0="},
        "tlogEntries": [
            {
                "logIndex": "2",
                "logId": {"keyId": "fG2pK7GXLj7pZI3vngtKvGt2QgZzanHp4h8rJSHrr3g="},
                "kindVersion": {"kind": "hashedrekord", "version": "0.0.2"},
                "inclusionProof": {
                    "logIndex": "2",
                    "rootHash": "3RlyF+bmeCmmLBVxUICazHNC56OEAsL1CHP4ZIqH7XY=",
                    "treeSize": "3",
                    "hashes": ["SlGqk3+RLSOK/kCgKKMAcmbkuFnLI2EI+ejVfh1J0l0="],
                    "checkpoint": {
                        "envelope": "t-7132e8242f03.spanproof.internal\n3\n"
                        "3RlyF+bmeCmmLBVxUICazHNC56OEAsL1CHP4ZIqH7XY=\n\n"
                        "\u2014 t-7132e8242f03.spanproof.internal fG2pK0INyQVK33DXbM4y8A==\n"
                    },
                },
                "canonicalizedBody": "eyJhcGlWZXJzaW9uIjoiMC4wLjIifQ==",
            }
        ],
    },
    "dsseEnvelope": {
        "payload": "eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ==",
        "payloadType": "application/vnd.in-toto+json",
        "signatures": [{"sig": "MEQCIGJc+IRjXJkoiaUqNI2Dvrcf"}],
    },
}
