"""Windows of keys, names of logs, and roots that others publish."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import MalformedTrustError
from spanproof.receipt.keys.trust_file import parse_trust
from spanproof.receipt.keys.trusted_root import ValidFor, is_origin
from tests.receipt.samples import VALID_FROM
from tests.receipt.statements import MOMENT
from tests.receipt.trusted import RAW

if TYPE_CHECKING:
    from pathlib import Path


def test_windows_are_written_for_people() -> None:
    assert str(ValidFor(start=VALID_FROM)) == "2026-10-21T14:00:00Z to now"
    with pytest.raises(ValueError, match="after"):
        ValidFor(start=MOMENT, end=VALID_FROM)


@pytest.mark.parametrize(
    "name",
    [
        *("a", "log.example.com", "t-7f3c.log.example.com", "1.2", "a" * 63),
        ".".join([*["a" * 63] * 3, "a" * 61]),
    ],
)
def test_a_host_name_is_an_origin(name: str) -> None:
    assert is_origin(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "A",
            "a.",
            ".a",
            "a..b",
            "-a",
            "a-",
            "a_b",
            "a/b",
            "a:1",
            "a b",
            "a\n",
            "é",
            "a" * 64,
        ),
        ".".join(["a" * 63] * 4),
        ".".join([*["a" * 63] * 3, "a" * 62]),
    ],
)
def test_nothing_else_is_an_origin(name: str) -> None:
    assert not is_origin(name)


def test_published_roots_are_refused_whole(test_data: Path) -> None:
    # They trust authorities of certificates and logs of other kinds, which we would never ask.
    folder = test_data / "vectors" / "sigstore-rekor2" / "test" / "assets" / "bundle-verify"
    paths = sorted(folder.glob("*/trusted_root.json"))
    assert len(paths) == 28
    for path in paths:
        value = json.loads(RAW) | {"trusted_root": json.loads(path.read_bytes())}
        with pytest.raises(MalformedTrustError):
            parse_trust(json.dumps(value).encode())
