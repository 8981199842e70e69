"""What witnesses signed: kept once, by witness and size, and never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.store.log.cosignatures import Cosignatures, StoredCosignature
from tests.store.examples import NOON

if TYPE_CHECKING:
    from spanproof.store import Store
    from spanproof.store.log import TransparencyLog


def make(size: int, witness: str = "w+1", line: str = "— w AAAAAAA=\n") -> StoredCosignature:
    return StoredCosignature(size=size, witness=witness, line=line)


def test_lines_are_kept_by_witness_and_size(store: Store, log: TransparencyLog) -> None:
    log.include_all([b"one"])
    log.include_all([b"two"])
    kept = Cosignatures(store.database, log.log_id)
    assert kept.list(1) == ()
    assert kept.find_last("w+1") is None
    for each in (make(2), make(1), make(1, "w+0")):
        assert kept.add(each, added_at=NOON)
    assert kept.list(1) == (make(1, "w+0"), make(1))
    assert kept.list(2) == (make(2),)
    assert kept.find_last("w+1") == make(2)
    assert kept.find_last("w+0") == make(1, "w+0")
    assert kept.list_sizes() == (1, 2)


def test_the_first_line_stays(store: Store, log: TransparencyLog) -> None:
    log.include(b"one")
    kept = Cosignatures(store.database, log.log_id)
    assert kept.add(make(1), added_at=NOON)
    assert not kept.add(make(1, line="— w BBBBBBA=\n"), added_at=NOON)
    assert kept.list(1) == (make(1),)
