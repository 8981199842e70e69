"""A claim → the parts of it that can be true or false by themselves, with exact offsets.

English, by cautious rules: a claim is split where a coordinator (and, but, while, a semicolon)
joins two predicates, never between two nouns, numbers or names, never inside quotation marks or
brackets, never where another word (if, that, or, between) makes its reach uncertain. A subject or
an auxiliary that the parts share is added to the text that the model reads.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.citation import Anchor
from spanproof.core.span import Span
from spanproof.verifier.claims.claims import blank_anchors, split_sentences, to_hypothesis
from spanproof.verifier.claims.predicates import carry_over, find_clause

if TYPE_CHECKING:
    from collections.abc import Iterator

#: More parts than this are a list, not a sentence; it is judged whole.
MAX_PARTS = 16
MIN_WORDS = 2
# Each run of blanks is read once, from where it begins: a long one costs no more than it is long.
_COORDINATOR = re.compile(
    r"(?P<stop>;)\s++(?:(?:and|but|while|whereas)\s++)?"
    r"|(?P<comma>,?)(?<!\s)\s++(?P<word>and|but)\s++|(?P<clause>,)\s++(?:while|whereas)\s++",
    re.IGNORECASE,
)
#: Nothing in it ends a sentence before its end: no second sentence is looked for.
_ONE_SENTENCE = re.compile(r"[\w ,%-]*[.!?]? *")
_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "«": "»", "„": "“"}
_PAIRED = re.compile(r"[()\[\]{}“”«»„\"]")
_WORD = re.compile(r"\w+(?:[-'’.,/]\w+)*")
_EMPHASIS = re.compile(r"\*\*|__|`")
_STOPPED = re.compile(r"[.!?][\"'”’)\]]*$")
_EDGES = " \t\r\n,;"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """``text == prose[span]``; the model reads ``hypothesis``."""

    text: str
    span: Span
    hypothesis: str


def split_claim(
    prose: str, span: Span, anchors: tuple[Anchor, ...] = (), unclaimed: tuple[Span, ...] = ()
) -> tuple[Part, ...]:
    """The parts of the claim at ``span`` of the prose, two or more; empty if it is not divisible.

    Anchors are in the order of their spans; ``unclaimed`` spans belong to no part.
    """
    first, last = (
        bisect_left(anchors, place, key=lambda anchor: anchor.span.start)
        for place in (span.start, span.end)
    )
    inside = [
        Anchor(number=anchor.number, span=anchor.span.shift(-span.start))
        for anchor in anchors[first:last]
        if span.contains(anchor.span)
    ]
    hidden = [
        place.intersection(span).shift(-span.start) for place in unclaimed if place.overlaps(span)
    ]
    blanked = blank_anchors(prose[span.start : span.end], inside, hidden)
    text = _EMPHASIS.sub(lambda mark: " " * len(mark.group()), blanked)
    shielded = _shield(text)
    if shielded is None or (_ONE_SENTENCE.fullmatch(text) and not _COORDINATOR.search(shielded)):
        return ()
    parts = [
        part for sentence in split_sentences(text) for part in _split(text, shielded, sentence.span)
    ]
    if not 1 < len(parts) <= MAX_PARTS:
        return ()
    return tuple(
        Part(
            text=prose[place.start + span.start : place.end + span.start],
            span=place.shift(span.start),
            hypothesis=hypothesis,
        )
        for place, hypothesis in parts
    )


def _split(text: str, shielded: str, sentence: Span) -> Iterator[tuple[Span, str]]:
    start, carried = sentence.start, ""
    for match in _COORDINATOR.finditer(shielded, sentence.start, sentence.end):
        left = carried + text[start : match.start()]
        following = _COORDINATOR.search(shielded, match.end(), sentence.end)
        right = shielded[match.end() : following.start() if following else sentence.end]
        shared = _share(left, right, match)
        if shared is None:
            continue
        place = _trim(text, Span(start, match.start()))
        yield place, _finish(carried + text[place.start : place.end])
        skipped, carried = shared
        start = match.end() + skipped
    place = _trim(text, Span(start, sentence.end))
    yield place, _finish(carried + text[place.start : place.end])


def _share(left: str, right: str, match: re.Match[str]) -> tuple[int, str] | None:
    """The words that the right part takes from the left one; None if they are not two parts."""
    if min(len(_WORD.findall(left)), len(_WORD.findall(right))) < MIN_WORDS:
        return None
    is_apart = bool(match["stop"])
    clause = find_clause(to_hypothesis(left), is_apart=is_apart)
    if clause is None:
        return None
    # "and" may join two nouns of which the second is described; the others join clauses only.
    joins_clauses = is_apart or bool(match["clause"]) or (match["word"] or "").lower() == "but"
    return carry_over(clause, right, joins_clauses=joins_clauses)


def _shield(text: str) -> str | None:
    """The text with letters of no meaning inside quotation marks and brackets; None: unbalanced."""
    if not _PAIRED.search(text):
        return text
    shown = list(text)
    closing: list[str] = []
    for index, letter in enumerate(text):
        if closing and letter == closing[-1]:
            closing.pop()
        elif letter in _PAIRS:
            closing.append(_PAIRS[letter])
        elif letter == '"':
            closing.append('"')
        elif letter in ")]}":
            return None
        elif closing and not letter.isspace():
            shown[index] = "x"
        if closing and letter.isspace():
            shown[index] = "x"
    return None if closing else "".join(shown)


def _trim(text: str, place: Span) -> Span:
    start, end = place.start, place.end
    while start < end and text[start] in _EDGES:
        start += 1
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    return Span(start, end)


def _finish(words: str) -> str:
    hypothesis = to_hypothesis(words).rstrip(" ,;:")
    hypothesis = hypothesis[:1].upper() + hypothesis[1:]
    return hypothesis if _STOPPED.search(hypothesis) else hypothesis + "."
