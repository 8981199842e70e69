from __future__ import annotations

import fcntl
import os
import stat
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import LogRolledBackError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.mark import SLOT_BYTES, HighWaterMark

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

ORIGIN = "log.example.com"


def make_head(size: int, origin: str = ORIGIN) -> Checkpoint:
    return Checkpoint(origin=origin, size=size, root=bytes([size % 256]) * 32)


def accept(known: Checkpoint) -> None:
    del known


@pytest.fixture
def mark(tmp_path: Path) -> HighWaterMark:
    made = HighWaterMark(tmp_path / "outside" / "mark")
    made.create(make_head(0))
    return made


def test_no_file_is_no_mark(tmp_path: Path) -> None:
    assert HighWaterMark(tmp_path / "mark").read() is None


def test_a_new_mark_has_both_slots_so_that_a_full_disk_finds_them(mark: HighWaterMark) -> None:
    content = mark.path.read_bytes()
    assert len(content) == 2 * SLOT_BYTES == 1024
    for slot in (content[:SLOT_BYTES], content[SLOT_BYTES:]):
        assert slot.startswith(b"spanproof high-water mark v1\n")


def test_no_descriptor_is_left_open(mark: HighWaterMark) -> None:
    def next_free() -> int:
        descriptor = os.open(mark.path, os.O_RDONLY)
        os.close(descriptor)
        return descriptor

    free = next_free()
    mark.create(make_head(0))
    mark.raise_to(make_head(1), accept)
    assert mark.read() == make_head(1)
    assert next_free() == free


def test_the_mark_is_read_back_and_only_its_owner_reads_it(mark: HighWaterMark) -> None:
    for size in (1, 2, 7):
        mark.raise_to(make_head(size), accept)
        assert HighWaterMark(mark.path).read() == make_head(size)
    assert stat.S_IMODE(mark.path.stat().st_mode) == 0o600
    assert mark.path.stat().st_size == 2 * SLOT_BYTES


def test_the_longest_origin_fits_its_slot(mark: HighWaterMark) -> None:
    head = Checkpoint(origin="a" * 253, size=2**63 - 1, root=b"\xff" * 32)
    mark.create(head)
    assert mark.read() == head
    assert mark.path.stat().st_size == 2 * SLOT_BYTES


def test_the_mark_never_falls_and_the_check_sees_it(mark: HighWaterMark) -> None:
    mark.raise_to(make_head(9), accept)
    seen: list[Checkpoint] = []
    before = mark.path.read_bytes()
    mark.raise_to(make_head(8), seen.append)
    mark.raise_to(make_head(9), seen.append)
    assert seen == [make_head(9), make_head(9)]
    assert mark.path.read_bytes() == before


def test_a_mark_that_the_check_refuses_stays(mark: HighWaterMark) -> None:
    def refuse(known: Checkpoint) -> None:
        raise LogRolledBackError(f"{known.size}", hint="none")

    with pytest.raises(LogRolledBackError, match="0 none"):
        mark.raise_to(make_head(5), refuse)
    assert mark.read() == make_head(0)


def test_a_torn_write_leaves_the_mark_before_it(mark: HighWaterMark) -> None:
    mark.raise_to(make_head(1), accept)
    before = mark.path.read_bytes()
    mark.raise_to(make_head(2), accept)
    after = mark.path.read_bytes()
    changed = [at for at in range(len(after)) if before[at] != after[at]]
    first, last = changed[0], changed[-1]
    # One slot only, and whatever part of it reached the disk.
    assert first // SLOT_BYTES == last // SLOT_BYTES
    for cut in range(first, last + 1):
        mark.path.write_bytes(after[:cut] + before[cut:])
        assert mark.read() in {make_head(1)} | ({make_head(2)} if cut > last else set())
    mark.path.write_bytes(after)
    assert mark.read() == make_head(2)


def test_any_flipped_byte_of_a_slot_is_told(mark: HighWaterMark) -> None:
    mark.raise_to(make_head(1), accept)
    whole = mark.path.read_bytes()
    newest = whole.index(b"\n1\n") // SLOT_BYTES
    used = whole.rstrip().rfind(b"\n", 0, (newest + 1) * SLOT_BYTES - 200)
    for at in range(newest * SLOT_BYTES, max(used, newest * SLOT_BYTES + 1)):
        mark.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert mark.read() == make_head(0), at


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n" * 2 * SLOT_BYTES,
        b"\xff" * 2 * SLOT_BYTES,
        # The fields without their checksum.
        (b"\n" * 4).ljust(2 * SLOT_BYTES),
    ],
)
def test_a_file_without_a_whole_slot_holds_no_mark(mark: HighWaterMark, content: bytes) -> None:
    mark.path.write_bytes(content)
    assert mark.read() is None
    with pytest.raises(LogRolledBackError, match="got an unreadable file"):
        mark.raise_to(make_head(1), accept)
    mark.create(make_head(3))
    assert mark.read() == make_head(3)


def test_a_slot_with_a_right_checksum_and_wrong_fields_is_none(mark: HighWaterMark) -> None:
    import hashlib

    for lines in (
        b"spanproof high-water mark v1\nx\nlog\n1\nAAAA\n",
        b"spanproof high-water mark v1\n1\nlog\n1\nAAAA\n",
        b"spanproof high-water mark v1\n1\nlog\n1\n*\n",
        b"spanproof high-water mark v1\n1\nlog\n1\n" + b"A" * 43 + b"*=\n",
    ):
        slot = lines + hashlib.sha256(lines).hexdigest().encode() + b"\n"
        mark.path.write_bytes(slot.ljust(SLOT_BYTES) * 2)
        assert mark.read() is None


def test_a_slot_counts_from_its_checksum_on(mark: HighWaterMark) -> None:
    mark.raise_to(make_head(1), accept)
    content = mark.path.read_bytes()
    # The second slot is the newest, and nothing of what fills it up has reached the disk.
    first, second = content[:SLOT_BYTES], content[SLOT_BYTES:].rstrip()
    assert b"\n3\n" in second
    mark.path.write_bytes(first + second)
    assert mark.read() == make_head(1)


def test_the_folders_above_a_mark_are_made(tmp_path: Path) -> None:
    made = HighWaterMark(tmp_path / "other" / "volume" / "mark")
    made.create(make_head(0))
    assert made.read() == make_head(0)
    assert stat.S_IMODE(made.path.parent.stat().st_mode) == 0o700


def test_nobody_reads_or_writes_a_mark_while_it_is_raised(mark: HighWaterMark) -> None:
    with mark.path.open("rb") as other:

        def check(known: Checkpoint) -> None:
            del known
            for kind in (fcntl.LOCK_SH, fcntl.LOCK_EX):
                with pytest.raises(BlockingIOError):
                    fcntl.flock(other, kind | fcntl.LOCK_NB)

        mark.raise_to(make_head(1), check)
        # Readers do not wait for each other.
        fcntl.flock(other, fcntl.LOCK_SH)
        assert mark.read() == make_head(1)


def test_a_mark_that_is_gone_is_told(mark: HighWaterMark) -> None:
    mark.path.unlink()
    with pytest.raises(LogRolledBackError, match="recover --new-shard"):
        mark.raise_to(make_head(1), accept)
    assert not mark.path.exists()


def test_another_log_takes_the_file_over_only_by_create(mark: HighWaterMark) -> None:
    mark.raise_to(make_head(9), accept)
    mark.create(make_head(0, "log-2.example.com"))
    assert mark.read() == make_head(0, "log-2.example.com")
    mark.raise_to(make_head(1, "log-2.example.com"), accept)
    assert mark.read() == make_head(1, "log-2.example.com")


def test_a_second_first_opening_does_not_lower_the_mark(mark: HighWaterMark) -> None:
    mark.raise_to(make_head(9), accept)
    mark.create(make_head(0))
    assert mark.read() == make_head(9)


def test_what_is_read_was_synced_before(
    mark: HighWaterMark, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[Failpoint | str] = []
    real = os.fdatasync

    def watched(descriptor: int) -> None:
        real(descriptor)
        reached.append("fdatasync")

    monkeypatch.setattr(os, "fdatasync", watched)
    HighWaterMark(mark.path, reached.append).raise_to(make_head(4), accept)
    assert reached == [
        Failpoint.MARK_LOCKED,
        Failpoint.MARK_WRITTEN,
        "fdatasync",
        Failpoint.MARK_SYNCED,
    ]


def test_a_new_mark_and_its_name_are_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def watched(descriptor: int) -> None:
        real(descriptor)
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        synced.append("folder" if is_folder else f"file of {os.fstat(descriptor).st_size}")

    monkeypatch.setattr(os, "fsync", watched)
    HighWaterMark(tmp_path / "mark").create(make_head(0))
    assert synced == [f"file of {2 * SLOT_BYTES}", "folder"]


def test_a_short_write_is_written_to_its_end(
    mark: HighWaterMark, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pwrite
    monkeypatch.setattr(
        os, "pwrite", lambda descriptor, content, at: real(descriptor, content[:7], at)
    )
    mark.raise_to(make_head(4), accept)
    assert mark.read() == make_head(4)


def raise_often(path: Path, barrier: Barrier, first: int) -> None:
    mark = HighWaterMark(path)
    barrier.wait()
    seen = 0
    for size in range(first, 200, 4):

        def check(known: Checkpoint) -> None:
            nonlocal seen
            assert known.size >= seen
            seen = known.size

        mark.raise_to(make_head(size), check)


def test_processes_take_turns_and_the_highest_stays(mark: HighWaterMark) -> None:
    context = get_context("fork")
    barrier = context.Barrier(4)
    work: Any = partial(raise_often, mark.path, barrier)
    starters = [context.Process(target=work, args=(first,)) for first in range(1, 5)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    assert [starter.exitcode for starter in starters] == [0] * 4
    assert mark.read() == make_head(199)
