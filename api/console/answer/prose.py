"""The prose of an answer in pieces: plain text, claims, uncited sentences and anchors."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Anchor
from spanproof.core.span import Span
from spanproof.operations.presentation.words import find_worst

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanproof.core.citation import Answer

_NUMBER = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorLink:
    """One number of an anchor: its text, its outcome, and the card that it links to.

    ``outcome`` is an outcome word, ``orphan`` (no such citation) or ``unused`` (never judged).
    ``is_added``: not part of the prose. ``is_repaired``: its citation was attached later.
    """

    text: str
    number: int
    outcome: str
    citation: int | None
    verdicts: tuple[int, ...]
    is_added: bool = False
    is_repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProsePiece:
    """A piece of text with the same claims; ``link`` if it is an anchor.

    ``opens``: claims that start here.

    An empty piece carries a link that the answer does not show: the provider attached the citation
    there, or its segment ends there.
    """

    text: str
    claims: tuple[int, ...]
    opens: tuple[int, ...]
    is_uncited: bool
    link: AnchorLink | None = None


def split_prose(answer: Answer, block: Mapping[str, Any]) -> tuple[ProsePiece, ...]:
    """Cut the prose where a claim, an uncited sentence or an anchor begins or ends.

    The joined pieces equal the prose.
    """
    prose = answer.prose
    claims = _Sweep([_span(verdict["claim"], len(prose)) for verdict in block["verdicts"]])
    uncited = _Sweep([_span(sentence, len(prose)) for sentence in block["uncited_sentences"]])
    links, added = _link_citations(answer, block)
    edges = {0, len(prose), *claims.edges, *uncited.edges, *added}
    edges.update(edge for span in links for edge in (span.start, span.end))
    pieces = [_add(link) for link in added.get(0, ())]
    for start, end in itertools.pairwise(sorted(edges)):
        opens = claims.step(start)
        uncited.step(start)
        pieces.append(
            ProsePiece(
                text=prose[start:end],
                claims=tuple(sorted(claims.open)),
                opens=opens,
                is_uncited=bool(uncited.open),
                link=links.get(Span(start, end)),
            )
        )
        pieces.extend(_add(link) for link in added.get(end, ()))
    return tuple(pieces)


def _add(link: AnchorLink) -> ProsePiece:
    added = replace(link, is_added=True)
    return ProsePiece(text="", claims=link.verdicts, opens=(), is_uncited=False, link=added)


class _Sweep:
    """The spans that contain each piece, found in one pass: there may be thousands of both."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.open: set[int] = set()
        self._starts: dict[int, list[int]] = {}
        self._ends: dict[int, list[int]] = {}
        for index, span in enumerate(spans):
            if span.start < span.end:
                self._starts.setdefault(span.start, []).append(index)
                self._ends.setdefault(span.end, []).append(index)

    @property
    def edges(self) -> set[int]:
        """Where spans begin and end."""
        return self._starts.keys() | self._ends.keys()

    def step(self, position: int) -> tuple[int, ...]:
        """Go to the next edge; return the spans that begin there."""
        self.open.difference_update(self._ends.get(position, ()))
        begins = self._starts.get(position, [])
        self.open.update(begins)
        return tuple(begins)


def _link_citations(
    answer: Answer, block: Mapping[str, Any]
) -> tuple[dict[Span, AnchorLink], dict[int, list[AnchorLink]]]:
    """The prose's anchors by span, and those to add by offset."""
    shown: dict[Span, AnchorLink] = {}
    added: dict[int, list[AnchorLink]] = {}
    for span, link in _link_anchors(answer, block):
        if span.start == span.end:
            added.setdefault(span.end, []).append(link)
        else:
            shown[span] = link
    # A citation at a marker of the prose is already linked there.
    marked = {anchor.number for anchor in answer.anchors}
    own: dict[int, list[tuple[int, Mapping[str, Any]]]] = {}
    for pair in enumerate(block["verdicts"]):
        own.setdefault(pair[1]["citation"], []).append(pair)
    for index, citation in enumerate(answer.citations):
        if citation.segment is not None and citation.anchor not in marked:
            anchor = Anchor(number=citation.anchor, span=citation.segment)
            link = _judged(f"[{citation.anchor}]", anchor, own.get(index, ()), index)
            link = replace(link, is_repaired=citation.repaired)
            added.setdefault(min(citation.segment.end, len(answer.prose)), []).append(link)
    return shown, added


def _link_anchors(answer: Answer, block: Mapping[str, Any]) -> Iterator[tuple[Span, AnchorLink]]:
    orphans = {(o["anchor"], o["start"], o["end"]) for o in block["orphan_anchors"]}
    named: dict[int, list[int]] = {}
    for index, verdict in enumerate(block["verdicts"]):
        named.setdefault(verdict["anchor"], []).append(index)
    # Without a verdict, an anchor links to its first citation.
    cited = {c.anchor: i for i, c in reversed(list(enumerate(answer.citations)))}
    markers: dict[Span, list[Anchor]] = {}
    for anchor in answer.anchors:
        markers.setdefault(anchor.span, []).append(anchor)
    for marker, anchors in markers.items():
        for span, anchor in _place_numbers(answer.prose, marker, anchors):
            text = answer.prose[span.start : span.end] or f"[{anchor.number}]"
            if (anchor.number, marker.start, marker.end) in orphans:
                yield span, _orphan(text, anchor)
            else:
                candidates = [(i, block["verdicts"][i]) for i in named.get(anchor.number, ())]
                yield span, _judged(text, anchor, candidates, cited.get(anchor.number))


def _place_numbers(
    prose: str, marker: Span, anchors: Sequence[Anchor]
) -> Iterator[tuple[Span, Anchor]]:
    if len(anchors) == 1:
        yield marker, anchors[0]
        return
    # "[1, 2]" holds two anchors: each number links to its own card, the brackets to none.
    by_number = {anchor.number: anchor for anchor in anchors}
    for found in _NUMBER.finditer(prose, marker.start, marker.end):
        if int(found.group()) in by_number:
            yield Span(*found.span()), by_number.pop(int(found.group()))
    # A marker of another grammar has no numbers: its links follow it.
    for anchor in by_number.values():
        yield Span(marker.end, marker.end), anchor


def _orphan(text: str, anchor: Anchor) -> AnchorLink:
    return AnchorLink(text=text, number=anchor.number, outcome="orphan", citation=None, verdicts=())


def _judged(
    text: str,
    anchor: Anchor,
    verdicts: Sequence[tuple[int, Mapping[str, Any]]],
    citation: int | None,
) -> AnchorLink:
    # An anchor may belong to several claims: show the verdict of this one.
    here = [
        (index, verdict)
        for index, verdict in verdicts
        if verdict["claim"]["start"] <= anchor.span.start
        and anchor.span.end <= verdict["claim"]["end"]
    ]
    shown = here or verdicts
    outcome = "orphan" if citation is None else "unused"
    if shown:
        outcome = find_worst([verdict["outcome"] for _, verdict in shown])
        citation = next(v["citation"] for _, v in shown if find_worst([v["outcome"]]) == outcome)
    return AnchorLink(
        text=text,
        number=anchor.number,
        outcome=outcome,
        citation=citation,
        verdicts=tuple(index for index, _ in shown),
    )


def _span(raw: Mapping[str, Any], length: int) -> Span:
    # Ignore a claim outside the prose: it must not break the page.
    start = min(raw["start"], length)
    return Span(start, max(start, min(raw["end"], length)))
