"""What a job was given, on another host than the one that took it in."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import IntegrityError
from spanproof.operations.jobs.object_inputs import PREFIX, ObjectJobInputs
from spanproof.store.blobs.object_folder import ObjectFolder
from spanproof.store.blobs.object_place import ObjectPlace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CONTENT = b"an answer to verify" * 100


@pytest.fixture
def objects() -> ObjectFolder:
    return ObjectFolder(ObjectPlace(url=f"memory://{uuid.uuid4().hex}"))


def on_host(objects: ObjectFolder, tmp_path: Path, host: str) -> ObjectJobInputs:
    folder = tmp_path / host / "jobs" / "inputs" / "acme"
    return ObjectJobInputs(folder, objects, "acme", most_bytes=1 << 30)


def test_it_is_read_on_another_host_and_gone_from_both(
    objects: ObjectFolder, tmp_path: Path
) -> None:
    one, two = (on_host(objects, tmp_path, host) for host in ("one", "two"))
    source = tmp_path / "upload"
    source.write_bytes(CONTENT)
    names = [one.add(CONTENT), one.add_file(source)]
    for name in names:
        assert two.read(name) == one.read(name) == CONTENT
        two.remove(name)
        with pytest.raises(IntegrityError, match="of a job"):
            two.path(name)
    assert objects.list(f"{PREFIX}/acme") == ()
    assert list((tmp_path / "two" / "jobs" / "staged-inputs" / "staging").iterdir()) == []


@pytest.mark.parametrize("changed", [b"", CONTENT[:-1], b"A" + CONTENT[1:]])
def test_other_bytes_are_never_given_to_a_job(
    objects: ObjectFolder, tmp_path: Path, changed: bytes
) -> None:
    one, two = (on_host(objects, tmp_path, host) for host in ("one", "two"))
    name = one.add(CONTENT)
    (tmp_path / "changed").write_bytes(changed)
    objects.upload(tmp_path / "changed", f"{PREFIX}/acme/{name}", len(changed))
    with pytest.raises(IntegrityError):
        two.path(name)
    assert one.read(name) == CONTENT


@pytest.mark.parametrize("name", ["", "..", "../" * 4 + "etc/passwd", "0" * 31, "0" * 32 + ".mark"])
def test_a_name_of_another_shape_is_asked_of_nobody(
    objects: ObjectFolder, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError(name)

    monkeypatch.setattr(objects, "read_parts", refuse)
    monkeypatch.setattr(objects, "delete", refuse)
    inputs = on_host(objects, tmp_path, "one")
    with pytest.raises(IntegrityError):
        inputs.path(name)
    inputs.remove(name)


def test_what_no_job_names_is_swept_after_its_time(objects: ObjectFolder, tmp_path: Path) -> None:
    one, two = (on_host(objects, tmp_path, host) for host in ("one", "two"))
    named, forgotten = one.add(CONTENT), one.add(CONTENT)

    def find_named(names: Sequence[str]) -> frozenset[str]:
        return frozenset(names) & {named}

    two.sweep(3_600.0, find_named)
    assert two.read(forgotten) == CONTENT
    two.sweep(-1.0, find_named)
    assert objects.list(f"{PREFIX}/acme") == (named, f"{named}.mark")
