"""The keys of a home and the log that they sign, for commands that write nothing to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.receipt.keys.key_ring import KeyRing

if TYPE_CHECKING:
    from spanproof.operations.settings import Settings


def open_keys(settings: Settings) -> KeyRing:
    """The keys of the home; nothing is made."""
    secret = settings.key_passphrase
    return KeyRing(
        settings.home.absolute() / "keys",
        passphrase=None if secret is None else secret.get_secret_value(),
    )


def find_keys(settings: Settings) -> tuple[KeyRing, str] | None:
    """The keys, and the origin of the log in use; None for a home without a log.

    The home is neither opened nor changed: its list of keys says which log is the newest.
    """
    keys = open_keys(settings)
    origins = [each.key.name for each in keys.keys.all_log_keys]
    if settings.log_origin in origins:
        return keys, settings.log_origin
    if settings.log_origin is None and origins:
        return keys, origins[-1]
    return None
