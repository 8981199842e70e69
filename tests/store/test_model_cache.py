"""The file of readings: bounded, shared by processes, and never in the way of the work."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from spanproof.store.model_cache import FILE_NAME, ModelCacheWarning, Readings

if TYPE_CHECKING:
    from pathlib import Path


def _key(number: int) -> bytes:
    return number.to_bytes(32, "big")


def _entries(*numbers: int) -> dict[bytes, bytes]:
    return {_key(number): f"value {number}".encode() for number in numbers}


def test_what_is_kept_is_there_after_it_is_opened_again(tmp_path: Path) -> None:
    readings = Readings(tmp_path / "home", entries=10)
    readings.save(_entries(1, 2))
    readings.close()
    readings.close()
    again = Readings(tmp_path / "home", entries=10)
    assert again.load([_key(1), _key(3), _key(2)]) == _entries(1, 2)
    assert again.load([]) == {}
    again.close()


def test_nothing_is_made_before_it_is_used(tmp_path: Path) -> None:
    Readings(tmp_path / "home", entries=10).close()
    assert not (tmp_path / "home").exists()


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    readings = Readings(tmp_path, entries=3)
    for number in range(10):
        readings.save(_entries(number))
    assert readings.load([_key(number) for number in range(10)]) == _entries(7, 8, 9)
    readings.save(_entries(*range(20, 30)))
    assert len(readings.load([_key(number) for number in range(40)])) == 3
    readings.close()


def test_a_value_is_replaced_and_takes_no_second_place(tmp_path: Path) -> None:
    readings = Readings(tmp_path, entries=2)
    readings.save(_entries(1, 2))
    for _ in range(5):
        readings.save({_key(1): b"new"})
    assert readings.load([_key(1), _key(2)]) == _entries(2) | {_key(1): b"new"}
    readings.close()


def test_more_keys_than_one_query_takes(tmp_path: Path) -> None:
    readings = Readings(tmp_path, entries=5000)
    entries = _entries(*range(2000))
    readings.save(entries)
    assert readings.load(list(entries)) == entries
    readings.close()


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    readings = Readings(tmp_path, entries=5)
    readings.save(_entries(1))
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0
    readings.close()


def _overwrite(path: Path) -> None:
    path.write_bytes(b"this is no database, though long enough to be one. " * 100)


def _spoil_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _make_foreign(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE reading (somebody TEXT)")
    connection.execute("INSERT INTO reading VALUES ('else')")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("damage", [_overwrite, _spoil_pages, _cut, _make_foreign])
def test_a_damaged_file_is_set_aside_and_made_anew(tmp_path: Path, damage: object) -> None:
    readings = Readings(tmp_path, entries=500)
    readings.save(_entries(*range(300)))
    readings.close()
    damage(tmp_path / FILE_NAME)  # type: ignore[operator]
    again = Readings(tmp_path, entries=500)
    assert again.load([_key(number) for number in range(300)]) == {}
    again.save(_entries(1))
    assert again.load([_key(1)]) == _entries(1)
    assert (tmp_path / f"{FILE_NAME}.damaged").exists()
    again.close()


def test_a_value_of_another_type_is_not_handed_out(tmp_path: Path) -> None:
    readings = Readings(tmp_path, entries=5)
    readings.save(_entries(1))
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("UPDATE reading SET value = 7")
    connection.close()
    assert readings.load([_key(1)]) == {}
    readings.close()


def test_what_cannot_be_kept_is_a_warning_once_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be", encoding="utf-8")
    readings = Readings(tmp_path / "home", entries=5)
    with pytest.warns(ModelCacheWarning, match=FILE_NAME):
        readings.save(_entries(1))
    assert readings.load([_key(1)]) == {}
    readings.close()


def test_a_full_disk_is_a_warning(tmp_path: Path) -> None:
    readings = Readings(tmp_path, entries=5)
    readings.save(_entries(1))
    assert readings._connection is not None
    readings._connection.execute("PRAGMA max_page_count = 1")
    with pytest.warns(ModelCacheWarning, match="full"):
        readings.save({_key(2): b"x" * 100_000})
    assert readings.load([_key(1)]) == _entries(1)
    readings.close()


_WRITER = """
import sys
from pathlib import Path
from spanproof.store.model_cache import Readings
readings = Readings(Path(sys.argv[1]), entries=10_000)
base = int(sys.argv[2])
for number in range(base, base + 200):
    readings.save({number.to_bytes(32, "big"): str(number).encode()})
readings.close()
"""


def test_two_processes_and_several_threads_write_at_once(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", _WRITER, str(tmp_path), str(base)])
        for base in (0, 1000)
    ]
    readings = Readings(tmp_path, entries=10_000)

    def work(base: int) -> None:
        for number in range(base, base + 100):
            readings.save({_key(number): str(number).encode()})

    threads = [threading.Thread(target=work, args=(base,)) for base in (2000, 3000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [writer.wait() for writer in writers] == [0, 0]
    wanted = [*range(200), *range(1000, 1200), *range(2000, 2100), *range(3000, 3100)]
    found = readings.load([_key(number) for number in wanted])
    assert found == {_key(number): str(number).encode() for number in wanted}
    readings.close()
