"""Keys and claims for the tests of whatever keeps them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from spanproof.store.accounts.access_keys import AccessKey, KeyEnd
from spanproof.store.accounts.requests import RequestClaim
from tests.store.examples import NOON

if TYPE_CHECKING:
    from spanproof.store import Store


def make_access_key(key_id: str = "sp_aaaaaaaaaaaa", **changes: Any) -> AccessKey:
    """A key of the default tenant for a year."""
    given: dict[str, Any] = {
        "key_id": key_id,
        "tenant": "default",
        "scopes": ("read", "verify"),
        "label": "ci",
        "secret_digest": "0" * 64,
        "created_at": NOON,
        "expires_at": NOON + timedelta(days=365),
    }
    return AccessKey(**(given | changes))


def make_claim(**changes: Any) -> RequestClaim:
    """A claim of a request."""
    given: dict[str, Any] = {
        "request": "r" * 64,
        "position": 0,
        "fingerprint": "f" * 64,
        "reference": "v1",
        "process": "0" * 32,
        "claimed_at": NOON,
    }
    return RequestClaim(**(given | changes))


def add_accounts(store: Store) -> None:
    """A key that another follows, and a request that was answered."""
    store.access_keys.add(make_access_key(), added_at=NOON)
    later = make_access_key("sp_bbbbbbbbbbbb", replaces="sp_aaaaaaaaaaaa")
    ending = KeyEnd(kind="rotated", ends_at=NOON + timedelta(days=1))
    store.access_keys.add(later, ending=ending, added_at=NOON)
    claim = store.requests.claim(make_claim())
    store.requests.end(claim, status=200, at=NOON)
