"""Claims with more citations than help them; reported, and never in an outcome.

That several citations entail a claim, each by itself, is no fault. Too many of them are, and so is
one that does not support the claim beside others that do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.verdicts.answer_findings import OverCitation
from spanproof.core.verdicts.status import SupportStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.span import Span
    from spanproof.core.verdicts.verdict import Verdict

#: Distinct citations of one claim that a reader can be asked to look at.
MAX_CITATIONS = 5
_ADDS_NOTHING = frozenset({SupportStatus.NEUTRAL, SupportStatus.CONTRADICTED})


def find_over_cited(verdicts: Sequence[Verdict]) -> tuple[OverCitation, ...]:
    """The claims with over ``MAX_CITATIONS`` distinct citations, or with idle ones, in order.

    Citations are distinct that name other words or another document. One is idle whose own support
    is NEUTRAL or CONTRADICTED while another one, or several together without it, entail the claim.
    """
    claims: dict[Span, list[Verdict]] = {}
    for verdict in verdicts:
        claims.setdefault(verdict.claim.span, []).append(verdict)
    return tuple(
        OverCitation(
            span=span,
            anchors=tuple(dict.fromkeys(verdict.anchor for verdict in own)),
            idle=idle,
        )
        for span, own in sorted(claims.items())
        if (idle := _find_idle(own)) or _count_distinct(own) > MAX_CITATIONS
    )


def _find_idle(verdicts: Sequence[Verdict]) -> tuple[int, ...]:
    if all(verdict.support.status is not SupportStatus.ENTAILED for verdict in verdicts):
        return ()
    idle = [v.anchor for v in verdicts if v.support.status in _ADDS_NOTHING]
    return tuple(dict.fromkeys(idle))


def _count_distinct(verdicts: Sequence[Verdict]) -> int:
    # A citation without a span cannot be compared with another: it counts by itself.
    return len(
        {
            (v.identity.doc_hash, v.existence.span)
            if v.existence.span is not None
            else (v.citation, None)
            for v in verdicts
        }
    )
