from __future__ import annotations

from importlib import metadata

from spanproof.operations.versions import find_versions


def test_what_is_not_installed_is_left_out() -> None:
    found = find_versions(("numpy", "no-such-engine"))
    assert found == {"numpy": metadata.version("numpy")}
