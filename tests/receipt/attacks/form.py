"""Bundles that have another form than ours: none of them is a receipt, whatever it says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanproof.receipt.check.report import CheckOutcome
from tests.receipt.attacks.register import Register, envelope, logged, proof, to_file
from tests.receipt.statements import encode

if TYPE_CHECKING:
    from tests.receipt.attacks.register import Bundle
    from tests.receipt.attacks.scene import Scene

_REGISTER = Register()
ATTACKS = _REGISTER.attacks
_malformed = _REGISTER.add(CheckOutcome.MALFORMED)


@_malformed
def truncated(scene: Scene, bundle: Bundle) -> bytes:
    """Half of a file is no receipt, though what is left of it is true."""
    del scene
    raw = to_file(bundle)
    return raw[: len(raw) // 2]


@_malformed
def empty_file(scene: Scene, bundle: Bundle) -> bytes:
    """A file without a byte."""
    del scene, bundle
    return b""


@_malformed
def appended_object(scene: Scene, bundle: Bundle) -> bytes:
    """Two JSON texts in one file: one reader takes the first, another the last."""
    del scene
    return to_file(bundle) * 2


@_malformed
def deeply_nested(scene: Scene, bundle: Bundle) -> bytes:
    """A hundred thousand brackets end a reader that recurses."""
    del scene, bundle
    return b"[" * 100_000


@_malformed
def name_twice_in_bundle(scene: Scene, bundle: Bundle) -> bytes:
    """The payload stands there twice: a reader that takes the first sees another than ours."""
    del scene
    raw = to_file(bundle)
    return raw.replace(b'"payload":', b'"payload": "e30=",\n  "payload":', 1)


@_malformed
def float_for_an_index(scene: Scene, bundle: Bundle) -> bytes:
    """An index with a fraction: readers round it each in its own way."""
    del scene
    logged(bundle)["logIndex"] = 0
    return to_file(bundle).replace(b'"logIndex": 0', b'"logIndex": 5.0000000000000001', 1)


@_malformed
def not_a_number(scene: Scene, bundle: Bundle) -> None:
    """NaN is no JSON, though Python's reader takes it."""
    del scene
    logged(bundle)["logIndex"] = float("nan")


@_malformed
def unknown_field_in_bundle(scene: Scene, bundle: Bundle) -> None:
    """A field that no reader of ours checks would be taken for checked."""
    del scene
    bundle["verified"] = True


@_malformed
def certificate_instead_of_key(scene: Scene, bundle: Bundle) -> None:
    """A certificate brings its own key along; nobody asked the trust file about it."""
    material = bundle["verificationMaterial"]
    del material["publicKey"]
    raw = logged(bundle)["canonicalizedBody"]
    material["certificate"] = {"rawBytes": raw}
    del scene


@_malformed
def key_in_the_bundle(scene: Scene, bundle: Bundle) -> None:
    """A public key beside the hint: whoever forged the bundle chose it."""
    key = scene.thief.key.public_key
    bundle["verificationMaterial"]["publicKey"]["rawBytes"] = key.hex()


@_malformed
def second_signature(scene: Scene, bundle: Bundle) -> None:
    """Which of two signatures was checked? One that nobody asked about would look checked."""
    del scene
    envelope(bundle)["signatures"].append(dict(envelope(bundle)["signatures"][0]))


@_malformed
def no_signature(scene: Scene, bundle: Bundle) -> None:
    """Every signature of none holds."""
    del scene
    envelope(bundle)["signatures"] = []


@_malformed
def key_id_in_the_signature(scene: Scene, bundle: Bundle) -> None:
    """DSSE's own hint could name another key than the bundle's."""
    envelope(bundle)["signatures"][0]["keyid"] = scene.thief.key.key_id


@_malformed
def bare_signature(scene: Scene, bundle: Bundle) -> None:
    """A signature over a digest instead of an envelope: it says nothing of the statement."""
    del scene
    signature = envelope(bundle)["signatures"][0]["sig"]
    del bundle["dsseEnvelope"]
    bundle["messageSignature"] = {"signature": signature}


@_malformed
def older_media_type(scene: Scene, bundle: Bundle) -> None:
    """Bundles v0.1 could do with a promise where ours need a proof."""
    del scene
    bundle["mediaType"] = "application/vnd.dev.sigstore.bundle+json;version=0.1"


@_malformed
def two_log_entries(scene: Scene, bundle: Bundle) -> None:
    """The second entry is another receipt's: who says which of them counts?"""
    del scene
    entries = bundle["verificationMaterial"]["tlogEntries"]
    entries.append(json.loads(json.dumps(entries[0])))


@_malformed
def promise_beside_the_proof(scene: Scene, bundle: Bundle) -> None:
    """A promise of inclusion shows nothing that the log could not take back."""
    del scene
    logged(bundle)["inclusionPromise"] = {"signedEntryTimestamp": "AAAA"}


@_malformed
def other_kind_of_entry(scene: Scene, bundle: Bundle) -> None:
    """A 'dsse' entry commits to other bytes than a 'hashedrekord' does."""
    del scene
    logged(bundle)["kindVersion"] = {"kind": "dsse", "version": "0.0.2"}


@_malformed
def number_instead_of_text(scene: Scene, bundle: Bundle) -> None:
    """Indexes are texts in a bundle: as numbers, JavaScript rounds those beyond 2**53."""
    del scene
    logged(bundle)["logIndex"] = int(logged(bundle)["logIndex"])


@_malformed
def index_with_a_leading_zero(scene: Scene, bundle: Bundle) -> None:
    """One number in two ways."""
    del scene
    logged(bundle)["logIndex"] = "0" + logged(bundle)["logIndex"]


@_malformed
def url_safe_base64(scene: Scene, bundle: Bundle) -> None:
    """The other alphabet: some readers skip what they do not know, and see other bytes."""
    del scene
    signature = envelope(bundle)["signatures"][0]
    signature["sig"] = "-_" + signature["sig"][2:]


@_malformed
def unused_bits_in_base64(scene: Scene, bundle: Bundle) -> None:
    """The last character of a root holds bits that no reader looks at: one root, four texts."""
    del scene
    root = proof(bundle)["rootHash"]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    proof(bundle)["rootHash"] = root[:-2] + alphabet[alphabet.index(root[-2]) + 1] + "="


@_malformed
def extension_in_the_checkpoint(scene: Scene, bundle: Bundle) -> None:
    """A line behind the root, which no verifier of ours would look at."""
    del scene
    note = proof(bundle)["checkpoint"]
    text, _, signatures = note["envelope"].rpartition("\n\n")
    note["envelope"] = f"{text}\nverified\n\n{signatures}"


@_malformed
def short_hash_in_the_proof(scene: Scene, bundle: Bundle) -> None:
    """A hash of 31 bytes: a node of a tree that nobody has."""
    del scene
    proof(bundle)["hashes"][0] = encode(bytes(31))
