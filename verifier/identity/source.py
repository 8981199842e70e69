"""What is known about a cited source: its tier, and the index it was retrieved from.

A policy may ask for source tiers; a document without a known tier has none of them. A citation may
name a version of an index and the model that embedded its chunks. That is advice and never more:
only the document shows whether the words stand in it. An unknown version, or another model, means
that the records of the index and of the answer do not agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.citation import Answer, Citation, Retrieval
    from spanproof.core.documents.document import Library
    from spanproof.core.verdicts.policy import Policy

Codes = tuple[str, ...]
#: No registered version of any index has that name.
INDEX_UNKNOWN = "INDEX_UNKNOWN"
#: Every registered version of that name states another embedding model.
INDEX_MODEL_MISMATCH = "INDEX_MODEL_MISMATCH"


def has_accepted_tier(citation: Citation, answer: Answer, policy: Policy) -> bool:
    """True if the policy asks for no tier, or accepts every tier stated for the document.

    The citation and the retrieved chunks of the same document state it. All must be accepted,
    because the model that is judged may have written the citation.
    """
    if not policy.source_tiers:
        return True
    told = {chunk.source_tier for chunk in answer.retrieved if _is_of(chunk, citation)}
    tiers = (told | {citation.source_tier}) - {None}
    return bool(tiers) and tiers <= set(policy.source_tiers)


def _is_of(chunk: Retrieval, citation: Citation) -> bool:
    if chunk.doc_hash is not None and citation.doc_hash is not None:
        return chunk.doc_hash == citation.doc_hash
    return chunk.doc_id is not None and chunk.doc_id == citation.doc_id


def check_index(citation: Citation, library: Library) -> Codes:
    """The advice on a citation's ``index_version``; none if no index was ever registered."""
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
