from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.store.blobs.folder_blobs import FolderBlobs
from spanproof.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

CONTENT = b"every byte counts" * 100


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    return FolderBlobs(tmp_path / "blobs")


def path_of(blobs: FolderBlobs, digest: Digest) -> Path:
    return blobs._folder / digest.hex[:2] / digest.hex


def all_files(blobs: FolderBlobs) -> list[Path]:
    return [path for path in blobs._folder.rglob("*") if path.is_file()]


@settings(deadline=None)
@given(chunks=st.lists(st.binary(max_size=300), max_size=6))
def test_what_is_staged_in_chunks_is_read_back_whole(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes]
) -> None:
    blobs = FolderBlobs(tmp_path_factory.mktemp("home") / "blobs")
    with blobs.stage() as staged:
        for chunk in chunks:
            staged.write(chunk)
        assert staged.digest == Digest.of(b"".join(chunks))
        assert staged.size == sum(map(len, chunks))
        assert staged.path.read_bytes() == b"".join(chunks)
        digest = staged.commit()
        assert staged.path == path_of(blobs, digest)
    assert blobs.read(digest) == b"".join(chunks)


def test_what_is_not_committed_leaves_no_file(blobs: FolderBlobs) -> None:
    with blobs.stage() as staged:
        staged.write(CONTENT)
    assert all_files(blobs) == []
    assert not blobs.has(Digest.of(CONTENT))


def test_an_error_while_staging_leaves_no_file(blobs: FolderBlobs) -> None:
    def stage_half() -> None:
        with blobs.stage() as staged:
            staged.write(CONTENT)
            raise KeyError

    with pytest.raises(KeyError):
        stage_half()
    assert all_files(blobs) == []


def test_keeping_twice_stores_once_and_leaves_the_file_alone(blobs: FolderBlobs) -> None:
    digest = blobs.put(CONTENT)
    before = path_of(blobs, digest).stat()
    assert blobs.put(CONTENT) == digest
    assert path_of(blobs, digest).stat().st_ino == before.st_ino
    assert len(all_files(blobs)) == 1


def test_a_file_is_synchronised_before_its_name_and_its_folder_after(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, str]] = []
    sync, rename = os.fsync, Path.replace

    def record_sync(descriptor: int) -> None:
        done.append(("sync", Path(f"/proc/self/fd/{descriptor}").readlink().parent.name))
        sync(descriptor)

    def record_rename(path: Path, target: Path) -> Path:
        done.append(("rename", path.parent.name))
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(Path, "replace", record_rename)
    blobs.put(CONTENT)
    # The staged file, its new name, the folder that holds the name, the folder of that folder.
    folder = blobs._folder
    assert done == [
        ("sync", "staging"),
        ("rename", "staging"),
        ("sync", folder.name),
        ("sync", folder.parent.name),
    ]


def test_a_disk_that_fails_at_any_step_is_reported_and_keeps_nothing_in_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = {"left": 0}

    def failing(real: Callable[..., object], code: int) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            calls["left"] -= 1
            if calls["left"] == 0:
                raise OSError(code, os.strerror(code))
            return real(*given, **named)

        return call

    reported = 0
    for step in range(1, 20):
        blobs = FolderBlobs(tmp_path / str(step))
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", failing(os.write, errno.ENOSPC))
            patch.setattr(os, "fsync", failing(os.fsync, errno.EIO))
            patch.setattr(os, "fchmod", failing(os.fchmod, errno.EROFS))
            patch.setattr(Path, "replace", failing(Path.replace, errno.EIO))
            patch.setattr(Path, "mkdir", failing(Path.mkdir, errno.ENOSPC))
            calls["left"] = step
            finished = False
            try:
                blobs.put(CONTENT)
                finished = True
            except StoreUnavailableError:
                reported += 1
        assert list((blobs._folder / "staging").iterdir()) == []
        assert blobs.read(blobs.put(CONTENT)) == CONTENT
        if finished:
            break
    assert reported == 7, "write, chmod, fsync, mkdir, rename and two folders can fail"


def test_a_failed_commit_cannot_be_tried_again(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, f"descriptor {descriptor}")

    with blobs.stage() as staged:
        staged.write(CONTENT)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(StoreUnavailableError):
                staged.commit()
        with pytest.raises(ValueError, match="closed"):
            staged.commit()
    assert not blobs.has(Digest.of(CONTENT))


def test_short_writes_are_finished(blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, chunk: write(fd, chunk[:3]))
    assert blobs.read(blobs.put(CONTENT)) == CONTENT


def test_opening_removes_what_a_dead_process_left_and_spares_what_a_live_one_writes(
    tmp_path: Path,
) -> None:
    blobs = FolderBlobs(tmp_path / "blobs")
    staging = tmp_path / "blobs" / "staging"
    (staging / "orphan").write_bytes(b"half")
    (staging / "orphan-about-to-be-renamed").write_bytes(b"half")
    (staging / "orphan-about-to-be-renamed").chmod(0o400)
    with blobs.stage() as staged:
        staged.write(CONTENT)
        FolderBlobs(tmp_path / "blobs")
        assert list(staging.iterdir()) == [staged.path]
        digest = staged.commit()
    assert blobs.read(digest) == CONTENT


def test_a_sweep_between_creation_and_lock_is_survived(
    blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock
    swept: list[Path] = []

    def sweep_first(descriptor: int, operation: int) -> None:
        if not swept:
            swept.extend((blobs._folder / "staging").iterdir())
            swept[0].unlink()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", sweep_first)
    assert blobs.read(blobs.put(CONTENT)) == CONTENT
    assert len(swept) == 1


def test_blobs_cannot_be_written_by_accident(blobs: FolderBlobs) -> None:
    path = path_of(blobs, blobs.put(CONTENT))
    assert path.stat().st_mode & 0o777 == 0o400
