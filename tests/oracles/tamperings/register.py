"""How a tampering is written down, and what all of them need."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from spanproof.receipt.forms.bundle import bundle_to_json
from tests.oracles.verifiers import Case, Trust
from tests.receipt.samples import Issuer, MemoryLog

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.receipt.forms.dsse import Envelope
    from tests.oracles.tamperings.scene import Bundle, Scene

    #: Changes the bundle that it is given, or returns what the file or the trust is instead.
    Change: TypeAlias = Callable[[Scene, Bundle], bytes | Trust | None]

#: Who reads which part of a receipt.
ENVELOPE = frozenset({"sigstore", "openssl", "securesystemslib"})
LEAF = frozenset({"sigstore", "sumdb"})
CHECKPOINT = frozenset({"sigstore", "sumdb", "openssl"})
EVERYBODY = ENVELOPE | LEAF
SIGSTORE = frozenset({"sigstore"})
NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampering:
    """What was done, and by whom it must be noticed."""

    name: str
    what: str
    refused_by: frozenset[str]
    change: Change

    def apply(self, scene: Scene) -> Case:
        """The receipt as the auditor gets it."""
        bundle = scene.bundle
        changed = self.change(scene, bundle)
        raw = changed if isinstance(changed, bytes) else json.dumps(bundle).encode()
        trust = changed if isinstance(changed, Trust) else scene.trust
        return Case(name=self.name, raw=raw, trust=trust)


class Register:
    """The tamperings of a module, in the order in which they stand there."""

    def __init__(self) -> None:
        self.tamperings: list[Tampering] = []

    def refused_by(self, verifiers: frozenset[str]) -> Callable[[Change], Change]:
        """Add the function below, of which its docstring is the description."""

        def add(change: Change) -> Change:
            assert change.__doc__
            what = change.__doc__.rstrip(".")
            name = change.__name__
            self.tamperings.append(
                Tampering(name=name, what=what, refused_by=verifiers, change=change)
            )
            return change

        return add


def entry_of(bundle: Bundle) -> Bundle:
    """The bundle's log entry."""
    entry: Bundle = bundle["verificationMaterial"]["tlogEntries"][0]
    return entry


def proof_of(bundle: Bundle) -> Bundle:
    """The bundle's inclusion proof."""
    proof: Bundle = entry_of(bundle)["inclusionProof"]
    return proof


def flip(where: Bundle, name: str) -> None:
    """Turn one bit in the middle of what stands there in base64."""
    content = bytearray(decode(where[name]))
    content[len(content) // 2] ^= 1
    where[name] = encode(bytes(content))


def change_payload(bundle: Bundle, change: Callable[[bytes], bytes]) -> None:
    """Put another payload into the envelope."""
    payload = decode(bundle["dsseEnvelope"]["payload"])
    changed = change(payload)
    assert changed != payload
    bundle["dsseEnvelope"]["payload"] = encode(changed)


def change_signature(bundle: Bundle, change: Callable[[bytes], bytes]) -> None:
    """Put another signature into the envelope."""
    signature = bundle["dsseEnvelope"]["signatures"][0]
    changed = change(decode(signature["sig"]))
    assert changed != decode(signature["sig"])
    signature["sig"] = encode(changed)


def change_note(bundle: Bundle, change: Callable[[str], str]) -> None:
    """Put another checkpoint into the proof."""
    checkpoint = proof_of(bundle)["checkpoint"]
    changed = change(checkpoint["envelope"])
    assert changed != checkpoint["envelope"]
    checkpoint["envelope"] = changed


def change_line(bundle: Bundle, change: Callable[[str, bytes], tuple[str, bytes]]) -> None:
    """Change the checkpoint's signature line: the name; the key's number and the signature."""

    def rewrite(note: str) -> str:
        text, _, line = note.rpartition("— ")
        name, content = change(line.split()[0], decode(line.split()[1]))
        return f"{text}— {name} {encode(content)}\n"

    change_note(bundle, rewrite)


def log_leaf(scene: Scene, envelope: Envelope, leaf: bytes) -> bytes:
    """The receipt of an issuer that logged this leaf for its envelope."""
    log = copy_log(scene.issuer.log)
    issuer = Issuer(key=scene.issuer.key, log=log)
    return json.dumps(bundle_to_json(issuer.wrap(envelope, leaf, log.include(leaf)))).encode()


def copy_log(log: MemoryLog) -> MemoryLog:
    """The same log, to be continued in another way."""
    return MemoryLog(key=log.key, entries=list(log.entries))


def encode(content: bytes) -> str:
    """Base64, padded."""
    return base64.b64encode(content).decode("ascii")


def decode(text: str) -> bytes:
    """Bytes of padded base64."""
    return base64.b64decode(text, validate=True)
