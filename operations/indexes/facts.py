"""What is known of registered indexes, then and now, and how they are listed."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from spanproof.core.documents.document import IndexFacts
from spanproof.core.errors import IndexNotFoundError
from spanproof.store.names import check_name
from spanproof.verifier.identity.source import INDEX_MODEL_MISMATCH, INDEX_UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from spanproof.core.citation import Answer
    from spanproof.core.documents.document import Library
    from spanproof.operations.context import Context


def with_indexes(
    context: Context, library: Library, answer: Answer, *, until: datetime | None = None
) -> Library:
    """The library with the versions that the answer's citations name, as registered by a moment."""
    versions = _list_versions(answer)
    if not versions:
        return library
    return replace(library, indexes=context.store.indexes.facts_of(versions, until=until))


def with_recorded_indexes(
    library: Library, answer: Answer, verdicts: Sequence[dict[str, Any]]
) -> Library:
    """The library with the versions that another store knew, as its verdicts tell.

    Which indexes are registered is a fact of the store where it was verified; here only what was
    made of it can be repeated.
    """
    facts: list[IndexFacts] = []
    is_recorded = False
    for verdict in verdicts:
        citation, codes = answer.citations[verdict["citation"]], verdict["codes"]
        is_recorded |= INDEX_UNKNOWN in codes or INDEX_MODEL_MISMATCH in codes
        if citation.index_version is not None and INDEX_UNKNOWN not in codes:
            model = None if INDEX_MODEL_MISMATCH not in codes else f"not {citation.embedding_model}"
            facts.append(IndexFacts(version=citation.index_version, embedding_model=model))
    if not is_recorded:
        return library
    recorded = {each.version for each in facts if each.embedding_model is not None}
    # A version that one verdict finds embedded by something else is so for all of them.
    kept = [
        each for each in facts if each.embedding_model is not None or each.version not in recorded
    ]
    return replace(library, indexes=tuple(kept))


def _list_versions(answer: Answer) -> list[str]:
    named = (each.index_version for each in answer.citations)
    return list(dict.fromkeys(version for version in named if version is not None))


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
