"""The log that a home opens: its origin, its keys, its mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import KeyUnavailableError, LogRolledBackError
from spanproof.operations.assembly import open_context
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.log.opening import name_origin, to_log_mark
from spanproof.operations.settings import Settings
from spanproof.operations.verification.verify import verify_payload
from tests.operations.receipts.conftest import make_payload

if TYPE_CHECKING:
    from spanproof.operations.context import Context

PASSPHRASE = "correct horse battery staple"  # noqa: S105 - of a throw-away key


def test_the_origin_is_a_host_name_made_of_the_first_key_and_stays(
    kept: Context, settings: Settings
) -> None:
    origin = kept.log.origin
    key = open_keys(settings).keys.entry_keys[0].key
    assert origin == name_origin(key)
    assert origin.startswith("t-")
    with open_context(settings) as other:
        assert other.log.origin == origin


def test_the_origin_can_be_set(settings: Settings) -> None:
    named = settings.model_copy(update={"log_origin": "log.example.com"})
    with open_context(named) as context:
        assert context.log.origin == "log.example.com"
        context.issuer.check()


def test_keys_that_are_gone_are_not_made_anew(kept: Context, settings: Settings) -> None:
    assert kept.log.origin
    for path in open_keys(settings).folder.iterdir():
        path.unlink()
    with open_context(settings) as other, pytest.raises(KeyUnavailableError, match="keys of the"):
        _ = other.log


def test_a_mark_that_is_gone_stops_the_log(kept: Context, settings: Settings) -> None:
    verify_payload(kept, make_payload())
    to_log_mark(settings).unlink()
    with open_context(settings) as other, pytest.raises(LogRolledBackError):
        _ = other.log


def test_keys_can_be_encrypted(settings: Settings, kept: Context) -> None:
    home = settings.home.parent / "other"
    secret = Settings(home=home, key_passphrase=PASSPHRASE, cross_check_rate=0.0)
    with open_context(secret) as context:
        context.issuer.check()
        for path in context.issuer.keys.folder.glob("*.pem"):
            assert b"ENCRYPTED" in path.read_bytes()
            assert path.stat().st_mode & 0o777 == 0o600
    assert PASSPHRASE not in repr(secret)
    plain = Settings(home=home, cross_check_rate=0.0)
    with open_context(plain) as context, pytest.raises(KeyUnavailableError, match="PASSPHRASE"):
        context.issuer.check()
    assert kept.settings.key_passphrase is None
