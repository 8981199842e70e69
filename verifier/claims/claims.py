"""The claim that each anchor marks: the sentence it stands in, with exact offsets.

Anchors, and other parts that claim nothing (a block of sources), are blanked, never removed, before
the sentences are found, so offsets stay those of the answer.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.citation import Claim
from spanproof.core.span import Span
from spanproof.verifier.claims.sentences import Sentence, find_sentences
from spanproof.verifier.claims.statements import states_something

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.citation import Anchor

_LIST_MARKER = re.compile(
    r"\s*+(?:>\s*+)*+(?:[-*+•‣◦▪–]\s+|\d{1,3}[.)]\s+|\d{1,3}[、．]|#{1,6}\s+)"
)
_QUOTED_LINE = re.compile(r"^[ \t]*+(?:>[ \t]?)++", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<!\\)(?:\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w))")
#: A sign that Markdown would take for markup, and the mark that keeps it from that.
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LINE_END = re.compile(r"[\r\n]")
#: Blanks before a stop are what a removed anchor leaves behind.
_BLANK_BEFORE_STOP = re.compile(r"\s+([.,;:!?。，、；：！？؟،؛۔।])")
_CELL = re.compile(r"(?<!\\)\|")
#: A stop behind an anchor, and what closes with it; a stop before one, at the end of a text.
_STOP_BEHIND = re.compile(r"[ \t]*[.!?。！？…؟।۔][\"'”’»」』)\]*_]*(?=\s|$)")
_STOP_BEFORE = re.compile(r"([.!?。！？…؟।۔][\"'”’»」』)\]*_]*)[ \t]*$")
#: After these a name or a number follows, even behind an anchor.
_NEEDS_MORE = re.compile(
    r"\b(?:nos?|figs?|eqs?|secs?|arts?|vols?|al|vs|cf|ca|approx|e\.g|i\.e|pp?)"
    r"\.$",
    re.IGNORECASE,
)
#: What may begin a sentence: anything but a small letter ("pH" and "iPhone" have one) or a stop.
_BEGINS = re.compile(r"\s+(?:[a-z]{1,3}[A-Z]|(?![a-zß-öø-ÿ.,;:])\S)")
#: A letter by itself before a stop names something; no sentence goes on behind it and an anchor.
_LETTER = re.compile(r"(?<![\w.])[A-Z]\.$")
#: Characters before an anchor that are looked at.
_LOOK_BACK = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSentence:
    """One sentence (anchors and stop included) and the anchors that mark it.

    ``sentence`` is the same without the anchors at its ends.
    """

    span: Span
    anchors: tuple[Anchor, ...]
    sentence: Sentence


def split_sentences(
    prose: str, anchors: tuple[Anchor, ...] = (), unclaimed: tuple[Span, ...] = ()
) -> tuple[MarkedSentence, ...]:
    """The sentences of the prose in order, each with its anchors.

    An anchor after a stop belongs to the sentence that it follows; one that opens a line with words
    belongs to the sentence that it precedes. White space between sentences belongs to none of them.
    A sentence ends where a stop and an anchor meet. ``unclaimed`` spans are not sentences; code and
    the header row of a table are so only where they state something, or have an anchor.
    """
    blanked = blank_anchors(prose, anchors, unclaimed)
    found = find_sentences(blanked, _find_ends(prose, anchors))
    found = _keep_stating_headers(blanked, found, anchors)
    starts = [sentence.span.start for sentence in found]
    ends = [sentence.span.end for sentence in found]
    line_ends = [match.start() for match in _LINE_END.finditer(prose)] if anchors else []
    owned: list[list[Anchor]] = [[] for _ in found]
    for anchor in anchors:
        index = _owner(anchor.span, found, line_ends)
        if index is None:
            continue
        owned[index].append(anchor)
        starts[index] = min(starts[index], anchor.span.start)
        ends[index] = max(ends[index], anchor.span.end)
    return tuple(
        MarkedSentence(span=Span(start, end), anchors=tuple(marks), sentence=sentence)
        for start, end, marks, sentence in zip(starts, ends, owned, found, strict=True)
    )


def find_claims(
    prose: str, anchors: tuple[Anchor, ...], unclaimed: tuple[Span, ...] = ()
) -> tuple[tuple[tuple[Anchor, Claim], ...], tuple[MarkedSentence, ...]]:
    """Each anchor with its claim, and the sentences, cited and uncited.

    An anchor in a text without any sentence (``[1]`` alone) has no claim and is left out.
    """
    sentences = split_sentences(prose, anchors, unclaimed)
    blanked = blank_anchors(prose, anchors, unclaimed)
    claims: list[tuple[Anchor, Claim]] = []
    for sentence in sentences:
        if sentence.anchors:
            claim = Claim(
                text=prose[sentence.span.start : sentence.span.end],
                span=sentence.span,
                hypothesis=read_sentence(blanked, sentence.sentence),
            )
            claims.extend((anchor, claim) for anchor in sentence.anchors)
    return tuple(claims), sentences


def blank_anchors(prose: str, anchors: Sequence[Anchor], unclaimed: Sequence[Span] = ()) -> str:
    """The prose with blanks where its anchors and what is unclaimed stand: all offsets stay."""
    if not anchors and not unclaimed:
        return prose
    pieces: list[str] = []
    position = 0
    # Mostly in order already: a set would mix them up.
    for span in sorted((*(anchor.span for anchor in anchors), *unclaimed)):
        if span.end <= position:
            continue
        start = max(span.start, position)
        pieces += [prose[position:start], " " * (span.end - start)]
        position = span.end
    return "".join((*pieces, prose[position:]))


def read_sentence(blanked: str, sentence: Sentence) -> str:
    """A sentence as the model reads it; a table row with the headers of its columns."""
    words = blanked[sentence.span.start : sentence.span.end]
    if sentence.kind not in {"row", "header"}:
        return to_hypothesis(words)
    cells = _split_cells(words)
    heads: list[str] = []
    if sentence.header is not None:
        heads = _split_cells(blanked[sentence.header.start : sentence.header.end])
    if len(heads) != len(cells):
        heads = [""] * len(cells)
    named = [f"{head}: {cell}" if head else cell for head, cell in zip(heads, cells, strict=True)]
    return ", ".join(name for name, cell in zip(named, cells, strict=True) if cell)


def to_hypothesis(text: str) -> str:
    """Words of an answer as the model reads them: no list mark, no emphasis, single blanks.

    Anchors are taken for blanked already.
    """
    marker = _LIST_MARKER.match(text)
    return clean_words(text[marker.end() :] if marker else text)


def clean_words(text: str) -> str:
    """The same for words that do not begin a line: a number at their start is not a list mark."""
    if ">" in text:
        text = _QUOTED_LINE.sub("", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub("", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if "&" in text:
        text = html.unescape(text)
    return _BLANK_BEFORE_STOP.sub(r"\1", " ".join(text.split()))


def _split_cells(row: str) -> list[str]:
    return [
        clean_words(cell) for cell in _CELL.split(row.strip().removeprefix("|").removesuffix("|"))
    ]


def _keep_stating_headers(
    blanked: str, sentences: tuple[Sentence, ...], anchors: Sequence[Anchor]
) -> tuple[Sentence, ...]:
    """Header rows name their columns, unless they have a citation or say something whole."""
    places = sorted(anchor.span.start for anchor in anchors)

    def is_kept(sentence: Sentence) -> bool:
        span = sentence.span
        index = bisect_left(places, span.start)
        if index < len(places) and places[index] < span.end:
            return True
        cells = _split_cells(blanked[span.start : span.end])
        return any(states_something(cell) for cell in cells)

    return tuple(s for s in sentences if s.kind != "header" or is_kept(s))


def _find_ends(prose: str, anchors: Sequence[Anchor]) -> list[int]:
    """Where a stop and an anchor meet: "… of vitamin D [2]. Pain …", "… of vitamin D. [2] Pain …".

    An anchor is no part of an initial or an abbreviation, so that the stop ends a sentence.
    """
    ends: list[int] = []
    for run in _join_marks(prose, anchors):
        stop = _STOP_BEHIND.match(prose, run.end)
        if stop is not None:
            ends.append(stop.end())
            continue
        before = prose[max(0, run.start - _LOOK_BACK) : run.start]
        stopped = _STOP_BEFORE.search(before)
        if stopped is None or _NEEDS_MORE.search(before, 0, stopped.end(1)):
            continue
        is_letter = _LETTER.search(before, 0, stopped.end(1))
        if is_letter or _BEGINS.match(prose, run.end):
            ends.append(run.start - len(before) + stopped.end(1))
    return ends


def _join_marks(prose: str, anchors: Sequence[Anchor]) -> list[Span]:
    """The anchors with those that follow directly, in order."""
    runs: list[Span] = []
    for span in sorted(dict.fromkeys(anchor.span for anchor in anchors)):
        if runs and not prose[runs[-1].end : span.start].strip(" \t,;"):
            runs[-1] = Span(runs[-1].start, span.end)
        else:
            runs.append(span)
    return runs


def _owner(span: Span, sentences: Sequence[Sentence], line_ends: Sequence[int]) -> int | None:
    after = bisect_right(sentences, span.start, key=lambda sentence: sentence.span.start)
    before = after - 1
    if before < 0:
        return after if sentences else None
    if span.start < sentences[before].span.end or after == len(sentences):
        return before
    opens_line = _breaks(line_ends, sentences[before].span.end, span.start)
    alone = _breaks(line_ends, span.end, sentences[after].span.start)
    return after if opens_line and not alone else before


def _breaks(line_ends: Sequence[int], start: int, end: int) -> bool:
    index = bisect_left(line_ends, start)
    return index < len(line_ends) and line_ends[index] < end
