"""Which indexes there are, and the versions of each, as they were registered."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import IndexNotFoundError
from spanproof.store.names import check_name

if TYPE_CHECKING:
    from spanproof.operations.context import Context


def check_names(name: str, version: str) -> None:
    """Raise InputError for names that could not be kept: before a body is read for them."""
    check_name("name", name)
    check_name("version", version)


def list_indexes(context: Context) -> dict[str, Any]:
    """Every index by name, with the number of its versions and the newest."""
    versions = context.store.indexes.list()
    groups = [(name, [*group]) for name, group in groupby(versions, key=lambda each: each.name)]
    return {
        "indexes": [
            {"name": name, "versions": len(group), "newest": group[0].to_json()}
            for name, group in groups
        ]
    }


def list_versions(context: Context, name: str) -> dict[str, Any]:
    """The versions of an index, newest first; IndexNotFoundError for an unknown index."""
    found = context.store.indexes.list(name)
    if not found:
        msg = f"Expected a registered version of index {name!r}, got none."
        raise IndexNotFoundError(msg, hint="Register its manifest with 'index register'.")
    return {"name": name, "versions": [each.to_json() for each in found]}
