from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from spanproof.store import open_store

if TYPE_CHECKING:
    from spanproof.store import Store

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def change(store: Store, name: str, value: str, told: list[str | None] | None = None) -> bool:
    _, is_new = store.configuration.set(
        name,
        value,
        actor_key_id="k1",
        actor_sub=None,
        since=NOON,
        announce=([] if told is None else told).append,
    )
    return is_new


def test_the_newest_value_counts_and_its_position_tells_the_changes(store: Store) -> None:
    told: list[str | None] = []
    assert store.configuration.find("a") is None
    assert change(store, "a", "1", told)
    assert not change(store, "a", "1", told)
    assert change(store, "a", "2", told)
    assert change(store, "a", "1", told)
    assert change(store, "b", "9", told)
    assert told == [None, "1", "2", None]
    found = store.configuration.find("a")
    assert found is not None
    assert (found.position, found.value, found.since) == (3, "1", NOON)
    assert found.actor_key_id == "k1"


def test_another_opening_of_the_store_sees_it(store: Store) -> None:
    with open_store(
        store.home,
        str(store.database._url.render_as_string(hide_password=False))
        if store.database.is_postgresql
        else None,
    ) as other:
        change(store, "a", "1")
        found = other.configuration.find("a")
        assert found is not None
        assert found.value == "1"


def test_what_cannot_be_announced_is_not_set(store: Store) -> None:
    def refuse(before: str | None) -> None:
        raise RuntimeError(before)

    with pytest.raises(RuntimeError):
        store.configuration.set(
            "a", "1", actor_key_id=None, actor_sub=None, since=NOON, announce=refuse
        )
    assert store.configuration.find("a") is None
