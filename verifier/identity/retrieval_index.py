"""What is known of the index that a citation was retrieved from: advice, and never more.

A citation names a version of an index and, perhaps, what embedded its chunks. Whether the words
stand in the document is shown by the document alone; that the version is unknown here, or was
embedded by something else, tells that records of the index and of the answer do not agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.citation import Citation
    from spanproof.core.documents.document import Library

Codes = tuple[str, ...]
#: No registered version of any index has that name.
INDEX_UNKNOWN = "INDEX_UNKNOWN"
#: Every registered version of that name states another embedding model.
INDEX_MODEL_MISMATCH = "INDEX_MODEL_MISMATCH"


def check_index(citation: Citation, library: Library) -> Codes:
    """The advice on a citation's ``index_version``; none where no index was ever registered."""
    if library.indexes is None or citation.index_version is None:
        return ()
    found = [each for each in library.indexes if each.version == citation.index_version]
    if not found:
        return (INDEX_UNKNOWN,)
    models = {each.embedding_model for each in found}
    # A version that states no model contradicts none.
    if citation.embedding_model is None or None in models or citation.embedding_model in models:
        return ()
    return (INDEX_MODEL_MISMATCH,)
