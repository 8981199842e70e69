"""An answer and the regions of its sources → references with offsets on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spanproof.verifier.attribute.candidates import SpanIndex
from spanproof.verifier.attribute.matching import Matcher, to_bare_answer
from spanproof.verifier.attribute.references import (
    AttributionReport,
    EntailingSpan,
    Reference,
    Unattributed,
)
from spanproof.verifier.attribute.sentences import read_claims
from spanproof.verifier.support.judge import SupportJudge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanproof.core.citation import Answer, Claim
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.verifier.attribute.matching import ClaimMatch, WindowSupport
    from spanproof.verifier.attribute.sources import Region

#: When sentences are attributed after the fact; ``auto``: only if the answer has no citations.
Posthoc = Literal["off", "auto", "always"]


def attribute(
    answer: Answer,
    regions: Sequence[Region],
    model: EntailmentModel,
    policy: Policy,
    *,
    posthoc: Posthoc = "always",
) -> AttributionReport:
    """Attribute every sentence of the answer to the spans of its sources that entail it.

    A repeated sentence gets a reference at each of its places. Shared words alone attribute
    nothing. The report's ``sources``, which the regions' ids name, are the caller's to fill in.
    """
    skipped = find_skip(answer, posthoc) or (None if regions else "no_sources")
    if skipped is not None:
        return skip(answer, skipped, policy)
    read = read_claims(answer.prose, answer.anchors, answer.unclaimed)
    matches, unsearched = match_claims(answer, read.claims, regions, model, policy)
    references: list[Reference] = []
    unattributed: list[Unattributed] = []
    for match in matches:
        if match.reason is None:
            spans = tuple(to_span(judged, regions) for judged in match.entailed)
            index = len(references) + 1
            references.append(Reference(index=index, claim=match.claim, spans=_merge(spans)))
        else:
            nearest = match.nearest
            unattributed.append(
                Unattributed(
                    claim=match.claim,
                    reason=match.reason,
                    nearest=None if nearest is None else to_span(nearest, regions),
                )
            )
    return AttributionReport(
        prose=answer.prose,
        references=tuple(references),
        unattributed=tuple(unattributed),
        excluded=read.excluded,
        unsearched=tuple(dict.fromkeys(i for n in unsearched for i in regions[n].source_ids)),
        policy=policy,
        model=model.identity,
    )


def find_skip(answer: Answer, posthoc: Posthoc) -> str | None:
    """Why an answer is not attributed, for any sources; None if it is."""
    if posthoc == "off":
        return "posthoc_off"
    if posthoc == "auto" and (answer.citations or answer.anchors):
        return "has_citations"
    read = read_claims(answer.prose, answer.anchors, answer.unclaimed)
    if not read.claims:
        return "code_only" if read.is_code_only else "no_prose"
    return None


def skip(answer: Answer, reason: str, policy: Policy) -> AttributionReport:
    """The report of an answer that was not searched, and why."""
    return AttributionReport(
        prose=answer.prose,
        excluded=read_claims(answer.prose, answer.anchors, answer.unclaimed).excluded,
        skipped=reason,
        policy=policy,
    )


def match_claims(
    answer: Answer,
    claims: Iterable[Claim],
    regions: Sequence[Region],
    model: EntailmentModel,
    policy: Policy,
) -> tuple[list[ClaimMatch], list[int]]:
    """Each claim with the spans that entail it, and the regions that were too long to search."""
    index = SpanIndex(regions)
    matcher = Matcher(
        SupportJudge(model, policy),
        index,
        regions,
        to_bare_answer(answer),
        max_span_chars=policy.max_span_chars,
    )
    return [matcher.match(claim) for claim in claims], index.unsearched


def to_span(judged: WindowSupport, regions: Sequence[Region]) -> EntailingSpan:
    """The span of a judged window, with every source whose region holds it."""
    window = judged.window
    home = regions[window.region]
    extraction = home.extraction
    holders = [
        region
        for region in regions
        if region.extraction.extraction_id == extraction.extraction_id
        and region.span.contains(window.span)
    ]
    ids = dict.fromkeys(source_id for region in holders for source_id in region.source_ids)
    page = extraction.page_at(window.span.start)
    return EntailingSpan(
        source_ids=tuple(ids),
        doc_hash=extraction.document.doc_hash,
        extraction_id=extraction.extraction_id,
        span=window.span,
        text=extraction.text.slice(window.span),
        page=page.number if page.frame is not None else None,
        # A whole document says more than a snippet of it.
        scope="full" if any(region.scope == "full" for region in holders) else "snippet",
        support=judged.support,
    )


def _merge(spans: Sequence[EntailingSpan]) -> tuple[EntailingSpan, ...]:
    """Each place once: regions of one document may overlap."""
    first: dict[tuple[str, int, int], EntailingSpan] = {}
    for each in spans:
        first.setdefault((str(each.doc_hash), each.span.start, each.span.end), each)
    return tuple(first.values())
