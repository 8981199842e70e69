from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.receipt.statement import receipt_id as identity

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = st.integers(10**11, 10**17).map(lambda n: EPOCH + timedelta(microseconds=n))
RANDOM = st.binary(min_size=identity.ID_RANDOM_BYTES, max_size=identity.ID_RANDOM_BYTES)


@given(MOMENTS, RANDOM)
def test_an_id_is_a_uuid_of_version_7(moment: datetime, random: bytes) -> None:
    made = identity.make_id(moment, random)
    assert re.fullmatch(identity.PATTERN, made)
    parsed = uuid.UUID(made)
    assert (parsed.version, parsed.variant) == (7, uuid.RFC_4122)
    assert parsed.int >> 80 == (moment - EPOCH) // timedelta(milliseconds=1)


def test_the_example_of_the_standard() -> None:
    # RFC 9562, appendix A.6: 017F22E2-79B0-7CC3-98C4-DC0C0C07398F.
    moment = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)
    random = bytes.fromhex("0cc3" + "18c4dc0c0c07398f")
    assert identity.make_id(moment, random) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


def test_of_all_bits_only_those_of_the_version_and_the_variant_are_fixed() -> None:
    ones = identity.make_id(EPOCH + timedelta(milliseconds=2**40), b"\xff" * 10)
    assert ones == "01000000-0000-7fff-bfff-ffffffffffff"
    zeros = identity.make_id(EPOCH + timedelta(milliseconds=2**40), b"\x00" * 10)
    assert zeros == "01000000-0000-7000-8000-000000000000"


@given(MOMENTS, RANDOM, RANDOM)
def test_later_ids_sort_behind_earlier_ones(moment: datetime, one: bytes, two: bytes) -> None:
    later = moment + timedelta(milliseconds=1)
    assert identity.make_id(moment, one) < identity.make_id(later, two)


def test_too_little_chance_and_a_moment_without_a_zone_are_refused() -> None:
    moment = datetime(2026, 11, 20, tzinfo=UTC)
    for given_moment, random in (
        (moment, b"\x00" * 9),
        (moment, b"\x00" * 11),
        (moment.replace(tzinfo=None), b"\x00" * 10),
    ):
        with pytest.raises(ValueError, match="random bytes"):
            identity.make_id(given_moment, random)
