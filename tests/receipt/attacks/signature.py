"""Signatures that are none, are by another, or are by a key that may not."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from spanproof.core import canonical_json
from spanproof.receipt.check.report import CheckOutcome, Question
from spanproof.receipt.forms.bundle import bundle_to_json
from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.log_entry import write_entry
from tests.receipt.attacks.register import Register, decode, envelope
from tests.receipt.statements import encode

if TYPE_CHECKING:
    from tests.receipt.attacks.register import Bundle
    from tests.receipt.attacks.scene import Scene

_REGISTER = Register()
ATTACKS = _REGISTER.attacks
_unsigned = _REGISTER.add(CheckOutcome.FAILED, Question.SIGNATURE)
_unlogged = _REGISTER.add(CheckOutcome.FAILED, Question.LOG)
#: The order of P-256 (SEC 2).
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@_unsigned
def payload_byte_flipped(scene: Scene, bundle: Bundle) -> None:
    """One bit of the statement is another."""
    del scene
    payload = bytearray(decode(envelope(bundle)["payload"]))
    payload[len(payload) // 2] ^= 1
    envelope(bundle)["payload"] = encode(bytes(payload))


@_unsigned
def result_rewritten(scene: Scene, bundle: Bundle) -> None:
    """A review became a pass, in good JSON: only the signature knows."""
    del scene
    payload = decode(envelope(bundle)["payload"])
    envelope(bundle)["payload"] = encode(payload.replace(b'"YELLOW"', b'"GREEN"'))


@_unsigned
def payload_written_anew(scene: Scene, bundle: Bundle) -> None:
    """The same words with blanks between them: a signature is over bytes, not over meaning."""
    del scene
    payload = decode(envelope(bundle)["payload"])
    envelope(bundle)["payload"] = encode(payload.replace(b'","', b'", "'))


@_unsigned
def payload_of_another_receipt(scene: Scene, bundle: Bundle) -> None:
    """A good statement with the signature of another good statement."""
    envelope(bundle)["payload"] = encode(scene.other.envelope.payload)


@_unsigned
def payload_type_changed(scene: Scene, bundle: Bundle) -> None:
    """The same bytes, announced as something else than a statement."""
    del scene
    envelope(bundle)["payloadType"] = "application/json"


@_unsigned
def payload_type_in_capitals(scene: Scene, bundle: Bundle) -> None:
    """Media types ignore case elsewhere; what is signed does not."""
    del scene
    envelope(bundle)["payloadType"] = "application/vnd.In-Toto+json"


@_unsigned
def other_payload_type_signed(scene: Scene, bundle: Bundle) -> Bundle:
    """The issuer's key signed these bytes as something else: no statement was made."""
    del bundle
    payload = scene.receipt.envelope.payload
    unsigned = Envelope(payload=payload, signature=b"", payload_type="text/plain")
    signature = scene.issuer.key.sign(unsigned.encoding)
    signed = Envelope(payload=payload, signature=signature, payload_type="text/plain")
    return bundle_to_json(scene.issuer.include(signed))


@_unsigned
def signature_over_the_payload_alone(scene: Scene, bundle: Bundle) -> None:
    """The issuer's key signed the bytes without their type: DSSE binds both."""
    payload = decode(envelope(bundle)["payload"])
    envelope(bundle)["signatures"][0]["sig"] = encode(scene.issuer.key.sign(payload))


@_unsigned
def hint_of_another_trusted_key(scene: Scene, bundle: Bundle) -> None:
    """The hint names another key of the trust file, which did not sign."""
    bundle["verificationMaterial"]["publicKey"]["hint"] = scene.second.key.key_id


@_unsigned
def unknown_hint(scene: Scene, bundle: Bundle) -> None:
    """The hint names no key of the trust file."""
    bundle["verificationMaterial"]["publicKey"]["hint"] = scene.thief.key.key_id


@_unsigned
def hint_cut_short(scene: Scene, bundle: Bundle) -> None:
    """The beginning of a key's id names no key."""
    hint = scene.issuer.key.key_id
    bundle["verificationMaterial"]["publicKey"]["hint"] = hint[:8]


@_unsigned
def key_of_a_stranger_in_our_log(scene: Scene, bundle: Bundle) -> Bundle:
    """A thief who can write to the log but has no key of ours: logged, and signed by nobody."""
    del bundle
    issuer = scene.thief
    sealed = issuer.sign(canonical_json.dumps(scene.say()))
    entry = write_entry(sealed, issuer.key.public_key)
    included = scene.issuer.log.include(entry)
    found: dict[str, Any] = bundle_to_json(scene.issuer.wrap(sealed, entry, included))
    found["verificationMaterial"]["publicKey"]["hint"] = issuer.key.key_id
    return found


@_unlogged
def mirrored_signature(scene: Scene, bundle: Bundle) -> None:
    """(r, n - s) verifies as well as (r, s), without the key: but no leaf has it."""
    del scene
    signature = envelope(bundle)["signatures"][0]
    r, s = decode_dss_signature(decode(signature["sig"]))
    signature["sig"] = encode(encode_dss_signature(r, _ORDER - s))


@_unsigned
def padded_der(scene: Scene, bundle: Bundle) -> None:
    """The same two numbers in BER with a long length: one signature, one form."""
    del scene
    signature = envelope(bundle)["signatures"][0]
    raw = decode(signature["sig"])
    signature["sig"] = encode(raw[:1] + b"\x81" + raw[1:])


@_unsigned
def bytes_behind_the_signature(scene: Scene, bundle: Bundle) -> None:
    """A good signature with a byte behind it."""
    del scene
    signature = envelope(bundle)["signatures"][0]
    signature["sig"] = encode(decode(signature["sig"]) + b"\x00")


@_unsigned
def raw_signature(scene: Scene, bundle: Bundle) -> None:
    """Two numbers of 32 bytes (IEEE P1363) instead of DER."""
    del scene
    signature = envelope(bundle)["signatures"][0]
    r, s = decode_dss_signature(decode(signature["sig"]))
    signature["sig"] = base64.b64encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).decode()


@_unsigned
def zero_signature(scene: Scene, bundle: Bundle) -> None:
    """Two zeros verified everything in a well-known library once (CVE-2022-21449)."""
    del scene
    envelope(bundle)["signatures"][0]["sig"] = encode(encode_dss_signature(0, 0))
