from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.models.derived_files import CONTENT, RECORD, find_or_make

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RECIPE: dict[str, str | int] = {"kind": "test", "format": 1}
GOOD = b"a graph" * 100


def make() -> bytes:
    return GOOD


def refuse() -> bytes:
    msg = "a kept artefact was made again"
    raise AssertionError(msg)


def keep(folder: Path) -> Path:
    """A kept artefact's folder."""
    find_or_make(folder, recipe=RECIPE, make=make)
    (place,) = folder.iterdir()
    return place


def edit_record(place: Path, **changes: object) -> None:
    record = json.loads((place / RECORD).read_text())
    (place / RECORD).write_text(json.dumps(record | changes))


def swap(place: Path) -> None:
    (place / CONTENT).write_bytes(b"A graph" * 100)


def swap_with_its_digest(place: Path) -> None:
    # Whole and consistent, and of another recipe: a folder that was copied over this one.
    other = place.parent / "elsewhere"
    find_or_make(other, recipe=RECIPE | {"format": 2}, make=lambda: b"another graph")
    (place / CONTENT).write_bytes(b"another graph")
    (place / RECORD).write_bytes(next(other.glob(f"*/{RECORD}")).read_bytes())


def truncate(place: Path) -> None:
    os.truncate(place / CONTENT, 10)


def lengthen(place: Path) -> None:
    # 1 TB on paper: the file's length is compared before a byte of it is read.
    os.truncate(place / CONTENT, 2**40)


def lose_the_record(place: Path) -> None:
    (place / RECORD).unlink()


def break_the_record(place: Path) -> None:
    (place / RECORD).write_bytes(b"\xff[")


def mistype_the_record(place: Path) -> None:
    (place / RECORD).write_text("[1]")


def record_another_digest(place: Path) -> None:
    edit_record(place, sha256="0" * 64)


def put_a_file_there(place: Path) -> None:
    (place / CONTENT).unlink()
    (place / RECORD).unlink()
    place.rmdir()
    place.write_bytes(b"")


def put_a_dead_link_there(place: Path) -> None:
    put_a_file_there(place)
    place.unlink()
    place.symlink_to("nowhere")


def test_an_artefact_is_made_once_and_then_kept(tmp_path: Path) -> None:
    first = find_or_make(tmp_path / "cache", recipe=RECIPE, make=make)
    again = find_or_make(tmp_path / "cache", recipe=RECIPE, make=refuse)
    assert first.content == again.content == GOOD
    assert first.digest == again.digest == Digest.of(GOOD)
    record = json.loads(next(tmp_path.glob(f"cache/*/{RECORD}")).read_text())
    assert record["sha256"] == first.digest.hex
    assert record["recipe"] == RECIPE
    assert record["made_with"]["onnxruntime"]


def test_another_recipe_is_another_artefact(tmp_path: Path) -> None:
    find_or_make(tmp_path, recipe=RECIPE, make=make)
    other = find_or_make(tmp_path, recipe=RECIPE | {"format": 2}, make=lambda: b"other")
    assert other.content == b"other"
    assert find_or_make(tmp_path, recipe=RECIPE, make=refuse).content == GOOD


@pytest.mark.parametrize(
    "spoil",
    [
        swap,
        swap_with_its_digest,
        truncate,
        lengthen,
        lose_the_record,
        break_the_record,
        mistype_the_record,
        record_another_digest,
        put_a_file_there,
        put_a_dead_link_there,
    ],
)
def test_what_is_not_as_recorded_is_made_anew(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    cache = tmp_path / "cache"
    spoil(keep(cache))
    assert find_or_make(cache, recipe=RECIPE, make=make).content == GOOD
    assert find_or_make(cache, recipe=RECIPE, make=refuse).content == GOOD
    assert not list(cache.glob(".part-*"))


def test_two_at_once_end_with_one_artefact(tmp_path: Path) -> None:
    meeting = threading.Barrier(2, timeout=30)

    def make_mine(content: bytes) -> bytes:
        meeting.wait()  # until the other is making too
        return content

    def find(content: bytes) -> bytes:
        return find_or_make(tmp_path, recipe=RECIPE, make=lambda: make_mine(content)).content

    with ThreadPoolExecutor(2) as pool:
        got = set(pool.map(find, [b"one" * 10**6, b"two" * 10**6]))
    # Each got a whole one, and whoever comes now gets what is kept.
    assert find_or_make(tmp_path, recipe=RECIPE, make=refuse).content in got
    assert got <= {b"one" * 10**6, b"two" * 10**6}
    assert len(list(tmp_path.iterdir())) == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from spanproof.verifier.entailment.models import derived_files
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
recipe = {"kind": "test", "format": 1}
derived_files.find_or_make(Path(sys.argv[1]), recipe=recipe, make=lambda: b"x")
"""


def test_a_process_killed_while_writing_leaves_nothing_that_counts(tmp_path: Path) -> None:
    process = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert process.returncode == -9
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".part-")
    assert find_or_make(tmp_path, recipe=RECIPE, make=make).content == GOOD
    assert left.exists()  # whoever writes it may still be alive
    long_ago = time.time() - 7200
    os.utime(left, (long_ago, long_ago))
    find_or_make(tmp_path, recipe=RECIPE | {"format": 2}, make=make)
    assert not left.exists()


def test_a_failed_making_keeps_nothing(tmp_path: Path) -> None:
    def fail() -> bytes:
        raise ModelUnavailableError("Expected a graph.", hint="None.")

    with pytest.raises(ModelUnavailableError):
        find_or_make(tmp_path / "cache", recipe=RECIPE, make=fail)
    assert not (tmp_path / "cache").exists()
    assert find_or_make(tmp_path / "cache", recipe=RECIPE, make=make).content == GOOD


def test_a_cache_that_cannot_be_written_is_one_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelUnavailableError, match="Expected to keep a derived model") as caught:
        find_or_make(tmp_path / "file" / "models", recipe=RECIPE, make=make)
    assert "writable" in caught.value.hint


def test_without_a_folder_it_lasts_as_long_as_the_process(tmp_path: Path) -> None:
    code = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
        "from spanproof.verifier.entailment.models.derived_files import find_or_make\n"
        "recipe = {'kind': 'test'}\n"
        "find_or_make(None, recipe=recipe, make=lambda: b'x')\n"
        "assert find_or_make(None, recipe=recipe, make=None).content == b'x'\n"
        "import os; assert len(os.listdir(sys.argv[1])) == 1\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert not list(tmp_path.iterdir())
