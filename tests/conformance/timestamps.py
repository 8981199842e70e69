"""RFC 3161 responses of the suite of rfc3161-client, through our own wrapper of it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from spanproof.core.errors import EvidenceError
from spanproof.receipt.check.timestamp import check_timestamp
from spanproof.receipt.keys.trusted_root import TimestampAuthority, ValidFor
from tests.conformance.vectors import Vector, VectorSet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RFC3161 = "rfc3161"
#: What the suite's tests say of each. Certificates that were slipped into a response name nobody:
#: the authority is the one whose certificate the trust file holds.
_RESPONSES = {
    "sigstage/response-sha256.tsr": True,
    "sigstage/response-sha384.tsr": True,
    "sigstage/response-sha512.tsr": True,
    "sigstage/response-no-embedded-cert.tsr": True,
    "sigstage/response-invalid-signature.tsr": False,
    "test_tsa/response.tsr": True,
    "test_tsa/response-injected-certs.tsr": True,
    "test_tsa/other_response.tsr": False,
    # Made while its certificates were valid, which they no longer are.
    "sigstore.mock/response-expired.tsr": True,
    # The signer's certificate is not the first in the response.
    "identrust/issue-104.tsr": True,
}


def load_rfc3161(folder: Path) -> Iterator[VectorSet]:
    """Every response, over the message that was stamped."""
    fixtures = folder / "test" / "fixtures"
    assert {str(path.relative_to(fixtures)) for path in fixtures.rglob("*.tsr")} == set(_RESPONSES)
    yield VectorSet(
        folder=RFC3161,
        question="timestamps",
        ours="spanproof.receipt.check.timestamp.check_timestamp",
        vectors=tuple(
            Vector(name=name, comes_out=partial(_agrees, fixtures / name, is_good))
            for name, is_good in _RESPONSES.items()
        ),
        accepted=sum(_RESPONSES.values()),
    )


def _agrees(path: Path, is_good: bool) -> bool:
    payload = path.parent / "payload"
    message = payload.read_bytes() if payload.exists() else b"hello"
    authority = _read_authority(path.parent / "ts_chain.pem")
    try:
        check_timestamp(path.read_bytes(), message, [authority])
    except EvidenceError:
        return not is_good
    return is_good


def _read_authority(path: Path) -> TimestampAuthority:
    raw = path.read_bytes()
    # One of the files is DER, whatever its name says.
    is_text = raw.startswith(b"-----")
    chain = (
        x509.load_pem_x509_certificates(raw) if is_text else [x509.load_der_x509_certificate(raw)]
    )
    return TimestampAuthority(
        uri=path.parent.name,
        organization="",
        common_name="",
        certificates=tuple(each.public_bytes(Encoding.DER) for each in chain),
        valid_for=ValidFor(start=datetime.min.replace(tzinfo=UTC)),
    )
