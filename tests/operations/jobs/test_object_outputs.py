"""What a job made, on another host than the one that ran it."""

from __future__ import annotations

import json
import os
import time
import uuid
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import IntegrityError
from spanproof.operations.jobs.object_outputs import PREFIX, ObjectJobOutputs
from spanproof.operations.jobs.outputs import JobOutputs
from spanproof.store.blobs.object_folder import ObjectFolder
from spanproof.store.blobs.object_place import ObjectPlace

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {"a.000.parquet": b"first" * 1000, "a.001.parquet": b"second" * 1000}


@pytest.fixture
def objects() -> ObjectFolder:
    return ObjectFolder(ObjectPlace(url=f"memory://{uuid.uuid4().hex}"))


def on_host(objects: ObjectFolder, tmp_path: Path, host: str) -> ObjectJobOutputs:
    return ObjectJobOutputs(tmp_path / host / "jobs" / "outputs" / "acme", objects, "acme")


def make(outputs: JobOutputs, rows: dict[str, bytes], job_id: str = "one") -> None:
    folder = outputs.path(job_id) / "rows"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in rows.items():
        (folder / name).write_bytes(content)
    outputs.share(job_id)


def read(outputs: JobOutputs, job_id: str = "one") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in outputs.list_files(job_id, "rows")}


def test_it_is_read_on_another_host_and_gone_from_the_store(
    objects: ObjectFolder, tmp_path: Path
) -> None:
    one, two = (on_host(objects, tmp_path, host) for host in ("one", "two"))
    with one.scratch("one") as scratch:
        (scratch / "given").write_bytes(b"what the job was given")
        make(one, ROWS)
    assert list(read(two)) == sorted(ROWS)
    assert read(two) == read(one) == ROWS
    assert two.list_files("one", "other") == two.list_files("two", "rows") == ()
    two.remove("one")
    assert objects.list(f"{PREFIX}/acme/one") == ()
    assert read(two) == {}
    assert list((tmp_path / "two" / "jobs" / "staged-outputs" / "staging").iterdir()) == []


def test_of_two_runs_the_last_list_counts_on_both_hosts(
    objects: ObjectFolder, tmp_path: Path
) -> None:
    one, two = (on_host(objects, tmp_path, host) for host in ("one", "two"))
    make(one, ROWS)
    later = ROWS | {"a.001.parquet": b"otherwise"}
    make(two, later)
    assert read(one) == read(two) == later
    # What the first run has uploaded is still there for whoever reads by its list.
    make(one, ROWS)
    assert read(one) == read(two) == ROWS


def test_other_bytes_are_never_given_out(objects: ObjectFolder, tmp_path: Path) -> None:
    one, two = (on_host(objects, tmp_path, host) for host in ("one", "two"))
    make(one, ROWS)
    (name, sha256, size), *_ = json.loads(
        b"".join(objects.read_parts(f"{PREFIX}/acme/one/list", 1 << 20))
    )
    changed = tmp_path / "changed"
    changed.write_bytes(b"A" * size)
    objects.upload(changed, f"{PREFIX}/acme/one/{sha256}", size)
    with pytest.raises(IntegrityError, match=name):
        two.list_files("one", "rows")
    objects.delete(f"{PREFIX}/acme/one/{sha256}")
    with pytest.raises(IntegrityError, match=name):
        two.list_files("one", "rows")
    assert read(one) == ROWS


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"3",
        b"[3]",
        b'[["rows/a", "00", 1]]',
        b'[["../../a", "%s", 1]]' % (b"0" * 64),
        b'[["rows/../a", "%s", 1]]' % (b"0" * 64),
        b'[["rows/a", "%s", "b"]]' % (b"0" * 64),
    ],
)
def test_a_list_that_is_none_is_told(objects: ObjectFolder, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "list").write_bytes(content)
    objects.upload(tmp_path / "list", f"{PREFIX}/acme/one/list", len(content))
    with pytest.raises(IntegrityError):
        on_host(objects, tmp_path, "one").list_files("one", "rows")


def test_what_was_made_before_there_was_a_store_is_read(
    objects: ObjectFolder, tmp_path: Path
) -> None:
    one = on_host(objects, tmp_path, "one")
    make(JobOutputs(tmp_path / "one" / "jobs" / "outputs" / "acme"), ROWS)
    assert read(one) == ROWS


def test_what_another_host_forgot_is_swept(tmp_path: Path) -> None:
    outputs = JobOutputs(tmp_path / "outputs" / "acme")
    for job_id in ("known", "forgotten", "young"):
        make(outputs, ROWS, job_id)
    old = time.time() - 100
    for job_id in ("known", "forgotten"):
        os.utime(outputs.path(job_id), (old, old))
    outputs.sweep(50, lambda asked: frozenset(asked) - {"forgotten", "young"})
    assert {path.name for path in (tmp_path / "outputs" / "acme").iterdir()} == {"known", "young"}
