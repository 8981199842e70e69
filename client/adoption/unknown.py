"""The first answer whose document the service does not know: its id, and the nearest known ones."""

from __future__ import annotations

import logging
from difflib import get_close_matches
from typing import TYPE_CHECKING

from spanproof.client import calls
from spanproof.core.errors import SpanproofError
from spanproof.core.shown import show_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.client import Client, VerifiedAnswer

LOG = logging.getLogger("spanproof.adoption")
#: Names are compared with those of so many documents, the newest.
MOST_DOCUMENTS = 200
#: ``SNIPPET``: the text came with the answer, so it was judged, but no document stands behind it.
_UNKNOWN = frozenset({"UNKNOWN_DOCUMENT", "SNIPPET"})


def tell_unknown(client: Client, verified: VerifiedAnswer) -> bool:
    """Log one line about the first citation of a document that is not known; True if there was."""
    name = next(_find_unknown(verified), None)
    if name is None:
        return False
    try:
        listed = client.send(calls.list_documents(limit=MOST_DOCUMENTS))
    except SpanproofError:
        # The answer is verified all the same; the caller may not be allowed to list documents.
        listed = []
    known = [doc_id for row in listed for doc_id in row["doc_ids"]]
    near = get_close_matches(name, known, n=3, cutoff=0.3)
    LOG.warning(
        "answer_document_unknown id=%s nearest=%s: ingest the document under this id, or give its"
        " metadata a doc_id that is known",
        show_value(name),
        ", ".join(map(show_value, near)) or "none",
    )
    return True


def _find_unknown(verified: VerifiedAnswer) -> Iterator[str]:
    citations = verified.raw["citations"]
    for verdict in verified.block["verdicts"]:
        if verdict["identity"]["status"] not in _UNKNOWN:
            continue
        cited = citations[verdict["citation"]] if verdict["citation"] < len(citations) else {}
        yield str(cited.get("doc_id") or cited.get("doc_hash") or verdict["identity"]["doc_hash"])
