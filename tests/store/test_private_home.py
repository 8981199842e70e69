"""A home keeps others out, however wide its folder was made."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from spanproof.store import open_store
from tests.store.examples import add_plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OTHERS = 0o077


@pytest.fixture
def wide_umask() -> Iterator[None]:
    """What is made without a mode of its own can be read and written by everybody."""
    before = os.umask(0)
    yield
    os.umask(before)


def list_open(home: Path) -> set[str]:
    """What others could read, by its name in the home; what is in a closed folder too."""
    return {
        str(path.relative_to(home))
        for path in [home, *home.rglob("*")]
        if stat.S_IMODE(path.stat().st_mode) & _OTHERS
    }


@pytest.mark.usefixtures("wide_umask")
def test_nothing_in_a_home_can_be_read_by_others(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o777)
    with open_store(home) as store:
        add_plain(store, b"Words.", doc_id="words")
        # While it is open too: SQLite has files of its own beside the database then.
        assert (home / "spanproof.db-wal").exists()
        assert list_open(home) == set()
    assert list_open(home) == set()


@pytest.mark.usefixtures("wide_umask")
def test_a_home_that_others_could_read_is_narrowed_at_the_next_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    with open_store(home) as store:
        add_plain(store, b"Words.", doc_id="words")
        for path in (home, home / "spanproof.db", home / "spanproof.db-wal", home / "blobs"):
            path.chmod(path.stat().st_mode | 0o055)
        assert len(list_open(home)) == 4
    capsys.readouterr()
    with open_store(home):
        assert list_open(home) == set()
    told = "".join(capsys.readouterr())
    assert "home_was_readable_by_others" in told
    with open_store(home):
        assert "home_was_readable" not in "".join(capsys.readouterr())
