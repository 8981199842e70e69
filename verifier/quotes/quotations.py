"""Quotations inside claims: words in quotation marks stand in the document that is cited.

Literally: the ladder that checks a citation's quote checks each quotation, and only EXACT and
FOLD_EQUAL hold. A stop or comma before the closing mark is the answer's own; "…" inside stands for
words left out, and each stretch between is searched by itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from spanproof.core.citation import Quote
from spanproof.core.span import Span
from spanproof.core.verdicts.answer_findings import QuotationCheck
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.claims.claims import blank_anchors, clean_words
from spanproof.verifier.claims.paragraphs import split_paragraphs
from spanproof.verifier.claims.quotation_marks import pair_quotation_marks
from spanproof.verifier.claims.sentences import find_code
from spanproof.verifier.quotes.existence import LINE_ORDER, check_existence, find_quote
from spanproof.verifier.quotes.raised import RAISED_DIGITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanproof.core.citation import Answer, Claim
    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.verdict import Existence
    from spanproof.verifier.support.joint import Cited

#: Less than this is a word that is talked about, not somebody's words.
MIN_WORDS = 3
MIN_CHARACTERS = 12
#: Quotations of one claim that are looked up; what lies beyond was not checked and says so.
MAX_QUOTATIONS = 32
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
_LEFT_OUT = re.compile(r"\[\s*(?:…|\.\.\.)\s*\]|\(\s*(?:…|\.\.\.)\s*\)|…|\.\.\.")
_OWN_STOPS = " .,;:!?。、，！？"
_HOLDS = frozenset({ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL})
_CUTS = frozenset({"SPAN_CUTS_TOKEN", "SPAN_CUTS_MEANING", RAISED_DIGITS})
_NOT_RUN = frozenset({ExistenceStatus.NOT_RUN, ExistenceStatus.UNVERIFIABLE})
_ABSENT = frozenset({ExistenceStatus.ABSENT, ExistenceStatus.STITCHED})


def find_quotations(answer: Answer) -> tuple[Span, ...]:
    """Where the prose quotes at least three words or twelve characters; marks are left out."""
    blanked = blank_anchors(answer.prose, answer.anchors, answer.unclaimed)
    shown = list(blanked)
    for code in find_code(blanked):
        shown[code.start : code.end] = " " * len(code)
    hidden = "".join(shown)
    found: list[Span] = []
    for paragraph in split_paragraphs(hidden):
        start = paragraph.span.start
        for quoted in pair_quotation_marks(hidden[start : paragraph.span.end]):
            inside = Span(quoted.start + 1, quoted.end - 1).shift(start)
            words = hidden[inside.start : inside.end].strip()
            if len(_WORD.findall(words)) >= MIN_WORDS or len(words) >= MIN_CHARACTERS:
                found.append(inside)
    return tuple(found)


def check_quotations(
    answer: Answer, pairs: Sequence[tuple[Claim, int]], cited: Sequence[Cited]
) -> dict[tuple[Span, int], tuple[QuotationCheck, ...]]:
    """The quotations of each claim in the document of each of its citations.

    ``cited`` has one entry for each citation of the answer, in their order. A quotation that is
    missing in one document of the claim and stands in another is MISATTRIBUTED.
    """
    quotations = find_quotations(answer)
    if not quotations:
        return {}
    blanked = blank_anchors(answer.prose, answer.anchors, answer.unclaimed)
    indexes: dict[Span, list[int]] = {}
    for claim, index in pairs:
        indexes.setdefault(claim.span, []).append(index)
    checks: dict[tuple[Span, int], tuple[QuotationCheck, ...]] = {}
    search = _Search(answer.prose, blanked)
    for span, own in indexes.items():
        pieces = list(_pieces_in(span, quotations, blanked))
        for index in own:
            checks[span, index] = tuple(
                search.check(piece, index, cited[index] if place < MAX_QUOTATIONS else None)
                for place, piece in enumerate(pieces)
            )
        _note_elsewhere(checks, span, own)
    return checks


def quotation_codes(checks: Sequence[QuotationCheck]) -> tuple[str, ...]:
    """The codes of one verdict's quotations; quotations in the document that they cite have none.

    One that stands in another document of the same claim is that citation's, not this one's.
    """
    statuses = {check.status for check in checks}
    codes: tuple[str, ...] = ()
    if ExistenceStatus.ALTERED in statuses:
        codes += ("QUOTATION_ALTERED",)
    if statuses & _ABSENT:
        codes += ("QUOTATION_ABSENT",)
    return (*codes, "QUOTATION_NOT_RUN") if statuses & _NOT_RUN else codes


def _pieces_in(claim: Span, quotations: Sequence[Span], blanked: str) -> Iterator[Span]:
    """The stretches to look for: quotations as far as they lie in the claim, without ellipses."""
    first = bisect_left(quotations, claim.start, key=lambda span: span.end)
    for quotation in quotations[first:]:
        if quotation.start >= claim.end:
            return
        inside = quotation.intersection(claim)
        start, end = inside.start, inside.end
        for gap in (*_LEFT_OUT.finditer(blanked, start, end), None):
            piece = blanked[start : gap.start() if gap else end]
            visible = piece.strip()
            if _WORD.search(visible):
                place = start + piece.index(visible)
                yield Span(place, place + len(visible))
            start = gap.end() if gap else end


class _Search:
    """Looks each stretch up once for each citation, however many claims have it."""

    def __init__(self, prose: str, blanked: str) -> None:
        self._prose = prose
        self._blanked = blanked
        self._known: dict[tuple[str, int], tuple[ExistenceStatus, Span | None]] = {}

    def check(self, piece: Span, index: int, cited: Cited | None) -> QuotationCheck:
        """One stretch in the document of one citation; without one it says NOT_RUN."""
        text = self._prose[piece.start : piece.end]
        words = clean_words(self._blanked[piece.start : piece.end])
        if cited is None or cited.extraction is None:
            return QuotationCheck(text=text, span=piece, status=ExistenceStatus.NOT_RUN)
        if (words, index) not in self._known:
            self._known[words, index] = _look_up(words, cited.extraction, cited.span)
        status, found = self._known[words, index]
        return QuotationCheck(text=text, span=piece, status=status, found=found)


def _look_up(
    words: str, extraction: Extraction, span: Span | None
) -> tuple[ExistenceStatus, Span | None]:
    stripped = words.rstrip(_OWN_STOPS)
    best = _settle(find_quote(words, extraction), extraction, words, span)
    if best[0] not in _HOLDS and stripped != words and stripped:
        # A stop inside the marks is how English punctuates; only the words are quoted.
        shorter = _settle(find_quote(stripped, extraction), extraction, stripped, span)
        return shorter if shorter[0] in _HOLDS else best
    return best


def _settle(
    existence: Existence, extraction: Extraction, words: str, cited: Span | None
) -> tuple[ExistenceStatus, Span | None]:
    """One place of several is enough: the words are there. Best is one inside the cited span."""
    if existence.status is ExistenceStatus.AMBIGUOUS:
        inside = [c for c in existence.candidates if cited is not None and cited.contains(c.span)]
        chosen = (inside or list(existence.candidates))[0].span
        quote = Quote(text=words, start=chosen.start, end=chosen.end)
    elif existence.status in _HOLDS and existence.span is not None:
        quote = Quote(text=words, start=existence.span.start, end=existence.span.end)
    else:
        edited = existence.status is ExistenceStatus.EDITORIAL
        # What stands in quotation marks is literal: an edited one is for a person.
        return ExistenceStatus.ALTERED if edited else existence.status, existence.span
    if LINE_ORDER in existence.folds:
        # Its lines are there, in another order: nobody is quoted so.
        return ExistenceStatus.ALTERED, existence.span
    there, codes = check_existence(quote, extraction, ())
    # "5 per cent" is not what "3.5 per cent" says, nor "103" what 10³ says.
    cut = there.status in _HOLDS and bool(_CUTS & set(codes))
    return (ExistenceStatus.ALTERED if cut else there.status), there.span


def _note_elsewhere(
    checks: dict[tuple[Span, int], tuple[QuotationCheck, ...]],
    claim: Span,
    indexes: Sequence[int],
) -> None:
    """Words that another citation of the claim has are not a fault of those without them."""
    columns: Mapping[int, tuple[QuotationCheck, ...]] = {i: checks[claim, i] for i in indexes}
    held = [
        any(check.status in _HOLDS for check in column)
        for column in zip(*columns.values(), strict=True)
    ]
    for index in indexes:
        checks[claim, index] = tuple(
            QuotationCheck(text=check.text, span=check.span, status=ExistenceStatus.MISATTRIBUTED)
            if is_held and check.status not in _HOLDS | _NOT_RUN
            else check
            for check, is_held in zip(checks[claim, index], held, strict=True)
        )
