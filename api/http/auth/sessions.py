"""A console session: a signed cookie that names a key, so that no browser keeps the key itself.

Nothing is kept here. A session ends with its hours, and with its key: that is looked up each time.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from spanproof.operations.access.key_format import is_same

if TYPE_CHECKING:
    from spanproof.operations.access.key_format import Pepper

COOKIE = "spanproof_session"
LIFETIME = timedelta(hours=8)
_SESSION = re.compile(
    r"(v1\.(sp_[a-z2-7]{12})\.([0-9]{1,12})\.[0-9a-f]{32})\.([0-9a-f]{64})", re.ASCII
)


def write_session(pepper: Pepper, key_id: str, *, now: datetime) -> str:
    """The cookie's value for a key that was just shown."""
    ends = int((now + LIFETIME).timestamp())
    head = f"v1.{key_id}.{ends}.{secrets.token_hex(16)}"
    return f"{head}.{pepper.sign(head)}"


def read_session(pepper: Pepper, value: str, *, now: datetime) -> str | None:
    """The key that a cookie names; None for one that we did not write, or whose hours are over."""
    found = _SESSION.fullmatch(value)
    if found is None:
        return None
    head, key_id, ends, signature = found.groups()
    if not is_same(pepper.sign(head), signature):
        return None
    return key_id if now < datetime.fromtimestamp(int(ends), UTC) else None
