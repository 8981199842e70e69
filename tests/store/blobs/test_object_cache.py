"""Copies on a host's own disk: believed by their digest only, bounded, dropped when erased."""

from __future__ import annotations

import os
import time
import uuid
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import IntegrityError
from spanproof.store.blobs.object_blobs import ObjectBlobs
from spanproof.store.blobs.object_cache import ObjectCache
from spanproof.store.blobs.object_place import ObjectPlace

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = b"every byte counts" * 100
HOUR = 3_600


@pytest.fixture
def place() -> ObjectPlace:
    return ObjectPlace(url=f"memory://{uuid.uuid4().hex}")


def count_reads(blobs: ObjectBlobs, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    read = blobs._objects.read_parts
    asked: list[str] = []

    def counted(key: str, size: int) -> object:
        asked.append(key)
        return read(key, size)

    monkeypatch.setattr(blobs._objects, "read_parts", counted)
    return asked


def copies_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_was_read_once_is_not_asked_for_again(
    place: ObjectPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = ObjectBlobs(place, tmp_path / "one").put(CONTENT)
    other = ObjectBlobs(place, tmp_path / "two")
    asked = count_reads(other, monkeypatch)
    for _ in range(3):
        assert other.read(digest) == CONTENT
        assert other.check(digest).read_bytes() == CONTENT
    assert len(asked) == 1


@pytest.mark.parametrize("damaged", [b"", CONTENT[:-1], CONTENT + b" ", b"f" + CONTENT[1:]])
def test_a_copy_that_went_bad_is_dropped_and_fetched_anew(
    place: ObjectPlace, tmp_path: Path, damaged: bytes
) -> None:
    blobs = ObjectBlobs(place, tmp_path / "copies")
    digest = blobs.put(CONTENT)
    (copy,) = copies_of(tmp_path / "copies")
    for take in (blobs.read, lambda digest: blobs.check(digest).read_bytes()):
        copy.chmod(0o600)
        copy.write_bytes(damaged)
        assert take(digest) == CONTENT
        assert copy.read_bytes() == CONTENT
        assert copy.stat().st_mode & 0o777 == 0o400


def test_a_copy_counts_for_nothing_when_the_store_is_asked(
    place: ObjectPlace, tmp_path: Path
) -> None:
    blobs = ObjectBlobs(place, tmp_path / "one")
    digest = blobs.put(CONTENT)
    assert ObjectBlobs(place, tmp_path / "two").remove(digest)
    assert not blobs.has(digest)
    # Kept again though a copy is here: another host must find it.
    assert blobs.put(CONTENT) == digest
    assert ObjectBlobs(place, tmp_path / "two").read(digest) == CONTENT


def test_the_oldest_copies_make_room_and_what_is_in_use_stays(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path / "copies", max_bytes=5_000)
    now = time.time()
    digests = []
    for number in range(10):
        content = bytes([number]) * 1_000
        (cache.staging / "new").write_bytes(content)
        digest = Digest.of(content)
        path = cache.adopt(cache.staging / "new", digest, len(content))
        os.utime(path, (now - HOUR + number, now - HOUR + number))
        digests.append(digest)
    # Used again: as new as the newest.
    oldest = next(each for each in digests if cache.read(each))
    (cache.staging / "new").write_bytes(b"x" * 1_000)
    cache.adopt(cache.staging / "new", Digest.of(b"x" * 1_000), 1_000)
    assert sum(path.stat().st_size for path in copies_of(tmp_path / "copies")) <= 5_000
    assert cache.read(oldest) is not None
    assert cache.check(digests[0]) is None
    assert cache.read(Digest.of(b"x" * 1_000)) is not None


def test_a_copy_is_not_taken_from_whoever_was_just_given_it(
    place: ObjectPlace, tmp_path: Path
) -> None:
    none = ObjectPlace(url=place.url, cache_bytes=0)
    blobs = ObjectBlobs(none, tmp_path / "copies")
    given = [blobs.check(blobs.put(bytes([number]) * 100)) for number in range(5)]
    assert all(path.exists() for path in given)
    for path in given:
        os.utime(path, (0, 0))
    last = blobs.put(b"one more")
    assert [path.name for path in copies_of(tmp_path / "copies")] == [last.hex]


def test_what_another_host_erased_is_dropped_here(place: ObjectPlace, tmp_path: Path) -> None:
    erased: set[Digest] = set()
    blobs = ObjectBlobs(place, tmp_path / "one", find_erased=lambda: erased)
    digest, other = blobs.put(CONTENT), blobs.put(b"another")
    assert ObjectBlobs(place, tmp_path / "two").remove(digest)
    erased.add(digest)
    # As after an hour, or a start: whatever is asked for next.
    blobs._next_forget = 0.0
    assert blobs.read(other) == b"another"
    assert [path.name for path in copies_of(tmp_path / "one")] == [other.hex]
    with pytest.raises(IntegrityError, match="got none"):
        blobs.read(digest)


def test_a_look_for_erasures_that_failed_is_made_again(place: ObjectPlace, tmp_path: Path) -> None:
    def fail() -> list[Digest]:
        asked.append("again")
        raise IntegrityError("gone", hint="none")

    asked: list[str] = []
    blobs = ObjectBlobs(place, tmp_path / "copies", find_erased=fail)
    for _ in range(2):
        with pytest.raises(IntegrityError, match="gone"):
            blobs.put(CONTENT)
    assert len(asked) == 2
