"""Citations for sentences that cite nothing: only spans that entail them, each marked ``repaired``.

The prose is not touched: a repaired citation names its sentence by ``segment``. Spans that the
model does not call ENTAILED are counted and not attached. A repair never raises citation level or
density, and the attached citations are verified afterwards like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.citation import Citation, Quote
from spanproof.core.verdicts.status import SupportStatus
from spanproof.core.verdicts.verification_block import RepairReport
from spanproof.verifier.attribute.candidates import SpanIndex
from spanproof.verifier.attribute.matching import Matcher, to_bare_answer
from spanproof.verifier.attribute.sentences import read_claims
from spanproof.verifier.attribute.supply import supply_retrieved
from spanproof.verifier.claims.pairing import pair_claims
from spanproof.verifier.support.judge import SupportJudge

if TYPE_CHECKING:
    from spanproof.core.citation import Answer, Claim
    from spanproof.core.documents.document import Library
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.policy import Policy
    from spanproof.verifier.attribute.matching import WindowSupport
    from spanproof.verifier.attribute.supply import Supply

#: Most citations that are attached to one answer.
MAX_REPAIRS = 5
ORIGIN = "repair"
#: The nearest to support comes first.
_NEAREST = (SupportStatus.BORDERLINE, SupportStatus.CONTRADICTED, SupportStatus.NEUTRAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The answer with the attached citations, and the report on them."""

    answer: Answer
    report: RepairReport


def repair(  # noqa: PLR0913 - what is repaired, from what, by whom, and how far
    answer: Answer,
    library: Library,
    model: EntailmentModel,
    policy: Policy,
    *,
    max_repairs: int = MAX_REPAIRS,
    sentences: bool = False,
    refuted: bool = False,
) -> Repair:
    """Attach citations from the retrieved chunks or, without chunks, from the documents.

    Only to an answer without citations; with ``sentences`` also to the uncited sentences of one
    that has some. With ``refuted`` a sentence that no source supports gets the span that comes
    nearest, so that it is judged too. ``report.skipped`` says why no citation was looked for:
    ``has_citations``, ``no_prose`` or ``no_sources``.
    """
    report = RepairReport(sentences=sentences, max_repairs=max_repairs, refuted=refuted)
    claims = _find_uncited(answer)
    supply = supply_retrieved(answer, library)
    skipped = None
    if answer.citations and not sentences:
        skipped = "has_citations"
    elif not claims:
        skipped = "no_prose"
    elif not supply.regions:
        skipped = "no_sources"
    if skipped is not None:
        return Repair(answer=answer, report=replace(report, skipped=skipped))
    matcher = Matcher(
        SupportJudge(model, policy),
        SpanIndex(supply.regions),
        supply.regions,
        to_bare_answer(answer),
        max_span_chars=policy.max_span_chars,
    )
    attached: list[Citation] = []
    considered = rejected = 0
    for claim in claims:
        if len(attached) == max_repairs:
            break
        considered += 1
        match = matcher.match(claim)
        if match.entailed:
            attached.append(_cite(answer, claim, match.entailed[0], supply, len(attached)))
        elif match.others:
            rejected += 1
            if refuted:
                nearest = min(match.others, key=_rank_refuted)
                attached.append(_cite(answer, claim, nearest, supply, len(attached)))
    return Repair(
        answer=replace(answer, citations=(*answer.citations, *attached)),
        report=replace(
            report,
            considered=considered,
            unconsidered=len(claims) - considered,
            rejected_not_entailed=rejected,
            citations=tuple(attached),
        ),
    )


def _rank_refuted(judged: WindowSupport) -> tuple[int, float]:
    status = judged.support.status
    rank = _NEAREST.index(status) if status in _NEAREST else len(_NEAREST)
    return rank, -(judged.support.p_entailment or 0.0)


def _find_uncited(answer: Answer) -> list[Claim]:
    pairing = pair_claims(answer)
    cited = [claim.span for claim, _ in pairing.pairs]
    return [
        claim
        for claim in read_claims(answer.prose, answer.anchors, answer.unclaimed).claims
        if any(claim.span.overlaps(uncited.span) for uncited in pairing.uncited)
        and not any(claim.span.overlaps(span) for span in cited)
    ]


def _cite(
    answer: Answer, claim: Claim, judged: WindowSupport, supply: Supply, attached: int
) -> Citation:
    region = supply.regions[judged.window.region]
    source = next(each for each in supply.sources if each.id == region.source_ids[0])
    span = judged.window.span
    numbers = [*(a.number for a in answer.anchors), *(c.anchor for c in answer.citations)]
    return Citation(
        # A number of its own: an orphan anchor in the prose stays an orphan.
        anchor=max(numbers, default=0) + 1 + attached,
        quote=Quote(text=region.extraction.text.slice(span), start=span.start, end=span.end),
        doc_hash=region.extraction.document.doc_hash,
        chunk_id=source.chunk_id,
        doc_title=source.title,
        segment=claim.span,
        origin=ORIGIN,
        repaired=True,
    )
