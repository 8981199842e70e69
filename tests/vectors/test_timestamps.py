"""The RFC 3161 fixtures of Trail of Bits' client through our wrapper: ten responses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from core.errors import EvidenceError
from receipt.timestamp import TimestampRequest, check_response, check_timestamp
from receipt.trusted_root import TimestampAuthority, ValidFor

if TYPE_CHECKING:
    from pathlib import Path

#: When a response was made, or words of why it does not hold.
RESPONSES = {
    "identrust/issue-104.tsr": datetime(2025, 3, 11, 8, 52, 8, tzinfo=UTC),
    "sigstage/response-invalid-signature.tsr": "Unable to verify pkcs7 signature",
    "sigstage/response-no-embedded-cert.tsr": datetime(2025, 6, 18, 8, 13, 2, tzinfo=UTC),
    "sigstage/response-sha256.tsr": datetime(2025, 5, 9, 11, 58, 55, tzinfo=UTC),
    "sigstage/response-sha384.tsr": datetime(2025, 5, 9, 11, 58, 55, tzinfo=UTC),
    "sigstage/response-sha512.tsr": datetime(2025, 5, 9, 11, 58, 56, tzinfo=UTC),
    # Its certificates are past, and were not when it was made.
    "sigstore.mock/response-expired.tsr": datetime(2023, 2, 1, tzinfo=UTC),
    # Of an authority that was there before the one whose certificates stand beside it.
    "test_tsa/other_response.tsr": "Unable to verify pkcs7 signature",
    # Certificates that nobody signed for stand in it; the signer's is still the right one.
    "test_tsa/response-injected-certs.tsr": datetime(2024, 10, 8, 15, 40, 32, tzinfo=UTC),
    "test_tsa/response.tsr": datetime(2024, 10, 8, 15, 40, 32, tzinfo=UTC),
}


@pytest.fixture(scope="module")
def fixtures(test_data: Path) -> Path:
    """The folder of the fixtures."""
    return test_data / "vectors" / "rfc3161" / "test" / "fixtures"


def read_authority(folder: Path, valid_for: ValidFor) -> TimestampAuthority:
    """The authority beside a response; one of the chains is DER under the name of PEM."""
    raw = (folder / "ts_chain.pem").read_bytes()
    is_pem = raw.startswith(b"-----")
    chain = (
        x509.load_pem_x509_certificates(raw) if is_pem else [x509.load_der_x509_certificate(raw)]
    )
    return TimestampAuthority(
        uri=f"https://{folder.name}",
        organization="",
        common_name="",
        certificates=tuple(each.public_bytes(Encoding.DER) for each in chain),
        valid_for=valid_for,
    )


def read_message(path: Path) -> bytes:
    payload = path.parent / "payload"
    return payload.read_bytes() if payload.exists() else b"hello"


EVER = ValidFor(start=datetime(2020, 1, 1, tzinfo=UTC))


def test_every_response_is_judged_as_published(fixtures: Path) -> None:
    paths = sorted(fixtures.glob("*/*.tsr"))
    assert [str(path.relative_to(fixtures)) for path in paths] == list(RESPONSES)
    assert len(list(fixtures.glob("*/*"))) == 20
    for path in paths:
        expected = RESPONSES[str(path.relative_to(fixtures))]
        authority = read_authority(path.parent, EVER)
        if isinstance(expected, str):
            with pytest.raises(EvidenceError, match=expected):
                check_timestamp(path.read_bytes(), read_message(path), [authority])
            continue
        found = check_timestamp(path.read_bytes(), read_message(path), [authority])
        assert found.moment == expected
        assert found.authority == authority.uri
        assert found.latest - found.moment in {timedelta(0), timedelta(seconds=1)}


def test_no_response_holds_over_other_bytes(fixtures: Path) -> None:
    for path in fixtures.glob("*/*.tsr"):
        with pytest.raises(EvidenceError):
            check_timestamp(path.read_bytes(), b"other", [read_authority(path.parent, EVER)])


def test_an_authority_is_trusted_within_its_window_and_for_its_own_responses(
    fixtures: Path,
) -> None:
    raw = (fixtures / "test_tsa" / "response.tsr").read_bytes()
    late = ValidFor(start=datetime(2025, 1, 1, tzinfo=UTC))
    with pytest.raises(EvidenceError, match="it was trusted from 2025-01-01T00:00:00Z to now"):
        check_timestamp(raw, b"hello", [read_authority(fixtures / "test_tsa", late)])
    other = read_authority(fixtures / "sigstage", EVER)
    with pytest.raises(EvidenceError, match="https://sigstage: "):
        check_timestamp(raw, b"hello", [other])
    right = read_authority(fixtures / "test_tsa", EVER)
    assert check_timestamp(raw, b"hello", [other, right]).authority == "https://test_tsa"
    with pytest.raises(EvidenceError, match="which names none"):
        check_timestamp(raw, b"hello", [])


def test_the_answer_to_another_request_is_refused(fixtures: Path) -> None:
    raw = (fixtures / "test_tsa" / "response.tsr").read_bytes()
    authority = read_authority(fixtures / "test_tsa", EVER)
    asked = TimestampRequest(content=b"", message=b"hello", nonce=3937359519792308179)
    assert check_response(raw, asked, [authority]).authority == authority.uri
    other = TimestampRequest(content=b"", message=b"hello", nonce=1)
    with pytest.raises(EvidenceError, match="Nonce mismatch"):
        check_response(raw, other, [authority])


def test_a_request_is_no_response(fixtures: Path) -> None:
    for path in fixtures.glob("*/*.der"):
        with pytest.raises(EvidenceError, match="an RFC 3161 response"):
            check_timestamp(path.read_bytes(), b"hello", [read_authority(path.parent, EVER)])
