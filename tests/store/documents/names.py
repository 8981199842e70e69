"""The versions of a name, as verification sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.documents.document import DocumentName
    from spanproof.store import Store


def history_of(store: Store, doc_id: str) -> tuple[DocumentName, ...]:
    """Every version that a name has had, newest first."""
    names = store.documents.load_library((), (doc_id,)).names
    return tuple(name for name in names if name.doc_id == doc_id)
