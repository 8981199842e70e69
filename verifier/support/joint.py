"""Several citations of one claim, read together if none of them supports it alone.

The smallest set whose spans, one after the other, carry the claim makes its members ENTAILED, if
the policy calls it so; by size, then by their order. Each member is needed: no span alone, and no
set without one of its members, reaches the default threshold. A span that speaks against the claim,
or has other words than those cited, is in no set. Up to six spans are tried in every pair and
triple and then all together, without those that can be left out. With more spans nothing is tried,
and the support is NOT_RUN.

The choice of a set depends on no policy, so a stricter one passes nothing that a milder one stops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from spanproof.core.verdicts.status import SupportStatus
from spanproof.core.verdicts.verdict import JointSupport, ReadTexts, Support
from spanproof.verifier.support.context import find_contexts
from spanproof.verifier.support.parts import combine_parts, judge_parts
from spanproof.verifier.support.premise import Premise, slice_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span
    from spanproof.verifier.claims.subclaims import Part
    from spanproof.verifier.support.judge import SupportJudge
    from spanproof.verifier.support.premise import Slice

#: Spans of one claim that are tried together; sets of all of them would be beyond counting.
MAX_JOINT_SPANS = 6
#: Sets larger than this are tried only as the whole.
_MIN_SET, _MAX_SET = 2, 3
_IN_NO_SET = frozenset({SupportStatus.CONTRADICTED, SupportStatus.NOT_RUN})
#: A span speaks against the claim if contradiction is so probable and outweighs entailment.
_SPEAKS_AGAINST = 0.3
#: How far above the default threshold a set carries a claim.
_CARRIES_ABOVE = 0.05
#: Between two spans: a line end, where windows and slots know that a sentence ends.
SEPARATOR = "\n"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cited:
    """One citation of a claim: its index, and its span where it stands at one place.

    ``may_join``: the quote is there as cited and a reader sees it.
    """

    citation: int
    extraction: Extraction | None
    span: Span | None
    may_join: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """One span that may be part of a set, and every citation of it."""

    words: Slice
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _JointSupport:
    """One set, read: the support of the whole claim for each of its spans, in order."""

    places: tuple[int, ...]
    premise: Premise
    supports: tuple[Support, ...]
    carries: bool

    @property
    def entails(self) -> bool:
        return self.carries and all(s.status is SupportStatus.ENTAILED for s in self.supports)


def join_support(
    judge: SupportJudge,
    hypothesis: str,
    parts: Sequence[Part],
    cited: Sequence[Cited],
    alone: Mapping[int, Support],
) -> dict[int, Support]:
    """The support of each citation by its index, joint if a set of them entails the claim."""
    support = dict(alone)
    if any(one.status is SupportStatus.ENTAILED for one in alone.values()):
        return support
    spans = _find_members(cited, alone)
    if len(spans) < _MIN_SET:
        return support
    if any(_stands_alone(judge, hypothesis, one, alone[one.citation]) for one in cited):
        return support
    if len(spans) > MAX_JOINT_SPANS:
        untried = Support(status=SupportStatus.NOT_RUN, reason="too_many_citations")
        everyone = tuple(citation for span in spans for citation in span.citations)
        return support | {index: _note(alone[index], everyone, untried) for index in everyone}
    joint = _find_set(judge, hypothesis, parts, spans)
    members = tuple(citation for place in joint.places for citation in spans[place].citations)
    for place, found in zip(joint.places, joint.supports, strict=True):
        for index in spans[place].citations:
            own = _note(alone[index], members, found)
            if joint.entails:
                read = ReadTexts(premise=joint.premise.text, hypothesis=hypothesis)
                own = replace(found, reason="joint", joint=own.joint, read=read)
            support[index] = own
    return support


def _find_members(cited: Sequence[Cited], alone: Mapping[int, Support]) -> list[_Member]:
    """The distinct spans that may be part of a set, in the order of their first citations."""
    members: dict[tuple[str, Span], _Member] = {}
    for one in cited:
        if one.extraction is None or one.span is None or not one.may_join:
            continue
        if alone[one.citation].status in _IN_NO_SET or _speaks_against(alone[one.citation]):
            continue
        place = str(one.extraction.extraction_id), one.span
        known = members.get(place)
        members[place] = _Member(
            words=slice_of(one.extraction, one.span),
            citations=(*(known.citations if known else ()), one.citation),
        )
    return list(members.values())


def _stands_alone(judge: SupportJudge, hypothesis: str, cited: Cited, alone: Support) -> bool:
    """Whether one span by itself, or under its headings, is not NEUTRAL at the default threshold.

    A policy that leaves it open must not let it carry others.
    """
    extraction, span = cited.extraction, cited.span
    if extraction is None or span is None:
        return False
    bare = Premise.of_span(extraction, span, citation=cited.citation)
    if judge.carries(bare, hypothesis):
        return True
    if "veto" in {alone.reason, *(part.reason for part in alone.subclaims)}:
        return False  # no heading removes a difference
    return any(
        judge.carries(context.premise, hypothesis)
        and not (context.alone and judge.carries(context.alone, hypothesis))
        for context in find_contexts(extraction, span, hypothesis, None, citation=cited.citation)
    )


def _speaks_against(alone: Support) -> bool:
    against = alone.p_contradiction or 0.0
    return against >= _SPEAKS_AGAINST and against > (alone.p_entailment or 0.0)


def _note(alone: Support, citations: tuple[int, ...], found: Support) -> Support:
    return replace(
        alone,
        joint=JointSupport(
            citations=citations,
            status=found.status,
            reason=found.reason,
            p_entailment=found.p_entailment,
            alone=alone.status,
            p_alone=alone.p_entailment,
        ),
    )


def _find_set(
    judge: SupportJudge, hypothesis: str, parts: Sequence[Part], spans: Sequence[_Member]
) -> _JointSupport:
    """The set that carries the claim; or, if no set does, all of them together."""
    for places in _list_small_sets(len(spans)):
        small = _read(judge, hypothesis, parts, spans, places)
        if small.carries and _needs_all(judge, hypothesis, spans, places):
            return small
    joint = _read(judge, hypothesis, parts, spans, tuple(range(len(spans))))
    if joint.carries and len(spans) > _MAX_SET + 1:
        for place in reversed(joint.places):
            fewer = tuple(other for other in joint.places if other != place)
            thinner = _read(judge, hypothesis, parts, spans, fewer)
            joint = thinner if thinner.carries else joint
    is_needed = joint.carries and _needs_all(judge, hypothesis, spans, joint.places)
    return replace(joint, carries=is_needed)


def _needs_all(
    judge: SupportJudge, hypothesis: str, spans: Sequence[_Member], places: tuple[int, ...]
) -> bool:
    """Whether the claim is NEUTRAL at the default threshold without each member of a set."""
    return not any(
        judge.carries(_join(spans, fewer), hypothesis)
        for fewer in combinations(places, len(places) - 1)
    )


def _list_small_sets(count: int) -> Iterator[tuple[int, ...]]:
    for size in range(_MIN_SET, min(count, _MAX_SET + 1)):
        yield from combinations(range(count), size)


def _read(
    judge: SupportJudge,
    hypothesis: str,
    parts: Sequence[Part],
    spans: Sequence[_Member],
    places: tuple[int, ...],
) -> _JointSupport:
    premise = _join(spans, places)
    supports = []
    carries = judge.carries(premise, hypothesis, above=_CARRIES_ABOVE)
    for place in places:
        citation = spans[place].citations[0]
        (whole,) = judge.judge_all(premise, [hypothesis], citation=citation)
        # Each span must lie in the window that decides, or it does not support the claim.
        carries = carries and whole.evidence is not None
        entailed = whole.status is SupportStatus.ENTAILED
        subclaims = judge_parts(judge, premise, parts, citation) if entailed else ()
        supports.append(combine_parts(whole, subclaims))
    return _JointSupport(places=places, premise=premise, supports=tuple(supports), carries=carries)


def _join(spans: Sequence[_Member], places: tuple[int, ...]) -> Premise:
    pieces: list[Slice | str] = []
    for place in places:
        member = spans[place]
        pieces += [SEPARATOR] if pieces else []
        pieces.append(replace(member.words, citation=member.citations[0]))
    return Premise.join(pieces)
