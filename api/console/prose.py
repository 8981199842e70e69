"""The prose of an answer in pieces: plain words, claims, uncited sentences, and its anchors."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api.console.words import OUTCOMES, find_worst
from core.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from core.citation import Anchor, Answer

_NUMBER = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorLink:
    """One number of an anchor: the words to show, what it came to, and the card it leads to.

    ``outcome`` is an outcome word, ``orphan`` (no such citation) or ``unused`` (never judged).
    """

    text: str
    number: int
    outcome: str
    citation: int | None
    verdicts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProsePiece:
    """Words that share their claims; ``link`` when they are an anchor. ``opens`` starts here."""

    text: str
    claims: tuple[int, ...]
    opens: tuple[int, ...]
    is_uncited: bool
    link: AnchorLink | None = None


def split_prose(answer: Answer, block: Mapping[str, Any]) -> tuple[ProsePiece, ...]:
    """Cut the prose wherever a claim, an uncited sentence or an anchor begins or ends.

    The pieces joined give the prose again, character for character.
    """
    prose = answer.prose
    claims = [_span(verdict["claim"], len(prose)) for verdict in block["verdicts"]]
    uncited = [_span(sentence, len(prose)) for sentence in block["uncited_sentences"]]
    links = dict(_link_anchors(answer, block))
    edges = {0, len(prose)}
    for span in (*claims, *uncited, *links):
        edges |= {span.start, span.end}
    cuts = sorted(edges)
    opened: set[int] = set()
    pieces = []
    for start, end in itertools.pairwise(cuts):
        here = Span(start, end)
        inside = tuple(i for i, claim in enumerate(claims) if claim.contains(here))
        opens = tuple(i for i in inside if i not in opened)
        opened.update(opens)
        pieces.append(
            ProsePiece(
                text=prose[start:end],
                claims=inside,
                opens=opens,
                is_uncited=any(sentence.contains(here) for sentence in uncited),
                link=links.get(here),
            )
        )
    return tuple(pieces)


def _link_anchors(answer: Answer, block: Mapping[str, Any]) -> Iterator[tuple[Span, AnchorLink]]:
    orphans = {(o["anchor"], o["start"], o["end"]) for o in block["orphan_anchors"]}
    markers: dict[Span, list[Anchor]] = {}
    for anchor in answer.anchors:
        markers.setdefault(anchor.span, []).append(anchor)
    for marker, anchors in markers.items():
        for span, anchor in _place_numbers(answer.prose, marker, anchors):
            text = answer.prose[span.start : span.end]
            if (anchor.number, marker.start, marker.end) in orphans:
                yield span, _orphan(text, anchor)
            else:
                yield span, _judged(text, anchor, answer, block["verdicts"])


def _place_numbers(
    prose: str, marker: Span, anchors: Sequence[Anchor]
) -> Iterator[tuple[Span, Anchor]]:
    if len(anchors) == 1:
        yield marker, anchors[0]
        return
    # "[1, 2]" holds two anchors: each number leads to its own card, the brackets to none.
    by_number = {anchor.number: anchor for anchor in anchors}
    for found in _NUMBER.finditer(prose, marker.start, marker.end):
        if int(found.group()) in by_number:
            yield Span(*found.span()), by_number[int(found.group())]


def _orphan(text: str, anchor: Anchor) -> AnchorLink:
    return AnchorLink(text=text, number=anchor.number, outcome="orphan", citation=None, verdicts=())


def _judged(
    text: str, anchor: Anchor, answer: Answer, verdicts: Sequence[Mapping[str, Any]]
) -> AnchorLink:
    named = [i for i, verdict in enumerate(verdicts) if verdict["anchor"] == anchor.number]
    # The same anchor may stand under several claims: this one's verdict is the one to show here.
    here = [
        i
        for i in named
        if verdicts[i]["claim"]["start"] <= anchor.span.start
        and anchor.span.end <= verdicts[i]["claim"]["end"]
    ]
    shown = tuple(here or named)
    outcome = find_worst([verdicts[i]["outcome"] for i in shown])
    worst = min(
        shown,
        key=lambda i: OUTCOMES.index(find_worst([verdicts[i]["outcome"]])),
        default=None,
    )
    citation = next((i for i, c in enumerate(answer.citations) if c.anchor == anchor.number), None)
    if worst is not None:
        citation = verdicts[worst]["citation"]
    return AnchorLink(
        text=text,
        number=anchor.number,
        outcome=outcome if shown else "orphan" if citation is None else "unused",
        citation=citation,
        verdicts=shown,
    )


def _span(raw: Mapping[str, Any], length: int) -> Span:
    # A claim outside the prose marks nothing instead of breaking the page.
    start = min(raw["start"], length)
    return Span(start, max(start, min(raw["end"], length)))
