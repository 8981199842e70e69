"""Standard Webhooks: ``v1,`` and base64 of HMAC-SHA256 over id, timestamp and body.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PREFIX = "whsec_"
#: The specification asks for 24 to 64 bytes.
SECRET_BYTES = 32


def make_secret() -> str:
    """A new secret in the form that receivers are given."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode("ascii")


def sign_message(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """One signature of a message; ``timestamp`` in seconds since 1970."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode("ascii")


def make_headers(
    secrets_in_use: Sequence[str], message_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """The headers of a delivery: a signature by each secret, the newest first."""
    signatures = [sign_message(each, message_id, timestamp, body) for each in secrets_in_use]
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }
