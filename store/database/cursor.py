"""Keyset cursors: the place of the last row shown, so that new rows never shift a page."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

from spanproof.core.errors import InputError
from spanproof.store.database.columns import to_utc

#: The most rows of one page.
MAX_LIMIT = 500
_MAX_CURSOR_CHARACTERS = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The sort key of a row: newest first, then by key."""

    moment: datetime
    key: str


def to_cursor(position: Position, listing: str) -> str:
    """The cursor after a row of a listing (any text that names the listing)."""
    parts = [to_utc(position.moment).isoformat(), position.key, _fingerprint(listing)]
    written = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode("ascii")).decode("ascii").rstrip("=")


def parse_cursor(cursor: str, listing: str) -> Position:
    """Read a cursor; raise InputError for one that is malformed or of another listing."""
    hint = "Give next_cursor of the page before with the same filters, or no cursor at all."
    try:
        if len(cursor) > _MAX_CURSOR_CHARACTERS:
            msg = "too long"
            raise ValueError(msg)  # noqa: TRY301 - one message for every malformed cursor
        padded = cursor + "=" * (-len(cursor) % 4)
        written = base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
        moment, key, fingerprint = json.loads(written.decode("ascii"))
        position = Position(moment=to_utc(datetime.fromisoformat(moment)), key=str(key))
    except (InputError, ValueError, TypeError, RecursionError, OverflowError) as error:
        msg = "Expected a cursor of this listing, got another text."
        raise InputError(msg, hint=hint) from error
    if fingerprint != _fingerprint(listing):
        msg = "Expected a cursor of this listing, got one of other filters."
        raise InputError(msg, hint=hint)
    return position


def check_limit(limit: int) -> None:
    """Raise InputError unless a page of that many rows may be asked for."""
    if not 1 <= limit <= MAX_LIMIT:
        msg = f"Expected a limit in 1..{MAX_LIMIT}, got {limit}."
        raise InputError(msg, hint="Read on with next_cursor instead of asking for more.")


def _fingerprint(listing: str) -> str:
    return hashlib.sha256(listing.encode("utf-8", "surrogatepass")).hexdigest()[:16]
