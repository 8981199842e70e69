"""In seconds a little of what 'make faults' does in full (docs/explanation/faults.md)."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from spanproof.core.log.merkle import hash_leaf
from spanproof.store import open_store
from spanproof.store.log.failpoints import Failpoint
from tests.databases import drop_trigger
from tests.faults import (
    backups,
    clocks,
    crash_points,
    flips,
    full_disks,
    io_faults,
    kills,
    sampled_kills,
    wal_cuts,
)
from tests.faults.ledger import check_store, issue, open_log
from tests.faults.model_disk import FAULTS, Fault
from tests.faults.report import Tally
from tests.spread import thin_out

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import StorePlace


@pytest.fixture
def folder(tmp_path: Path, migrated_home: Path) -> Path:
    """Where an experiment finds its home made already: making it is none of them."""
    for place in ("home", "template/home"):
        shutil.copytree(migrated_home, tmp_path / place)
    return tmp_path


@pytest.mark.long
def test_what_was_acknowledged_outlives_kills(folder: Path) -> None:
    tally = kills.run(folder, kills=3, seed=2)
    assert tally.violations == []
    assert tally.counts["kills"] == 3
    assert tally.counts["receipts acknowledged"] > 0


@pytest.mark.long
def test_a_chosen_answer_outlives_kills_between_its_leaf_and_its_rows(
    store_place: StorePlace,
) -> None:
    tally = sampled_kills.run_each(store_place, step=4)
    assert tally.violations == []
    assert tally.counts["kills"] >= 10


def test_what_was_acknowledged_outlives_a_power_cut_anywhere_in_the_wal(folder: Path) -> None:
    tally = wal_cuts.run(folder, receipts=2, seed=2, most_cuts=48)
    assert tally.violations == []
    assert tally.counts["cuts"] == 48
    assert 0 < tally.counts["with a torn tail"] < 48
    assert tally.counts["refused under a mark that is ahead"] > 0


@pytest.mark.parametrize("point", thin_out(Failpoint, every=4))
def test_a_kill_at_a_named_point_loses_nothing(
    tmp_path: Path, migrated_home: Path, point: Failpoint
) -> None:
    shutil.copytree(migrated_home, tmp_path / "template")
    tally = crash_points.run(tmp_path, points=[point], times=1, first=2)
    assert tally.violations == []
    assert tally.counts["kills"] == 1


@pytest.mark.parametrize("fault", thin_out(FAULTS, every=4), ids=lambda fault: fault.name)
def test_a_failing_disk_is_never_acknowledged_and_never_signed_over(
    folder: Path, fault: Fault
) -> None:
    tally = io_faults.run(folder, faults=[fault], step=97)
    assert tally.violations == []
    assert tally.counts[f"× {fault.name}"] > 0


def test_a_store_that_does_not_synchronise_is_found_out(folder: Path) -> None:
    tally = io_faults.run_without_sync(folder)
    assert tally.counts["losses found"] > 0
    assert tally.violations == []


def test_a_full_disk_refuses_and_keeps_what_it_has(folder: Path) -> None:
    tally = full_disks.run(folder, rooms=[250_000])
    assert tally.violations == []
    assert tally.counts["file size limit"] == 1
    assert tally.counts["receipts acknowledged"] > 0


def test_a_restored_backup_refuses_or_is_followed_by_a_new_log(folder: Path) -> None:
    tally = backups.run(folder, backups=4, seed=2)
    assert tally.violations == []
    assert tally.counts["refused"] + tally.counts.get("refused as damaged", 0) == 4


def test_a_clock_that_was_set_wrong_is_flagged() -> None:
    tally = clocks.run()
    assert tally.violations == []
    assert tally.counts["flagged"] == len(clocks.STEPS)
    # The same experiment finds fault with an hour that is called small.
    assert clocks.run(steps=(), small=(timedelta(hours=1),)).violations


def test_fsck_finds_a_changed_byte_of_every_part_of_a_log(folder: Path) -> None:
    tally = flips.run(folder, leaves=16, step=31)
    assert tally.violations == []
    assert tally.counts["found"] == tally.counts["bytes changed"] > 0


def test_a_result_that_is_left_out_is_named_by_its_index(folder: Path) -> None:
    tally = flips.run_dropped(folder, results=300, drops=1)
    assert tally.violations == []
    assert tally.counts == {"results left out": 1, "named by index": 1, "leaves deleted": 1}


def test_a_receipt_that_is_missing_or_a_head_of_another_history_is_found_out(
    folder: Path,
) -> None:
    with open_store(folder / "home") as store:
        log = open_log(store, folder / "mark")
        known = [issue(log, "one")]
        tally = Tally(name="")
        check_store(store, log, known, tally)
        assert tally.violations == []
        check_store(store, log, [replace(known[0], name="another")], tally)
        assert len(tally.violations) == 1
        check_store(store, log, [replace(known[0], root=hash_leaf(b"another history"))], tally)
        assert len(tally.violations) == 2


def test_a_store_in_which_fsck_finds_something_breaks_a_promise(folder: Path) -> None:
    with open_store(folder / "home") as store:
        log = open_log(store, folder / "mark")
        known = [issue(log, "one")]
        with store.database.connection() as connection:
            drop_trigger(connection, "receipt", "delete")
            connection.execute(text("DELETE FROM receipt"))
        tally = Tally(name="")
        check_store(store, log, known, tally)
        assert tally.violations[1:] == ["fsck: RECEIPT leaf 1"]
