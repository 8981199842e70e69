"""How much one attribution may ask for, and how long its report may be: as a verification's block.

The best span of a sentence always stands in the report, and so does every source. What does not fit
beside them is left out, and the report says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.verifier.attribute.sentences import read_claims
from spanproof.verifier.extent import DETAIL_LEFT_OUT, measure, most_response_bytes, require_at_most

if TYPE_CHECKING:
    from spanproof.verifier.attribute.payload import AttributionInput
    from spanproof.verifier.extent import Extent

#: Bytes of the shortest row of a sentence, which has no span, without the sentence.
_SENTENCE_BYTES = 64


def require_attribution_extent(
    given: AttributionInput, extent: Extent, *, texts: int, size: int
) -> None:
    """Raise AnswerTooDenseError for an attribution that asks for too much; ``size`` in bytes.

    ``texts`` were found in what tools gave back.
    """
    answer = given.answer
    documents = len(answer.documents) + len(given.attachments)
    require_at_most("/documents", "documents", most=extent.documents, got=documents)
    supplied = len(answer.retrieved)
    require_at_most("/retrieved", "retrieved texts", most=extent.documents, got=supplied)
    require_at_most("/tool_results", "texts of tools", most=extent.documents, got=texts)
    claims = read_claims(answer.prose, answer.anchors, answer.unclaimed).claims
    require_at_most("/answer", "sentences", most=extent.claims, got=len(claims))
    needed = sum(_SENTENCE_BYTES + measure(claim.text) for claim in claims)
    what = f"bytes of sentences for a payload of {size} bytes"
    require_at_most("/answer", what, most=most_response_bytes(size), got=needed)


def shorten_report(report: dict[str, Any], *, size: int) -> dict[str, Any]:
    """The same report, or one with less detail where its payload of ``size`` bytes is too short.

    First all spans but the best of each sentence go, then the addresses of those.
    """
    for leave_out in (_leave_out_spans, _leave_out_addresses):
        if measure(report) <= most_response_bytes(size):
            break
        report = leave_out(report) | {"codes": [DETAIL_LEFT_OUT]}
    return report


def _leave_out_spans(report: dict[str, Any]) -> dict[str, Any]:
    return report | {
        "references": [row | {"spans": []} for row in report["references"]],
        "unattributed": [row | {"nearest": None} for row in report["unattributed"]],
    }


def _leave_out_addresses(report: dict[str, Any]) -> dict[str, Any]:
    return report | {"references": [row | {"view_url": None} for row in report["references"]]}
