"""Does a cited document have a source tier that the policy asks for? What is not told has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanproof.core.citation import Answer, Citation, Retrieval
    from spanproof.core.verdicts.policy import Policy


def is_trusted(citation: Citation, answer: Answer, policy: Policy) -> bool:
    """True where the policy asks for no tier, or every tier told of the document is accepted.

    The citation and the retrieved chunks of the same document tell it; they must agree, for the one
    may have been written by the model that is judged.
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
