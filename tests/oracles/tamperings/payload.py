"""What was signed: the payload and its type."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING

from tests.oracles.tamperings.register import (
    ENVELOPE,
    Register,
    change_payload,
    decode,
    flip,
)
from tests.receipt.statements import SOURCE, sha256

if TYPE_CHECKING:
    from tests.oracles.tamperings.scene import Bundle, Scene

_REGISTER = Register()
TAMPERINGS = _REGISTER.tamperings


@_REGISTER.refused_by(ENVELOPE)
def payload_bit_flipped(_: Scene, bundle: Bundle) -> None:
    """One changed bit of the payload."""
    flip(bundle["dsseEnvelope"], "payload")


@_REGISTER.refused_by(ENVELOPE)
def payload_verdict_turned(_: Scene, bundle: Bundle) -> None:
    """What failed reads as passed, in as many bytes."""
    old, new = b'"result":"fail"', b'"result":"pass"'
    change_payload(bundle, lambda payload: payload.replace(old, new))


@_REGISTER.refused_by(ENVELOPE)
def payload_laid_out_anew(_: Scene, bundle: Bundle) -> None:
    """The same statement with other white space."""
    change_payload(bundle, lambda payload: json.dumps(json.loads(payload), indent=1).encode())


@_REGISTER.refused_by(ENVELOPE)
def payload_cut_short(_: Scene, bundle: Bundle) -> None:
    """The payload lacks its last byte."""
    change_payload(bundle, lambda payload: payload[:-1])


@_REGISTER.refused_by(ENVELOPE)
def payload_of_another_receipt(scene: Scene, bundle: Bundle) -> None:
    """The payload of another receipt by the same issuer."""
    change_payload(bundle, lambda _: scene.other.envelope.payload)


@_REGISTER.refused_by(ENVELOPE)
def payload_missing(_: Scene, bundle: Bundle) -> None:
    """No payload at all."""
    change_payload(bundle, lambda _: b"")


@_REGISTER.refused_by(ENVELOPE)
def payload_a_byte_longer(_: Scene, bundle: Bundle) -> None:
    """A newline after the payload."""
    change_payload(bundle, lambda payload: payload + b"\n")


@_REGISTER.refused_by(ENVELOPE)
def payload_after_a_mark(_: Scene, bundle: Bundle) -> None:
    """A byte order mark before the payload."""
    change_payload(bundle, lambda payload: "\ufeff".encode() + payload)


@_REGISTER.refused_by(ENVELOPE)
def payload_in_escapes(_: Scene, bundle: Bundle) -> None:
    """The same statement, non-ASCII letters escaped."""

    def escape(payload: bytes) -> bytes:
        return json.dumps(json.loads(payload), separators=(",", ":"), sort_keys=True).encode()

    change_payload(bundle, escape)


@_REGISTER.refused_by(ENVELOPE)
def payload_decomposed(_: Scene, bundle: Bundle) -> None:
    """The same words in another Unicode normal form."""
    change_payload(bundle, lambda payload: unicodedata.normalize("NFD", payload.decode()).encode())


@_REGISTER.refused_by(ENVELOPE)
def payload_with_a_float(_: Scene, bundle: Bundle) -> None:
    """A whole number is written with a fraction of zero."""
    change_payload(bundle, lambda payload: payload.replace(b'n":1,', b'n":1.0,'))


@_REGISTER.refused_by(ENVELOPE)
def payload_about_another_document(_: Scene, bundle: Bundle) -> None:
    """The subject's digest is another document's."""
    old, new = sha256(SOURCE).encode(), sha256(b"another").encode()
    change_payload(bundle, lambda payload: payload.replace(old, new))


@_REGISTER.refused_by(ENVELOPE)
def payload_type_other(_: Scene, bundle: Bundle) -> None:
    """Another payload type."""
    bundle["dsseEnvelope"]["payloadType"] = "application/json"


@_REGISTER.refused_by(ENVELOPE)
def payload_type_upper_case(_: Scene, bundle: Bundle) -> None:
    """The type in another case of letters."""
    bundle["dsseEnvelope"]["payloadType"] = "application/vnd.in-toto+JSON"


@_REGISTER.refused_by(ENVELOPE)
def payload_type_with_a_space(_: Scene, bundle: Bundle) -> None:
    """A space after the type."""
    bundle["dsseEnvelope"]["payloadType"] += " "


@_REGISTER.refused_by(ENVELOPE)
def payload_type_missing(_: Scene, bundle: Bundle) -> None:
    """No type."""
    del bundle["dsseEnvelope"]["payloadType"]


@_REGISTER.refused_by(ENVELOPE)
def byte_moved_from_payload_to_type(_: Scene, bundle: Bundle) -> None:
    """The payload's first byte moved into the type."""
    first = decode(bundle["dsseEnvelope"]["payload"])[:1]
    bundle["dsseEnvelope"]["payloadType"] += first.decode()
    change_payload(bundle, lambda payload: payload[1:])
