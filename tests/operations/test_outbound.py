"""Addresses that a request may be sent to."""

from __future__ import annotations

import pytest

from spanproof.operations.errors import MalformedAddressError
from spanproof.operations.outbound import is_public, parse_address


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.org/",
        "ftp://hooks.example.org/",
        "https://user:secret@hooks.example.org/",
        "https://hooks.example.org/#a",
        "https:///a",
        "https://hooks.example.org:0/",
        "https://hooks.example.org:99999/",
        "https://hooks example.org/",
        "https://hööks.example.org/",
        "https://hooks.example.org/\r\nX: 1",
        "file:///etc/passwd",
        "",
        "https://h/" + "a" * 2000,
    ],
)
def test_an_address_that_nothing_may_be_sent_to_is_refused(url: str) -> None:
    with pytest.raises(MalformedAddressError) as caught:
        parse_address(url, may_be_private=False)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - an address that is judged
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", False),
        ("::ffff:0:a9fe:a9fe", False),
        ("::7f00:1", False),
        ("64:ff9b:1::a9fe:a9fe", False),
        ("fec0::1", False),
        ("4000::1", False),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
    ],
)
def test_only_addresses_of_the_open_network_are_public(address: str, expected: bool) -> None:
    assert is_public(address) is expected
