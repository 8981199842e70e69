"""An object store that lies, refuses, hangs or is gone: one typed error, and well again after."""

from __future__ import annotations

import logging
import os
import signal
import uuid
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError, IntegrityError
from spanproof.store.blobs.object_blobs import MARK, ObjectBlobs
from spanproof.store.blobs.object_folder import PART_BYTES
from spanproof.store.blobs.object_place import ObjectPlace
from spanproof.store.errors import ObjectStoreUnavailableError
from tests.object_store import (
    BUCKET,
    KEY_ID,
    SECRET,
    ObjectServer,
    change_answer,
    refuse,
    swallow_puts,
)
from tests.store.examples import run_in_child

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CONTENT = b"every byte counts" * 100
OTHER = b"another"


@pytest.fixture
def prefix() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def blobs(object_server: ObjectServer, prefix: str, tmp_path: Path) -> Iterator[ObjectBlobs]:
    made = ObjectBlobs(object_server.place(prefix), tmp_path / "copies")
    yield made
    made.close()


def check_well_again(blobs: ObjectBlobs) -> None:
    digest = blobs.put(CONTENT)
    blobs.forget_all()
    assert blobs.read(digest) == CONTENT
    assert blobs.remove(digest)


REFUSALS = {
    "500": refuse("500 Internal Server Error", "InternalError"),
    "503": refuse("503 Slow Down", "SlowDown"),
    "denied": refuse("403 Forbidden", "AccessDenied"),
    "unknown key": refuse("403 Forbidden", "InvalidAccessKeyId"),
    "no bucket": refuse("404 Not Found", "NoSuchBucket"),
}


@pytest.mark.parametrize("name", ["500", "503", "denied", "no bucket"])
def test_a_store_that_refuses_is_unavailable_whatever_is_asked_of_it(
    object_server: ObjectServer, blobs: ObjectBlobs, name: str
) -> None:
    digest = blobs.put(OTHER)
    blobs.forget_all()
    asked: list[Callable[[], object]] = [lambda: blobs.put(CONTENT), lambda: blobs.read(digest)]
    if name == "denied":
        # Not tried again, so it costs little to ask for everything.
        asked += [
            lambda: blobs.has(digest),
            lambda: blobs.check(digest),
            lambda: blobs.remove(digest),
            blobs.probe,
            blobs.answer,
        ]
    with object_server.failing(REFUSALS[name]):
        for ask in asked:
            with pytest.raises(ObjectStoreUnavailableError) as raised:
                ask()
            assert raised.value.code == "STORE_UNAVAILABLE"
            assert raised.value.hint
    # What was refused did not happen.
    assert blobs.has(digest)
    assert not blobs.has(Digest.of(CONTENT))
    check_well_again(blobs)


def test_a_store_that_hangs_is_given_up_and_asked_again(
    object_server: ObjectServer, prefix: str, tmp_path: Path
) -> None:
    blobs = ObjectBlobs(object_server.place(prefix, seconds=0.3), tmp_path / "copies")
    with object_server.failing(object_server.hang):
        for ask in (blobs.answer, lambda: blobs.put(CONTENT)):
            with pytest.raises(ObjectStoreUnavailableError, match="no answer in time"):
                ask()
    blobs.close()
    patient = ObjectBlobs(object_server.place(prefix), tmp_path / "copies")
    check_well_again(patient)
    patient.close()


def test_a_store_that_is_not_there_is_unavailable(
    monkeypatch: pytest.MonkeyPatch, object_server: ObjectServer, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    blobs = ObjectBlobs(object_server.place("x", seconds=5), tmp_path / "copies")
    with pytest.raises(ObjectStoreUnavailableError):
        blobs.put(CONTENT)
    blobs.close()


def test_a_protocol_without_its_package_says_what_to_install(tmp_path: Path) -> None:
    blobs = ObjectBlobs(ObjectPlace(url="nowhere://bucket/prefix"), tmp_path / "copies")
    with pytest.raises(ObjectStoreUnavailableError, match="'nowhere'") as raised:
        blobs.answer()
    assert "spanproof[s3]" in str(raised.value.hint)


def test_another_bucket_is_not_taken_for_lost_blobs(
    object_server: ObjectServer, blobs: ObjectBlobs, prefix: str
) -> None:
    digest = blobs.put(CONTENT)
    blobs.forget_all()
    for key in object_server.keys(prefix):
        object_server.client.delete_object(Bucket=BUCKET, Key=f"{prefix}/{key}")
    for ask in (blobs.read, blobs.check, blobs.has, blobs.remove):
        with pytest.raises(ObjectStoreUnavailableError, match=MARK):
            ask(digest)
    # With its mark it is ours, and has lost a blob.
    blobs.probe()
    with pytest.raises(IntegrityError, match="got none"):
        blobs.read(digest)
    assert not blobs.has(digest)


def test_what_was_acknowledged_and_not_kept_is_no_blob(
    object_server: ObjectServer, blobs: ObjectBlobs
) -> None:
    blobs.put(OTHER)
    with (
        object_server.failing(swallow_puts),
        pytest.raises(ObjectStoreUnavailableError, match=r"give .* back"),
    ):
        blobs.put(CONTENT)
    assert not blobs.has(Digest.of(CONTENT))
    check_well_again(blobs)


def test_an_answer_that_was_cut_off_or_changed_is_never_handed_out(
    object_server: ObjectServer, blobs: ObjectBlobs
) -> None:
    digest = blobs.put(CONTENT)
    blobs.forget_all()
    cut = change_answer(lambda body: body[: len(body) // 2], with_checksum=False)
    changed = change_answer(lambda body: body[::-1], with_checksum=True)
    for fault in (cut, changed):
        with object_server.failing(fault), pytest.raises(ObjectStoreUnavailableError):
            blobs.read(digest)
    with object_server.failing(change_answer(lambda body: body[::-1], with_checksum=False)):
        for take in (blobs.read, blobs.check):
            with pytest.raises(BlobDigestMismatchError):
                take(digest)
        # What comes back changed was not kept, as far as anybody can know.
        with pytest.raises(ObjectStoreUnavailableError, match=r"give .* back"):
            blobs.put(OTHER)
    assert blobs.read(digest) == CONTENT


def test_a_delete_that_does_nothing_is_no_erasure(
    object_server: ObjectServer, blobs: ObjectBlobs
) -> None:
    digest = blobs.put(CONTENT)

    def ignore(_: object, environ: dict[str, str], start_response: Callable[..., object]) -> object:
        if environ["REQUEST_METHOD"] != "DELETE":
            return None
        start_response("204 No Content", [])
        return [b""]

    with object_server.failing(ignore):  # type: ignore[arg-type]
        with pytest.raises(ObjectStoreUnavailableError, match="has it still"):
            blobs.remove(digest)
        with pytest.raises(ObjectStoreUnavailableError, match="has it still"):
            blobs.probe()
    assert blobs.remove(digest)


@pytest.mark.long
def test_several_parts_are_one_blob_or_none(
    object_server: ObjectServer, blobs: ObjectBlobs, prefix: str
) -> None:
    large = os.urandom(1024) * (2 * PART_BYTES // 1024) + b"the end"
    digest = Digest.of(large)

    def refuse_last(application: object, environ: dict[str, str], start: object) -> object:
        is_last = "uploadId" in environ["QUERY_STRING"] and environ["REQUEST_METHOD"] == "POST"
        denied = refuse("500 Internal Server Error", "InternalError")
        return denied(application, environ, start) if is_last else None

    with object_server.failing(refuse_last):  # type: ignore[arg-type]
        with pytest.raises(ObjectStoreUnavailableError):
            blobs.put(large)
        assert not blobs.has(digest)
    object_server.requests.clear()
    assert blobs.put(large) == digest
    # No request carried all of it, there or back.
    kept = f"/{BUCKET}/{prefix}/blobs/{digest.hex[:2]}/{digest.hex}"
    assert object_server.requests.count(f"PUT {kept}") == 3
    assert object_server.requests.count(f"GET {kept}") == 3
    blobs.forget_all()
    assert Digest.of(blobs.check(digest).read_bytes()) == digest


@pytest.mark.long
def test_a_kill_while_an_object_is_written_leaves_none(
    object_server: ObjectServer, prefix: str, tmp_path: Path
) -> None:
    def die(_: object, environ: dict[str, str], __: object) -> None:
        if environ["REQUEST_METHOD"] == "PUT" and "/blobs/" in environ["PATH_INFO"]:
            os.kill(child[0], signal.SIGKILL)

    child: list[int] = []
    reading, writing = os.pipe()

    def work() -> None:
        os.write(writing, os.getpid().to_bytes(8, "big"))
        ObjectBlobs(object_server.place(prefix), tmp_path / "copies").put(CONTENT)

    def die_once(application: object, environ: dict[str, str], start: object) -> object:
        if not child:
            child.append(int.from_bytes(os.read(reading, 8), "big"))
        die(application, environ, start)
        is_put = environ["REQUEST_METHOD"] == "PUT" and "/blobs/" in environ["PATH_INFO"]
        return swallow_puts(application, environ, start) if is_put else None

    with object_server.failing(die_once):  # type: ignore[arg-type]
        assert run_in_child(work) == -signal.SIGKILL
    os.close(reading)
    os.close(writing)
    staging = tmp_path / "copies" / "staging"
    assert len(list(staging.iterdir())) == 1
    blobs = ObjectBlobs(object_server.place(prefix), tmp_path / "copies")
    assert list(staging.iterdir()) == []
    assert not blobs.has(Digest.of(CONTENT))
    check_well_again(blobs)
    blobs.close()


def test_credentials_are_told_nowhere(
    object_server: ObjectServer, blobs: ObjectBlobs, caplog: pytest.LogCaptureFixture
) -> None:
    told = [blobs.probe(), blobs.answer()]
    with (
        caplog.at_level(logging.INFO),
        object_server.failing(REFUSALS["unknown key"]),
        pytest.raises(ObjectStoreUnavailableError) as raised,
    ):
        blobs.put(CONTENT)
    told += [str(raised.value), str(raised.value.hint), caplog.text]
    for each in told:
        assert SECRET not in each
        assert KEY_ID not in each
