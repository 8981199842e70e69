from __future__ import annotations

import builtins
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import rfc3161_client
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import EvidenceError, TimestampsUnavailableError
from spanproof.receipt.check.timestamp import (
    MAX_RESPONSE_BYTES,
    check_response,
    check_timestamp,
    make_request,
)
from spanproof.receipt.keys.trusted_root import TimestampAuthority, ValidFor
from tests.receipt.authority import LocalAuthority
from tests.strategies import unhurried

if TYPE_CHECKING:
    from pathlib import Path

MESSAGE = b"a signature"
NOBODY = TimestampAuthority(
    uri="https://tsa.example.com",
    organization="",
    common_name="",
    certificates=(b"",),
    valid_for=ValidFor(start=datetime(2020, 1, 1, tzinfo=UTC)),
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> LocalAuthority:
    return LocalAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def response(authority: LocalAuthority) -> bytes:
    return authority.answer(make_request(MESSAGE).content)


def test_the_answer_to_a_request_says_when(authority: LocalAuthority) -> None:
    request = make_request(MESSAGE)
    found = check_response(authority.answer(request.content), request, [authority.trusted])
    assert abs(found.moment - datetime.now(UTC)) < timedelta(minutes=5)
    assert found.authority == "https://tsa.example.com"
    assert found.latest - found.moment == timedelta(seconds=1, milliseconds=500, microseconds=7)


def test_an_authority_need_not_say_how_accurate_it_is(tmp_path: Path) -> None:
    authority = LocalAuthority(tmp_path, accuracy=None)
    request = make_request(MESSAGE)
    found = check_response(authority.answer(request.content), request, [authority.trusted])
    assert found.latest == found.moment


def test_two_requests_differ(authority: LocalAuthority) -> None:
    first, second = make_request(MESSAGE), make_request(MESSAGE)
    assert first.nonce != second.nonce
    answer = authority.answer(first.content)
    with pytest.raises(EvidenceError, match="Nonce mismatch"):
        check_response(answer, second, [authority.trusted])


def test_a_timestamp_is_over_its_own_bytes(authority: LocalAuthority, response: bytes) -> None:
    check_timestamp(response, MESSAGE, [authority.trusted])
    with pytest.raises(EvidenceError, match="Mismatch between messages"):
        check_timestamp(response, MESSAGE + b"!", [authority.trusted])


def test_a_root_alone_vouches_for_its_signers(authority: LocalAuthority, response: bytes) -> None:
    alone = replace(authority.trusted, certificates=authority.trusted.certificates[1:])
    assert check_timestamp(response, MESSAGE, [alone]).authority == alone.uri


def test_an_authority_of_another_time_or_key_is_refused(
    authority: LocalAuthority, response: bytes, tmp_path: Path
) -> None:
    late = ValidFor(start=datetime.now(UTC) + timedelta(days=1))
    with pytest.raises(EvidenceError, match="it was trusted from"):
        check_timestamp(response, MESSAGE, [replace(authority.trusted, valid_for=late)])
    other = LocalAuthority(tmp_path).trusted
    with pytest.raises(EvidenceError, match="does not"):
        check_timestamp(response, MESSAGE, [other])
    both = [other, authority.trusted]
    assert check_timestamp(response, MESSAGE, both).authority == other.uri
    with pytest.raises(EvidenceError, match="which names none"):
        check_timestamp(response, MESSAGE, [])


def test_certificates_that_are_none_are_a_fault_of_the_authority(response: bytes) -> None:
    with pytest.raises(EvidenceError, match="cannot be read"):
        check_timestamp(response, MESSAGE, [NOBODY])


def test_a_signer_below_a_key_below_the_root_is_known_by_all_three(tmp_path: Path) -> None:
    authority = LocalAuthority(tmp_path, has_middle=True)
    raw = authority.answer(make_request(MESSAGE).content)
    signer, middle, root = authority.trusted.certificates
    assert check_timestamp(raw, MESSAGE, [authority.trusted]).authority == authority.trusted.uri
    for fewer in ((signer, root), (signer, middle, signer)):
        with pytest.raises(EvidenceError, match="does not"):
            check_timestamp(raw, MESSAGE, [replace(authority.trusted, certificates=fewer)])


def test_the_signer_is_known_where_the_response_does_not_carry_it(
    authority: LocalAuthority,
) -> None:
    builder = rfc3161_client.TimestampRequestBuilder().data(MESSAGE)
    builder = builder.hash_algorithm(rfc3161_client.HashAlgorithm.SHA256)
    request = builder.cert_request(cert_request=False).nonce(nonce=False).build()
    raw = authority.answer(request.as_bytes())
    assert check_timestamp(raw, MESSAGE, [authority.trusted]).authority == authority.trusted.uri
    alone = replace(authority.trusted, certificates=authority.trusted.certificates[1:])
    with pytest.raises(EvidenceError, match="does not"):
        check_timestamp(raw, MESSAGE, [alone])


def test_the_words_name_each_authority_and_what_is_wrong(
    authority: LocalAuthority, response: bytes, tmp_path: Path
) -> None:
    unknown = LocalAuthority(tmp_path).trusted
    with pytest.raises(EvidenceError) as caught:
        check_timestamp(response, MESSAGE, [replace(unknown, uri="https://a"), NOBODY])
    words = caught.value.message
    assert words.startswith("Expected a timestamp that holds, got one that does not (https://a: ")
    assert "; https://tsa.example.com: it cannot be read (" in words
    assert words.endswith(")).")
    assert "ErrorStack" not in words
    late = ValidFor(start=datetime(2100, 1, 1, tzinfo=UTC))
    with pytest.raises(EvidenceError, match=r"com: it was trusted from 2100-01-01"):
        check_timestamp(response, MESSAGE, [replace(authority.trusted, valid_for=late)])


def test_a_refusal_is_no_timestamp(authority: LocalAuthority) -> None:
    # SHA-256 of the request exchanged for an algorithm that the authority does not take.
    request = make_request(MESSAGE)
    changed = request.content.replace(
        bytes.fromhex("0609608648016503040201"), bytes.fromhex("0609608648016503040204")
    )
    assert changed != request.content
    with pytest.raises(EvidenceError, match="an RFC 3161 response with a timestamp"):
        check_response(authority.answer(changed), request, [authority.trusted])


def test_a_request_asks_for_the_certificates() -> None:
    # certReq BOOLEAN TRUE, the last field (RFC 3161, section 2.4.1).
    assert make_request(MESSAGE).content.endswith(b"\x01\x01\xff")


@pytest.mark.parametrize(
    ("size", "words"), [(MAX_RESPONSE_BYTES, "something else"), (MAX_RESPONSE_BYTES + 1, "at most")]
)
def test_a_response_has_at_most_64_kibibytes(size: int, words: str) -> None:
    assert MAX_RESPONSE_BYTES == 65_536
    with pytest.raises(EvidenceError, match=words):
        check_timestamp(b"0" * size, MESSAGE, [NOBODY])


def test_an_accuracy_of_whole_seconds_has_no_more(tmp_path: Path) -> None:
    authority = LocalAuthority(tmp_path, accuracy="secs:2")
    request = make_request(MESSAGE)
    found = check_response(authority.answer(request.content), request, [authority.trusted])
    assert found.latest - found.moment == timedelta(seconds=2)


@pytest.mark.parametrize("raw", [b"", b"0", b"\x30\x00", b"0" * (MAX_RESPONSE_BYTES + 1)])
def test_what_is_no_response_is_refused(raw: bytes) -> None:
    with pytest.raises(EvidenceError, match="Expected a"):
        check_timestamp(raw, MESSAGE, [NOBODY])


@unhurried
@given(data=st.data())
def test_a_changed_response_never_says_another_moment(
    authority: LocalAuthority, response: bytes, data: st.DataObject
) -> None:
    changed = bytearray(response)
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(response) - 1))] = data.draw(st.integers(0, 255))
    expected = check_timestamp(response, MESSAGE, [authority.trusted])
    try:
        found = check_timestamp(bytes(changed), MESSAGE, [authority.trusted])
    except EvidenceError:
        return
    # Unsigned parts of the container may be changed; what is signed says the same.
    assert found == expected


def test_without_the_extra_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "rfc3161_client":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(TimestampsUnavailableError, match="rfc3161-client"):
        make_request(MESSAGE)
    with pytest.raises(TimestampsUnavailableError):
        check_timestamp(b"", MESSAGE, [NOBODY])
