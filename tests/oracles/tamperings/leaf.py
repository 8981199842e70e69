"""The leaf: what the log holds of a receipt."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.receipt.forms.bundle import bundle_to_json
from spanproof.receipt.forms.log_entry import write_entry
from tests.oracles.tamperings.register import (
    LEAF,
    NOBODY,
    SIGSTORE,
    Register,
    decode,
    encode,
    entry_of,
    flip,
    log_leaf,
)

if TYPE_CHECKING:
    from tests.oracles.tamperings.scene import Bundle, Scene

_REGISTER = Register()
TAMPERINGS = _REGISTER.tamperings


@_REGISTER.refused_by(LEAF)
def leaf_bit_flipped(_: Scene, bundle: Bundle) -> None:
    """One changed bit of the leaf."""
    flip(entry_of(bundle), "canonicalizedBody")


@_REGISTER.refused_by(LEAF)
def leaf_laid_out_anew(_: Scene, bundle: Bundle) -> None:
    """The same leaf with other white space."""
    leaf = json.loads(decode(entry_of(bundle)["canonicalizedBody"]))
    entry_of(bundle)["canonicalizedBody"] = encode(json.dumps(leaf).encode())


@_REGISTER.refused_by(SIGSTORE)
def leaf_of_another_receipt(scene: Scene, bundle: Bundle) -> None:
    """Leaf and proof of another receipt, both honest."""
    other = bundle_to_json(scene.other)
    bundle["verificationMaterial"]["tlogEntries"] = other["verificationMaterial"]["tlogEntries"]


@_REGISTER.refused_by(SIGSTORE)
def leaf_with_digest_of_bare_payload(scene: Scene, _: Bundle) -> bytes:
    """A logged leaf that holds the digest of the payload, not of what was signed."""
    envelope = scene.receipt.envelope
    leaf = json.loads(scene.receipt.entry)
    bare = hashlib.sha256(envelope.payload).digest()
    leaf["spec"]["hashedRekordV002"]["data"]["digest"] = encode(bare)
    return log_leaf(scene, envelope, canonical_json.dumps(leaf))


@_REGISTER.refused_by(NOBODY)
def leaf_with_a_strangers_key(scene: Scene, _: Bundle) -> bytes:
    """A logged leaf that names another public key than the one that signed."""
    envelope = scene.receipt.envelope
    return log_leaf(scene, envelope, write_entry(envelope, scene.stranger.key.public_key))


@_REGISTER.refused_by(SIGSTORE)
def kind_other(_: Scene, bundle: Bundle) -> None:
    """Another kind of leaf."""
    entry_of(bundle)["kindVersion"]["kind"] = "dsse"


@_REGISTER.refused_by(SIGSTORE)
def kind_version_other(_: Scene, bundle: Bundle) -> None:
    """Another version of leaf."""
    entry_of(bundle)["kindVersion"]["version"] = "0.0.1"
