"""RFC 3161 timestamps: an authority's word that some bytes existed by a moment.

Over a receipt's signature, as Sigstore's bundles carry them, or over a signed checkpoint. Nothing
here is needed to check a receipt without one; the library is the extra ``timestamps``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from cryptography import x509

from spanproof.core.errors import EvidenceError, TimestampsUnavailableError
from spanproof.core.shown import show_ascii

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from types import ModuleType

    from rfc3161_client import TimeStampResponse

    from spanproof.receipt.keys.trusted_root import TimestampAuthority

#: A response has a token of a few thousand bytes, certificates included.
MAX_RESPONSE_BYTES = 1 << 16
_HINT = "Ask the authority for another timestamp, or name it in the trust file."


@dataclass(frozen=True, slots=True, kw_only=True)
class Timestamp:
    """When the bytes existed: at ``moment`` (UTC), give or take ``accuracy``, by whose word."""

    moment: datetime
    accuracy: timedelta
    authority: str

    @property
    def latest(self) -> datetime:
        """By when they surely existed."""
        return self.moment + self.accuracy


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampRequest:
    """The request to an authority (``application/timestamp-query``), and the bytes to stamp."""

    content: bytes
    message: bytes
    nonce: int


def make_request(message: bytes) -> TimestampRequest:
    """Ask for a timestamp over SHA-256 of these bytes, with a nonce and the signer's certificate.

    Raises TimestampsUnavailableError without the extra.
    """
    client = _import_client()
    builder = client.TimestampRequestBuilder().data(message)
    request = builder.hash_algorithm(client.HashAlgorithm.SHA256).cert_request(cert_request=True)
    built = request.nonce(nonce=True).build()
    return TimestampRequest(content=built.as_bytes(), message=message, nonce=built.nonce)


def check_response(
    raw: bytes, request: TimestampRequest, authorities: Sequence[TimestampAuthority]
) -> Timestamp:
    """The timestamp of the answer to one's own request; raise EvidenceError for any other."""
    return _check(raw, request.message, authorities, nonce=request.nonce)


def check_timestamp(
    raw: bytes, message: bytes, authorities: Sequence[TimestampAuthority]
) -> Timestamp:
    """The timestamp over these bytes by one of the authorities; ``raw`` is a response (DER).

    Raises EvidenceError where it does not hold, or the authority was not trusted at that moment,
    and TimestampsUnavailableError without the extra: then nothing is known, which is not a pass.
    """
    return _check(raw, message, authorities, nonce=None)


def _check(
    raw: bytes,
    message: bytes,
    authorities: Sequence[TimestampAuthority],
    *,
    nonce: int | None,
) -> Timestamp:
    response = _parse(raw)
    if not authorities:
        msg = "Expected a timestamp of an authority in the trust file, which names none."
        raise EvidenceError(msg, hint=_HINT)
    reasons = []
    for authority in authorities:
        reason = _find_fault(response, message, authority, nonce)
        if reason is None:
            return _read(response, authority)
        reasons.append(f"{authority.uri}: {reason}")
    msg = f"Expected a timestamp that holds, got one that does not ({'; '.join(reasons)})."
    raise EvidenceError(msg, hint=_HINT)


def _find_fault(
    response: TimeStampResponse,
    message: bytes,
    authority: TimestampAuthority,
    nonce: int | None,
) -> str | None:
    """Why this is not the authority's timestamp over the bytes; None if it is."""
    client = _import_client()
    try:
        certificates = [x509.load_der_x509_certificate(each) for each in authority.certificates]
        verifier = client.VerifierBuilder(
            # One certificate alone is a root whose signers the responses carry.
            tsa_certificate=certificates[0] if len(certificates) > 1 else None,
            intermediates=certificates[1:-1],
            roots=certificates[-1:],
            nonce=nonce,
        ).build()
        verifier.verify_message(response, message)  # It raises, or returns True.
    except client.VerificationError as exc:
        # What follows is OpenSSL's own list of errors.
        return str(exc).partition(": ErrorStack")[0]
    except Exception as exc:  # noqa: BLE001 - it lets errors of what it is built on through
        return f"it cannot be read ({show_ascii(str(exc))})"
    if not authority.valid_for.covers(response.tst_info.gen_time):
        return f"it was trusted from {authority.valid_for}"
    return None


def _read(response: TimeStampResponse, authority: TimestampAuthority) -> Timestamp:
    found = response.tst_info
    accuracy = timedelta()
    if found.accuracy is not None:
        accuracy = timedelta(
            seconds=found.accuracy.seconds,
            milliseconds=found.accuracy.millis or 0,
            microseconds=found.accuracy.micros or 0,
        )
    return Timestamp(moment=found.gen_time, accuracy=accuracy, authority=authority.uri)


def _parse(raw: bytes) -> TimeStampResponse:
    client = _import_client()
    if len(raw) > MAX_RESPONSE_BYTES:
        msg = f"Expected a timestamp of at most {MAX_RESPONSE_BYTES} bytes, got {len(raw)}."
        raise EvidenceError(msg, hint=_HINT)
    try:
        response: TimeStampResponse = client.decode_timestamp_response(raw)
        # Parsed at its first use: a refusal has a status and no token.
        _ = response.tst_info
    except ValueError as exc:
        msg = "Expected an RFC 3161 response with a timestamp, got something else."
        raise EvidenceError(msg, hint=_HINT) from exc
    return response


def _import_client() -> ModuleType:
    try:
        import rfc3161_client
    except ImportError as exc:
        msg = "Expected the package rfc3161-client for timestamps, but it is not installed."
        raise TimestampsUnavailableError(msg, hint="pip install 'spanproof[timestamps]'.") from exc
    return rfc3161_client
