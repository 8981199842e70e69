"""Passages of the supplied documents that share most words with a claim: where to read for support.

Only a choice of what the model reads; nothing is concluded from shared words.
"""

from __future__ import annotations

import heapq
import re
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.core.verdicts.verdict import Candidate

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction, Library

#: Characters of one passage: a paragraph, which one window of the model holds.
PASSAGE_CHARACTERS = 700
#: Passages that are read for one claim, and the share of the claim's words that one must hold.
MAX_PASSAGES = 6
MIN_SHARE = 0.5
#: Longer texts are not searched: reading them for every failed claim would cost seconds.
MAX_SEARCHED_CHARACTERS = 2_000_000
_WORD = re.compile(r"[^\W_]{3,}")
_BLANK = re.compile(r"\s")


def find_passages(hypothesis: str, library: Library) -> tuple[Candidate, ...]:
    """The best passages over all supplied documents, best first."""
    wanted = {word.lower() for word in _WORD.findall(hypothesis)}
    if not wanted:
        return ()
    scored: list[tuple[float, int, int, Candidate]] = []
    for number, source in enumerate(library.sources):
        extraction = source.find_extraction(None)
        if extraction is None or len(extraction.text) > MAX_SEARCHED_CHARACTERS:
            continue
        for span in _cut(extraction):
            words = {word.lower() for word in _WORD.findall(extraction.text.slice(span))}
            share = len(wanted & words) / len(wanted)
            if share >= MIN_SHARE:
                place = Candidate(span=span, doc_hash=extraction.document.doc_hash)
                # Equal shares: the earlier document, the earlier passage.
                scored.append((share, -number, -span.start, place))
    best = heapq.nlargest(MAX_PASSAGES, scored, key=lambda entry: entry[:3])
    return tuple(place for *_, place in best)


def is_searched(library: Library) -> bool:
    """Whether ``find_passages`` looks at every supplied document."""
    extractions = [source.find_extraction(None) for source in library.sources]
    return all(e is not None and len(e.text) <= MAX_SEARCHED_CHARACTERS for e in extractions)


def _cut(extraction: Extraction) -> list[Span]:
    """Half-overlapping passages that end where a word does: no sentence is lost to a cut."""
    text = extraction.text.text
    spans, start = [], 0
    while start < len(text):
        end = _word_end(text, start + PASSAGE_CHARACTERS)
        spans.append(Span(start, end))
        if end == len(text):
            break
        start = _word_end(text, start + PASSAGE_CHARACTERS // 2)
    return spans


def _word_end(text: str, index: int) -> int:
    found = _BLANK.search(text, index) if index < len(text) else None
    return found.end() if found else len(text)
