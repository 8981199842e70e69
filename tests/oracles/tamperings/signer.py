"""Who signed: hints, strangers, and a stolen key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanproof.receipt.forms.bundle import bundle_to_json
from spanproof.receipt.forms.log_entry import write_entry
from tests.oracles.tamperings.register import (
    ENVELOPE,
    EVERYBODY,
    LEAF,
    Register,
    copy_log,
    encode,
    entry_of,
)
from tests.receipt.samples import Issuer

if TYPE_CHECKING:
    from tests.oracles.tamperings.scene import Bundle, Scene

_REGISTER = Register()
TAMPERINGS = _REGISTER.tamperings


@_REGISTER.refused_by(frozenset({"sigstore", "securesystemslib"}))
def hint_of_a_stranger(scene: Scene, bundle: Bundle) -> None:
    """The hint names a key that the auditor was not given."""
    bundle["verificationMaterial"]["publicKey"]["hint"] = scene.stranger.key.key_id


@_REGISTER.refused_by(EVERYBODY)
def receipt_by_a_stranger(scene: Scene, bundle: Bundle) -> None:
    """A stranger's statement, signature, hint and leaf around the honest proof."""
    envelope = scene.stranger.sign(json.loads(scene.receipt.envelope.payload))
    entry = write_entry(envelope, scene.stranger.key.public_key)
    bundle["dsseEnvelope"]["signatures"] = [{"sig": encode(envelope.signature)}]
    bundle["verificationMaterial"]["publicKey"]["hint"] = scene.stranger.key.key_id
    entry_of(bundle)["canonicalizedBody"] = encode(entry)


@_REGISTER.refused_by(ENVELOPE)
def receipt_by_a_stranger_in_our_log(scene: Scene, _: Bundle) -> bytes:
    """A stranger's receipt, truly in the log, under the stranger's hint."""
    visitor = Issuer(key=scene.stranger.key, log=copy_log(scene.issuer.log))
    return json.dumps(bundle_to_json(visitor.issue())).encode()


@_REGISTER.refused_by(LEAF)
def receipt_never_logged(scene: Scene, _: Bundle) -> bytes:
    """The issuer's own statement, whose leaf is not in the log (a stolen key)."""
    envelope = scene.issuer.sign(json.loads(scene.other.envelope.payload) | {"subject": []})
    entry = write_entry(envelope, scene.issuer.key.public_key)
    unlogged = scene.issuer.wrap(envelope, entry, scene.receipt.included)
    return json.dumps(bundle_to_json(unlogged)).encode()
