"""Step 6, attribution: supported here, elsewhere in what was supplied (where), or nowhere.

The judge reads the other resolved citations, the retrieved chunks, and the passages of the supplied
documents that share most words with the claim. NOWHERE means: in none of these. Shared words only
choose what the model reads; nothing is concluded from them.
"""

from __future__ import annotations

import heapq
import re
from typing import TYPE_CHECKING

from spanproof.core.budget import BudgetSpentError, checkpoint
from spanproof.core.span import Span
from spanproof.core.verdicts.status import AttributionStatus, SupportStatus
from spanproof.core.verdicts.verdict import Attribution, Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import Extraction, Library
    from spanproof.core.verdicts.verdict import Support
    from spanproof.verifier.support.judge import SupportJudge

#: Other spans that are read for one claim; more would cost more than the citation itself.
MAX_PLACES = 24
#: Characters of one passage: a paragraph, which one window of the model holds.
PASSAGE_CHARACTERS = 700
#: Passages that are read for one claim, and the share of the claim's words that one must hold.
MAX_PASSAGES = 6
MIN_SHARE = 0.5
#: Longer texts are not searched: reading them for every failed claim would cost seconds.
MAX_SEARCHED_CHARACTERS = 2_000_000
_WORD = re.compile(r"[^\W_]{3,}")
_BLANK = re.compile(r"\s")


def check_attribution(
    hypothesis: str,
    support: Support,
    places: Iterable[Candidate],
    library: Library,
    judge: SupportJudge,
) -> Attribution:
    """Read the other supplied spans if the cited one does not support the claim.

    NOT_RUN if the model could not judge, or if the cited span is too close to call.
    """
    if support.status is SupportStatus.ENTAILED:
        return Attribution(status=AttributionStatus.HERE)
    undecided = support.status is SupportStatus.BORDERLINE
    failed = support.status is SupportStatus.NOT_RUN and support.reason != "no_span"
    if undecided or failed:
        return Attribution(status=AttributionStatus.NOT_RUN)
    supported_by: list[Candidate] = []
    unread = False
    try:
        distinct = list(dict.fromkeys([*places, *find_passages(hypothesis, library)]))
    except BudgetSpentError:
        return Attribution(status=AttributionStatus.NOT_RUN)
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
        checkpoint()
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
    """Half-overlapping passages that end with a whole word, so that a cut loses no sentence."""
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
