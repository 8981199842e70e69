from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import ConflictError
from spanproof.store.accounts.access_keys import KeyEnd
from tests.store.accounts.samples import add_accounts, make_access_key
from tests.store.examples import NOON

if TYPE_CHECKING:
    from spanproof.store import Store


def test_keys_are_kept_as_they_are_and_listed_by_tenant(store: Store) -> None:
    assert not store.access_keys.has_any()
    assert store.access_keys.find("sp_aaaaaaaaaaaa") is None
    assert store.access_keys.find("sp_aaaaaaaaaaaa\x00") is None
    first = make_access_key(label="x\x00\\")
    other = make_access_key("sp_cccccccccccc", tenant="acme", label=None, expires_at=None)
    store.access_keys.add(first, added_at=NOON)
    store.access_keys.add(other, added_at=NOON)
    assert store.access_keys.has_any()
    assert store.access_keys.find(first.key_id) == first
    assert store.access_keys.list("acme") == (other,)
    assert store.access_keys.list() == (first, other)
    with pytest.raises(ConflictError):
        store.access_keys.add(first, added_at=NOON)


def test_a_key_is_followed_once_and_revoked_at_any_time(store: Store) -> None:
    add_accounts(store)
    key = store.access_keys.find("sp_aaaaaaaaaaaa")
    assert key is not None
    assert key.ends_at == NOON + timedelta(days=1)
    again = make_access_key("sp_dddddddddddd", replaces=key.key_id)
    ending = KeyEnd(kind="rotated", ends_at=NOON)
    with pytest.raises(ConflictError, match="rotated"):
        store.access_keys.add(again, ending=ending, added_at=NOON)
    assert store.access_keys.find(again.key_id) is None
    now = KeyEnd(kind="revoked", ends_at=NOON)
    assert store.access_keys.end(key.key_id, now, added_at=NOON)
    assert not store.access_keys.end(key.key_id, now, added_at=NOON)
    ended = store.access_keys.find(key.key_id)
    assert ended is not None
    assert ended.find_state(NOON) == "revoked"
    assert ended.ends_at == NOON


MOMENTS = st.integers(-3, 3).map(lambda hours: NOON + timedelta(hours=hours))


@given(
    expires=st.none() | MOMENTS,
    ends=st.lists(st.tuples(st.sampled_from(["rotated", "revoked"]), MOMENTS), max_size=3),
    now=MOMENTS,
)
def test_a_key_counts_exactly_until_its_first_end(
    expires: object, ends: list[tuple[str, object]], now: object
) -> None:
    key = make_access_key(
        expires_at=expires,
        ends=tuple(KeyEnd(kind=kind, ends_at=at) for kind, at in ends),  # type: ignore[arg-type]
    )
    moments = [at for _, at in ends] + ([] if expires is None else [expires])
    # A revocation counts at once, whatever a clock says.
    is_revoked = any(kind == "revoked" for kind, _ in ends)
    counts = not is_revoked and all(now < at for at in moments)  # type: ignore[operator]
    assert (key.find_state(now) == "active") is counts  # type: ignore[arg-type]
    assert key.ends_at == min(moments, default=None)  # type: ignore[type-var]
