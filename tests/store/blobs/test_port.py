"""What blobs promise, in a folder and in object stores: of fsspec's memory and by the S3 wire."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError, IntegrityError
from spanproof.store.blobs.folder_blobs import FolderBlobs
from spanproof.store.blobs.object_blobs import ObjectBlobs
from spanproof.store.blobs.object_place import ObjectPlace
from tests.object_store import BUCKET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.store.blobs.port import Blobs
    from tests.object_store import ObjectServer

#: What never leaves this process needs no wire.
NEAR = ("folder", "memory", "file")
CONTENT = b"every byte counts" * 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Blobs, and a hand that changes and lists what is kept behind their back."""

    blobs: Blobs
    write: Callable[[Digest, bytes], None]
    names: Callable[[], list[str]]


def in_folder(tmp_path: Path) -> Kept:
    folder = tmp_path / "blobs"

    def write(digest: Digest, content: bytes) -> None:
        path = folder / digest.hex[:2] / digest.hex
        path.chmod(0o600)
        path.write_bytes(content)

    def names() -> list[str]:
        return sorted(path.name for path in folder.rglob("*") if path.is_file())

    return Kept(blobs=FolderBlobs(folder), write=write, names=names)


def by_fsspec(tmp_path: Path, url: str) -> Kept:
    import fsspec

    filesystem, root = fsspec.core.url_to_fs(url)

    def write(digest: Digest, content: bytes) -> None:
        filesystem.pipe_file(f"{root}/blobs/{digest.hex[:2]}/{digest.hex}", content)

    def names() -> list[str]:
        staged = [path.name for path in (tmp_path / "copies" / "staging").iterdir()]
        return sorted(
            staged + [each.rpartition("/")[2] for each in filesystem.find(f"{root}/blobs")]
        )

    blobs = ObjectBlobs(ObjectPlace(url=url), tmp_path / "copies")
    return Kept(blobs=blobs, write=write, names=names)


def by_s3(tmp_path: Path, server: ObjectServer) -> Kept:
    prefix = uuid.uuid4().hex

    def write(digest: Digest, content: bytes) -> None:
        key = f"{prefix}/blobs/{digest.hex[:2]}/{digest.hex}"
        server.client.put_object(Bucket=BUCKET, Key=key, Body=content)

    def names() -> list[str]:
        staged = [path.name for path in (tmp_path / "copies" / "staging").iterdir()]
        kept = [each for each in server.keys(prefix) if each.startswith("blobs/")]
        return sorted(staged + [each.rpartition("/")[2] for each in kept])

    blobs = ObjectBlobs(server.place(prefix), tmp_path / "copies")
    return Kept(blobs=blobs, write=write, names=names)


@pytest.fixture(params=[*NEAR, "s3"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    if request.param == "folder":
        made = in_folder(tmp_path)
    elif request.param == "s3":
        made = by_s3(tmp_path, request.getfixturevalue("object_server"))
    elif request.param == "file":
        made = by_fsspec(tmp_path, f"file://{tmp_path}/objects")
    else:
        made = by_fsspec(tmp_path, f"memory://{uuid.uuid4().hex}")
    yield made
    made.blobs.close()


@pytest.fixture
def blobs(kept: Kept) -> Blobs:
    return kept.blobs


@settings(
    deadline=None,
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(chunks=st.lists(st.binary(max_size=300), max_size=6))
def test_what_is_staged_in_chunks_is_read_back_whole(blobs: Blobs, chunks: list[bytes]) -> None:
    with blobs.stage() as staged:
        for chunk in chunks:
            staged.write(chunk)
        assert staged.digest == Digest.of(b"".join(chunks))
        assert staged.size == sum(map(len, chunks))
        assert staged.path.read_bytes() == b"".join(chunks)
        digest = staged.commit()
        assert staged.path.read_bytes() == b"".join(chunks)
    assert blobs.read(digest) == b"".join(chunks)
    # Not from what was copied here on the way.
    blobs.forget_all()
    assert blobs.read(digest) == b"".join(chunks)
    blobs.forget_all()
    assert blobs.check(digest).read_bytes() == b"".join(chunks)


@pytest.mark.parametrize("kept", NEAR, indirect=True)
def test_what_is_not_committed_is_nowhere(kept: Kept) -> None:
    with kept.blobs.stage() as staged:
        staged.write(CONTENT)
    assert kept.names() == []
    kept.blobs.answer()
    assert not kept.blobs.has(Digest.of(CONTENT))


@pytest.mark.parametrize("kept", NEAR, indirect=True)
def test_an_error_while_staging_leaves_nothing(kept: Kept) -> None:
    def stage_half() -> None:
        with kept.blobs.stage() as staged:
            staged.write(CONTENT)
            raise KeyError

    with pytest.raises(KeyError):
        stage_half()
    assert kept.names() == []


def test_keeping_twice_stores_once(kept: Kept) -> None:
    digest = kept.blobs.put(CONTENT)
    assert kept.blobs.put(CONTENT) == digest
    assert kept.names() == [digest.hex]


@pytest.mark.parametrize("kept", NEAR, indirect=True)
def test_committing_twice_is_committing_once(blobs: Blobs) -> None:
    with blobs.stage() as staged:
        staged.write(CONTENT)
        assert staged.commit() == staged.commit() == Digest.of(CONTENT)


@pytest.mark.parametrize("kept", NEAR, indirect=True)
def test_a_committed_blob_takes_no_more_bytes(blobs: Blobs) -> None:
    with blobs.stage() as staged:
        staged.write(CONTENT)
        digest = staged.commit()
        with pytest.raises(ValueError, match="closed"):
            staged.write(b"more")
    assert blobs.read(digest) == CONTENT


def test_a_blob_that_is_missing_is_an_integrity_error(blobs: Blobs) -> None:
    blobs.put(CONTENT)
    missing = Digest.of(b"never stored")
    assert not blobs.has(missing)
    for take in (blobs.read, blobs.check):
        with pytest.raises(IntegrityError, match="got none"):
            take(missing)


def flip(content: bytes) -> bytes:
    return bytes([content[0] ^ 1]) + content[1:]


def truncate(content: bytes) -> bytes:
    return content[:-1]


def extend(content: bytes) -> bytes:
    return content + b"\0"


def empty(content: bytes) -> bytes:
    return content[:0]


@pytest.mark.parametrize("damage", [flip, truncate, extend, empty])
def test_damaged_bytes_are_never_handed_out(kept: Kept, damage: Callable[[bytes], bytes]) -> None:
    blobs = kept.blobs
    digest = blobs.put(CONTENT)
    assert blobs.read(digest) == CONTENT
    kept.write(digest, damage(CONTENT))
    blobs.forget_all()
    for _ in range(2):
        for take in (blobs.read, blobs.check):
            with pytest.raises(BlobDigestMismatchError):
                take(digest)
    # The good bytes, when they come again, take the place of the bad ones.
    assert blobs.put(CONTENT) == digest
    blobs.forget_all()
    assert blobs.read(digest) == CONTENT
    assert kept.names() == [digest.hex]


@pytest.mark.parametrize("kept", ["folder", "memory"], indirect=True)
def test_every_flipped_byte_is_found(kept: Kept) -> None:
    content = b"a clause of forty-two words"
    digest = kept.blobs.put(content)
    for index in range(len(content)):
        bad = bytearray(content)
        bad[index] ^= 0x20
        kept.write(digest, bytes(bad))
        kept.blobs.forget_all()
        with pytest.raises(BlobDigestMismatchError):
            kept.blobs.read(digest)


def test_what_is_removed_is_gone_once(kept: Kept) -> None:
    digest, other = kept.blobs.put(CONTENT), kept.blobs.put(b"another")
    assert kept.blobs.remove(digest)
    assert not kept.blobs.remove(digest)
    assert not kept.blobs.has(digest)
    with pytest.raises(IntegrityError, match="got none"):
        kept.blobs.read(digest)
    assert kept.names() == [other.hex]


def test_a_probe_leaves_nothing_that_could_be_taken_for_a_blob(kept: Kept) -> None:
    assert kept.blobs.probe()
    assert kept.blobs.answer()
    assert kept.names() == []
