from __future__ import annotations

import json
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.operations.receipts import facts as receipt_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMIT = "0123456789abcdef" * 2 + "01234567"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    receipt_facts._find_source_commit.cache_clear()
    yield
    receipt_facts._find_source_commit.cache_clear()


@pytest.mark.parametrize(
    ("recorded", "found"),
    [
        (json.dumps({"vcs_info": {"commit_id": COMMIT}}), COMMIT),
        (json.dumps({"vcs_info": {"commit_id": COMMIT[:7]}}), None),
        (json.dumps({"vcs_info": {"commit_id": COMMIT.upper()}}), None),
        (json.dumps({"vcs_info": {"commit_id": 7}}), None),
        (json.dumps({"vcs_info": None}), None),
        (json.dumps({"dir_info": {}}), None),
        ("no json", None),
        (None, None),
    ],
)
def test_a_commit_is_stated_only_where_it_is_recorded_whole(
    monkeypatch: pytest.MonkeyPatch, recorded: str | None, found: str | None
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return recorded

    monkeypatch.setattr(metadata, "distribution", lambda _: Installed())
    assert receipt_facts._find_source_commit() == found


def test_a_package_that_is_not_installed_has_no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(_: str) -> Any:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "distribution", find)
    assert receipt_facts._find_source_commit() is None
