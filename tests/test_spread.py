from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from tests.spread import LONGEST, put_longest_first

if TYPE_CHECKING:
    import pytest

_TESTS = Path(__file__).parent


def test_the_files_that_come_first_are_there() -> None:
    assert [name for name in LONGEST if not (_TESTS / name).is_file()] == []


def test_the_longest_files_come_first_and_all_else_stays_in_its_order() -> None:
    names = ["b.py", LONGEST[1], "a.py", LONGEST[0], "b.py", LONGEST[1]]
    items = cast("list[pytest.Item]", [SimpleNamespace(path=_TESTS / name) for name in names])
    put_longest_first(items)
    found = [item.path.relative_to(_TESTS).as_posix() for item in items]
    assert found == [LONGEST[0], LONGEST[1], LONGEST[1], "b.py", "a.py", "b.py"]
