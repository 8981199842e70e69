from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import BlobDigestMismatchError, ReceiptNotFoundError
from tests.store.log.samples import NEXT_ORIGIN, ORIGIN, make_leaf, open_log, open_next

if TYPE_CHECKING:
    from spanproof.store import Store


def test_a_receipt_is_loaded_by_its_verification(store: Store) -> None:
    open_log(store).include_all([make_leaf(1), make_leaf(2)])
    kept = store.receipts.load("v2")
    assert (kept.verification_id, kept.origin, kept.index) == ("v2", ORIGIN, 1)
    assert kept.bundle == b"1 of 2"
    assert store.receipts.find("v3") is None
    with pytest.raises(ReceiptNotFoundError, match=r"got 'v3'\. Verify the answer again"):
        store.receipts.load("v3")


def test_receipts_are_listed_in_the_order_of_their_leaves(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanproof.store.receipts._CHUNK", 2)
    open_log(store).include_all([make_leaf(number) for number in (3, 1, 2)])
    open_next(store).include_all([make_leaf(9)])
    assert [each.verification_id for each in store.receipts.list()] == ["v3", "v1", "v2", "v9"]
    assert [each.verification_id for each in store.receipts.list(NEXT_ORIGIN)] == ["v9"]
    assert [each.verification_id for each in store.receipts.list(ORIGIN)] == ["v3", "v1", "v2"]
    assert list(store.receipts.list("nobody.example.com")) == []


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_a_receipt_that_was_changed_is_not_handed_out(store: Store) -> None:
    open_log(store).include_all([make_leaf(1)])
    with store.database.connection() as connection:
        connection.exec_driver_sql("DROP TRIGGER receipt_refuses_update")
        connection.exec_driver_sql("UPDATE receipt SET bundle = x'00'")
    with pytest.raises(BlobDigestMismatchError, match="Expected a receipt of sha256:"):
        store.receipts.load("v1")
