"""Names of receipts and events: UUID version 7 (RFC 9562), in the order of their moments."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Random bytes in a receipt's id, and in the nonce that hides what a leaf is of.
ID_RANDOM_BYTES = 10
NONCE_BYTES = 16
PATTERN = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


def make_id(moment: datetime, random: bytes) -> str:
    """A UUID of this moment (milliseconds) and 74 bits of ten random bytes."""
    if len(random) != ID_RANDOM_BYTES or moment.tzinfo is None:
        msg = f"Expected {ID_RANDOM_BYTES} random bytes and a moment with its time zone."
        raise ValueError(msg)
    milliseconds = (moment - _EPOCH) // timedelta(milliseconds=1)
    number = milliseconds << 80 | int.from_bytes(random, "big")
    number = number & ~(0xF << 76) | 7 << 76
    number = number & ~(0b11 << 62) | 0b10 << 62
    return str(uuid.UUID(int=number))
