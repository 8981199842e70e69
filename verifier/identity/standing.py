"""Part of step 2: whether a cited document is withdrawn, amended, or not in force.

A withdrawal and an amendment count as of now, even for an answer that says it is older. The dates
are compared with the answer's ``generated_at`` and with now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.documents.document import Library
    from spanproof.core.documents.source_state import SourceState
    from spanproof.verifier.span_check import SpanCheck

Codes = tuple[str, ...]
SOURCE_WITHDRAWN = "SOURCE_WITHDRAWN"
SOURCE_AMENDED = "SOURCE_AMENDED"
#: Not in force when the answer was made.
SOURCE_NOT_IN_FORCE = "SOURCE_NOT_IN_FORCE"
#: In force when the answer was made, as it says itself, and not when it was verified.
SOURCE_NOT_IN_FORCE_NOW = "SOURCE_NOT_IN_FORCE_NOW"


def check_standing(
    state: SourceState | None, *, generated_at: datetime | None, verified_at: datetime
) -> Codes:
    """The codes of a source's state; an answer without a moment was made when it is verified."""
    if state is None:
        return ()
    codes: Codes = (SOURCE_WITHDRAWN,) if state.is_withdrawn(verified_at) else ()
    codes += (SOURCE_AMENDED,) if state.is_amended(verified_at) else ()
    if not state.is_in_force(generated_at or verified_at):
        return (*codes, SOURCE_NOT_IN_FORCE)
    return codes if state.is_in_force(verified_at) else (*codes, SOURCE_NOT_IN_FORCE_NOW)


def find_standing(
    item: SpanCheck, library: Library, *, generated_at: datetime | None, verified_at: datetime
) -> Codes:
    """The same for the document in which a citation was looked for."""
    if item.extraction is None:
        return ()
    source = library.find(item.extraction.document.doc_hash)
    state = None if source is None else source.state
    return check_standing(state, generated_at=generated_at, verified_at=verified_at)
