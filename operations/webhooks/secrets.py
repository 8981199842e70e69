"""The secrets of webhooks: a file each in the home, for a row of the store could never go away."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import IntegrityError
from spanproof.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_ID = re.compile(r"wh_[0-9a-f]{16}", re.ASCII)
#: After a rotation the old secret signs too, so long: receivers change when they can.
OVERLAP_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSecrets:
    """The secrets of one home's webhooks; times in seconds since 1970."""

    folder: Path

    def load(self, webhook_id: str, now: float) -> tuple[str, ...]:
        """The secrets that sign now, the newest first; IntegrityError without any."""
        try:
            rows = json.loads(self._path(webhook_id).read_text("ascii"))
            found = tuple(str(row["secret"]) for row in rows if (row["until"] or now) >= now)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _missing(webhook_id) from error
        if not found:
            raise _missing(webhook_id)
        return found

    def add(self, webhook_id: str, secret: str, now: float) -> None:
        """Sign with this secret from now on; those before it for a while still."""
        try:
            known = json.loads(self._path(webhook_id).read_text("ascii"))
        except FileNotFoundError:
            known = []
        until = now + OVERLAP_SECONDS
        kept = [
            {"secret": row["secret"], "until": min(row["until"] or until, until)}
            for row in known
            if (row["until"] or now) >= now
        ]
        # Two are enough: who rotates twice within a day wants the oldest gone.
        self._write(webhook_id, [{"secret": secret, "until": None}, *kept[:1]])

    def remove(self, webhook_id: str) -> None:
        """Forget the secrets."""
        self._path(webhook_id).unlink(missing_ok=True)

    def _write(self, webhook_id: str, rows: list[dict[str, object]]) -> None:
        path = self._path(webhook_id)
        made = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            descriptor = os.open(made, flags, 0o600)
            try:
                os.write(descriptor, json.dumps(rows).encode("ascii"))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            made.replace(path)
        except OSError as error:
            made.unlink(missing_ok=True)
            msg = f"Expected to keep a webhook's secret, got {error.strerror}."
            hint = "Check the disk that holds SPANPROOF_HOME: its space, its permissions."
            raise StoreUnavailableError(msg, hint=hint) from error

    def _path(self, webhook_id: str) -> Path:
        if not _ID.fullmatch(webhook_id):
            raise _missing(webhook_id)
        return self.folder / webhook_id


def _missing(webhook_id: str) -> IntegrityError:
    msg = f"Expected a secret of webhook {webhook_id[:40]!r} in the home, got none."
    return IntegrityError(msg, hint="Rotate it: 'spanproof webhooks rotate'.")


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
