"""The signature over the payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from tests.oracles.tamperings.register import (
    ENVELOPE,
    SIGSTORE,
    Register,
    change_signature,
    encode,
    flip,
)

if TYPE_CHECKING:
    from tests.oracles.tamperings.scene import Bundle, Scene

_REGISTER = Register()
TAMPERINGS = _REGISTER.tamperings

#: The order of P-256's group: r and n - s are as good a signature as r and s (SEC 1, 4.1.4).
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@_REGISTER.refused_by(ENVELOPE)
def signature_bit_flipped(_: Scene, bundle: Bundle) -> None:
    """One changed bit of the signature."""
    flip(bundle["dsseEnvelope"]["signatures"][0], "sig")


@_REGISTER.refused_by(ENVELOPE)
def signature_cut_short(_: Scene, bundle: Bundle) -> None:
    """The signature lacks its last byte."""
    change_signature(bundle, lambda signature: signature[:-1])


@_REGISTER.refused_by(ENVELOPE)
def signature_without_der(_: Scene, bundle: Bundle) -> None:
    """The signature as 64 bytes (IEEE P1363), not DER."""

    def convert(signature: bytes) -> bytes:
        r, s = decode_dss_signature(signature)
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    change_signature(bundle, convert)


@_REGISTER.refused_by(ENVELOPE)
def signature_a_byte_longer(_: Scene, bundle: Bundle) -> None:
    """A byte after the signature."""
    change_signature(bundle, lambda signature: signature + b"\x00")


@_REGISTER.refused_by(ENVELOPE)
def signature_padded(_: Scene, bundle: Bundle) -> None:
    """The signature's first number has a zero byte more than DER allows."""

    def pad(signature: bytes) -> bytes:
        # SEQUENCE, length, INTEGER, length, number …
        size, first = signature[1], signature[3]
        return bytes([0x30, size + 1, 0x02, first + 1, 0]) + signature[4:]

    change_signature(bundle, pad)


@_REGISTER.refused_by(ENVELOPE)
def signature_numbers_swapped(_: Scene, bundle: Bundle) -> None:
    """The signature's two numbers exchanged."""

    def swap(signature: bytes) -> bytes:
        r, s = decode_dss_signature(signature)
        return encode_dss_signature(s, r)

    change_signature(bundle, swap)


@_REGISTER.refused_by(ENVELOPE)
def signature_of_zeros(_: Scene, bundle: Bundle) -> None:
    """Both numbers are zero (CVE-2022-21449)."""
    change_signature(bundle, lambda _: encode_dss_signature(0, 0))


@_REGISTER.refused_by(ENVELOPE)
def signature_beyond_the_order(_: Scene, bundle: Bundle) -> None:
    """The second number is larger by the group's order."""

    def enlarge(signature: bytes) -> bytes:
        r, s = decode_dss_signature(signature)
        return encode_dss_signature(r, s + _ORDER)

    change_signature(bundle, enlarge)


@_REGISTER.refused_by(ENVELOPE)
def signature_over_another_hash(scene: Scene, bundle: Bundle) -> None:
    """The issuer's signature over SHA-384."""
    encoding = scene.receipt.envelope.encoding
    signature = scene.issuer.key.private.sign(encoding, ec.ECDSA(hashes.SHA384()))
    change_signature(bundle, lambda _: signature)


@_REGISTER.refused_by(ENVELOPE)
def signature_by_the_log(scene: Scene, bundle: Bundle) -> None:
    """The log's signature over the statement."""
    signature = scene.issuer.log.key.private.sign(scene.receipt.envelope.encoding)
    change_signature(bundle, lambda _: signature)


@_REGISTER.refused_by(SIGSTORE)
def signature_mirrored(_: Scene, bundle: Bundle) -> None:
    """The signature's other valid form (n - s)."""

    def mirror(signature: bytes) -> bytes:
        r, s = decode_dss_signature(signature)
        return encode_dss_signature(r, _ORDER - s)

    change_signature(bundle, mirror)


@_REGISTER.refused_by(ENVELOPE)
def signature_of_another_receipt(scene: Scene, bundle: Bundle) -> None:
    """The signature of another receipt by the same issuer."""
    change_signature(bundle, lambda _: scene.other.envelope.signature)


@_REGISTER.refused_by(ENVELOPE)
def signature_over_the_bare_payload(scene: Scene, bundle: Bundle) -> None:
    """The issuer's signature over the payload without its type."""
    signature = scene.issuer.key.sign(scene.receipt.envelope.payload)
    change_signature(bundle, lambda _: signature)


@_REGISTER.refused_by(ENVELOPE)
def signature_by_a_stranger(scene: Scene, bundle: Bundle) -> None:
    """A stranger's signature over the same payload."""
    signature = scene.stranger.key.sign(scene.receipt.envelope.encoding)
    change_signature(bundle, lambda _: signature)


@_REGISTER.refused_by(ENVELOPE)
def signatures_none(_: Scene, bundle: Bundle) -> None:
    """No signature."""
    bundle["dsseEnvelope"]["signatures"] = []


@_REGISTER.refused_by(ENVELOPE)
def signatures_two(scene: Scene, bundle: Bundle) -> None:
    """A second signature, by a stranger, beside the right one."""
    signature = scene.stranger.key.sign(scene.receipt.envelope.encoding)
    bundle["dsseEnvelope"]["signatures"].append({"sig": encode(signature)})
