"""Receipts made in memory: a key, a log, a document, and the trust file that goes with them.

Everything is the same on every run: keys come from small numbers, moments are given. Nothing here
checks anything, so that a test can make what no issuer would.

    issuer = Issuer()
    receipt = issuer.issue()                  # a Receipt; bundle_to_json(receipt) is its bundle
    raw = to_bytes(receipt)                   # the bundle's file
    trust = to_trust_bytes(issuer)            # the trust file that accepts it
    issuer.issue(verdicts=[])                 # fields of the predicate in their place
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from spanproof.core import canonical_json
from spanproof.core.log.checkpoint import Checkpoint, IncludedLeaf, LoggedLeaf
from spanproof.core.log.merkle import compute_root, hash_leaf, prove_consistency, prove_inclusion
from spanproof.receipt.forms.bundle import Receipt, bundle_to_json
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.log_entry import write_entry
from spanproof.receipt.forms.signed_note import parse_note, write_line
from spanproof.receipt.keys.signing_keys import LocalEntryKey, LocalLogKey
from spanproof.receipt.witness.cosignature import LocalCosigner, format_cosigner_key
from spanproof.receipt.witness.cosigning import CosignRequest, write_request
from tests.receipt.statements import MOMENT, encode, make_result, make_statement, to_text

if TYPE_CHECKING:
    from collections.abc import Iterable

ORIGIN = "log.example.com"
#: Of the keys, unless a test says otherwise.
VALID_FROM = MOMENT - timedelta(days=30)


def make_entry_key(number: int = 1) -> LocalEntryKey:
    """The P-256 key of a small number."""
    return LocalEntryKey(ec.derive_private_key(number, ec.SECP256R1()))


def make_log_key(number: int = 1, origin: str = ORIGIN) -> LocalLogKey:
    """The Ed25519 key of a small number."""
    seed = hashlib.sha256(b"log key %d" % number).digest()
    return LocalLogKey(Ed25519PrivateKey.from_private_bytes(seed), origin)


@dataclass(eq=False)
class MemoryLog:
    """A log without a disk: its entries, and checkpoints and proofs of any size on request."""

    key: LocalLogKey = field(default_factory=make_log_key)
    entries: list[bytes] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """Its name."""
        return self.key.origin

    def append(self, entry: bytes) -> LoggedLeaf:
        """Add a leaf."""
        self.entries.append(entry)
        return self.leaf(len(self.entries) - 1)

    def leaf(self, index: int) -> LoggedLeaf:
        """What stands at an index."""
        return LoggedLeaf(origin=self.origin, index=index, leaf_hash=hash_leaf(self.entries[index]))

    def checkpoint(self, size: int | None = None) -> Checkpoint:
        """The head over the first ``size`` leaves (None: all)."""
        size = len(self.entries) if size is None else size
        root = compute_root([hash_leaf(entry) for entry in self.entries[:size]])
        return Checkpoint(origin=self.origin, size=size, root=root)

    def note(self, size: int | None = None) -> str:
        """The head as the log signs it."""
        return self.key.sign(self.checkpoint(size))

    def prove(self, index: int, size: int | None = None) -> IncludedLeaf:
        """A leaf, a head that covers it, and the proof."""
        head = self.checkpoint(size)
        return IncludedLeaf(
            leaf=self.leaf(index),
            checkpoint=head,
            note=self.key.sign(head),
            proof=prove_inclusion(self._read, index, head.size),
        )

    def prove_growth(self, old_size: int, size: int | None = None) -> str:
        """An add-checkpoint request: the head of ``size`` grew out of that of ``old_size``."""
        size = len(self.entries) if size is None else size
        proof = prove_consistency(self._read, old_size, size)
        request = CosignRequest(old_size=old_size, hashes=proof.hashes, note=self.note(size))
        return write_request(request).decode("utf-8")

    def include(self, entry: bytes) -> IncludedLeaf:
        """Add a leaf and prove it under the new head."""
        return self.prove(self.append(entry).index)

    def _read(self, level: int, index: int) -> bytes:
        hashes = [hash_leaf(entry) for entry in self.entries[index << level : (index + 1) << level]]
        return compute_root(hashes)


@dataclass(eq=False)
class Issuer:
    """Who signs: a key, and the log in which everything is kept."""

    key: LocalEntryKey = field(default_factory=make_entry_key)
    log: MemoryLog = field(default_factory=MemoryLog)
    moment: datetime = MOMENT

    def sign(self, statement: Any) -> Envelope:
        """An envelope around these words (JCS), or around bytes as they are."""
        payload = statement if isinstance(statement, bytes) else canonical_json.dumps(statement)
        unsigned = Envelope(payload=payload, signature=b"")
        return Envelope(payload=payload, signature=self.key.sign(unsigned.encoding))

    def add_intake(self) -> LoggedLeaf:
        """The leaf that says that something came in."""
        statement = make_statement("urn:spanproof:attestation:intake:v1", {})
        return self.log.append(write_entry(self.sign(statement), self.key.public_key))

    def issue(self, **fields: Any) -> Receipt:
        """A receipt: intake leaf, statement, result leaf; ``fields`` replace the predicate's."""
        intake = self.add_intake()
        return self.include(self.sign(make_result(intake, moment=self.moment, **fields)))

    def include(self, envelope: Envelope) -> Receipt:
        """Log an envelope and make its receipt."""
        entry = write_entry(envelope, self.key.public_key)
        return self.wrap(envelope, entry, self.log.include(entry))

    def wrap(self, envelope: Envelope, entry: bytes, included: IncludedLeaf) -> Receipt:
        """A receipt of these parts, whether they belong together or not."""
        return Receipt(
            envelope=envelope,
            key_id=self.key.key_id,
            entry=entry,
            included=included,
            log_id=self.log.key.verifier.log_id,
        )


def to_bytes(receipt: Receipt) -> bytes:
    """The bundle as a file."""
    return json.dumps(bundle_to_json(receipt), indent=1).encode("utf-8") + b"\n"


def make_trust(
    keys: Iterable[LocalEntryKey],
    logs: Iterable[LocalLogKey],
    *,
    origin: str = ORIGIN,
    start: datetime = VALID_FROM,
    end: datetime | None = None,
) -> dict[str, Any]:
    """The trust file's object; ``end`` bounds every key of it."""
    window = {"start": to_text(start)} | ({} if end is None else {"end": to_text(end)})
    return {
        "trusted_root": {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [
                {
                    "baseUrl": f"https://{log.origin}",
                    "hashAlgorithm": "SHA2_256",
                    "publicKey": {
                        "rawBytes": encode(to_spki(log)),
                        "keyDetails": "PKIX_ED25519",
                        "validFor": window,
                    },
                    "logId": {"keyId": encode(log.verifier.log_id)},
                }
                for log in logs
            ],
        },
        "signing_keys": [
            {"key_id": key.key_id, "spki_b64": encode(key.public_key), "valid_for": window}
            for key in keys
        ],
        "origin": origin,
    }


def to_trust_bytes(
    *issuers: Issuer, witnesses: Iterable[LocalCosigner] = (), **changes: Any
) -> bytes:
    """The trust file that accepts what these issuers issue into the log of the first.

    ``witnesses`` are those of whom one is enough; ``changes`` replace fields.
    """
    log = issuers[0].log.key
    trust = make_trust([issuer.key for issuer in issuers], [log], origin=log.origin)
    policy = make_witness_policy(witnesses)
    named = {"witness_policy": policy} if policy else {}
    return json.dumps(trust | named | changes).encode("utf-8")


def make_cosigner(number: int = 1) -> LocalCosigner:
    """The witness of a small number."""
    seed = hashlib.sha256(b"witness %d" % number).digest()
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return LocalCosigner(private, f"witness{number}.example.net")


def make_witness_policy(witnesses: Iterable[LocalCosigner]) -> str:
    """A C2SP tlog-policy: one of these is enough; empty without any."""
    keys = [format_cosigner_key(witness.verifier) for witness in witnesses]
    if not keys:
        return ""
    lines = [f"witness w{number} {key}" for number, key in enumerate(keys)]
    names = " ".join(f"w{number}" for number in range(len(keys)))
    return "\n".join([*lines, f"group all 1 {names}", "quorum all", ""])


def cosign(note: str, witness: LocalCosigner, moment: datetime) -> str:
    """The note with a witness's line below the others."""
    line = witness.cosign(parse_note(note).text, int(moment.timestamp()))
    return note + write_line(line)


def to_spki(log: LocalLogKey) -> bytes:
    """An Ed25519 public key as SubjectPublicKeyInfo (RFC 8410: a fixed prefix)."""
    return bytes.fromhex("302a300506032b6570032100") + log.verifier.public_key
