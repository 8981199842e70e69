"""Step 6, attribution: supported here, elsewhere in what was supplied (where), or nowhere.

Read are the other resolved citations, the retrieved chunks, and the passages of the supplied
documents that share most words with the claim. NOWHERE means: in none of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import AttributionStatus, SupportStatus
from spanproof.core.verdicts.verdict import Attribution, Candidate
from spanproof.verifier.support.passages import find_passages, is_searched

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import Library
    from spanproof.core.verdicts.verdict import Support
    from spanproof.verifier.support.judge import SupportJudge

#: Other spans that are read for one claim; more would cost more than the citation itself.
MAX_PLACES = 24


def check_attribution(
    hypothesis: str,
    support: Support,
    places: Iterable[Candidate],
    library: Library,
    judge: SupportJudge,
) -> Attribution:
    """Read the other supplied spans where the cited one does not support the claim.

    NOT_RUN where the model could not judge, or where the cited span is too close to call.
    """
    if support.status is SupportStatus.ENTAILED:
        return Attribution(status=AttributionStatus.HERE)
    undecided = support.status is SupportStatus.BORDERLINE
    failed = support.status is SupportStatus.NOT_RUN and support.reason != "no_span"
    if undecided or failed:
        return Attribution(status=AttributionStatus.NOT_RUN)
    supported_by: list[Candidate] = []
    unread = False
    distinct = list(dict.fromkeys([*places, *find_passages(hypothesis, library)]))
    for place in distinct[:MAX_PLACES]:
        source = library.find(place.doc_hash)
        extraction = source.find_extraction(None) if source else None
        if extraction is None or not extraction.text.holds(place.span):
            unread = True
            continue
        premise = extraction.text.slice(place.span)
        found = judge.judge(premise, hypothesis, premise_start=place.span.start)
        if found.status is SupportStatus.ENTAILED:
            supported_by.append(place)
        unread = unread or found.status is SupportStatus.NOT_RUN
    if supported_by:
        return Attribution(status=AttributionStatus.ELSEWHERE, supported_by=tuple(supported_by))
    incomplete = unread or len(distinct) > MAX_PLACES or not is_searched(library)
    return Attribution(
        status=AttributionStatus.NOT_RUN if incomplete else AttributionStatus.NOWHERE
    )
