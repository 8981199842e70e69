"""Raised and lowered digits: the text has ``103``, the page shows 10³.

The digits of a superscript, or of a footnote's mark, stand right behind those before them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import MatchView
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.core.verdicts.verdict import Existence
from spanproof.verifier.quotes.baselines import is_shifted, joins_digits
from spanproof.verifier.quotes.places import find_places

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.verdict import Candidate

#: The code of a span in which digits of two baselines stand together.
RAISED_DIGITS = "RAISED_DIGITS"
_SHIFTED = "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"
_PLAIN = str.maketrans(_SHIFTED, "01234567890123456789")
_POWER = re.compile(rf"(?<=\w)(?:\^\{{?(\d{{1,6}})\}}?|([{_SHIFTED}]{{1,6}}))")


def joins_baselines(extraction: Extraction, span: Span) -> bool:
    """Whether a digit stands in the span, or at its edge, right behind one of another baseline."""
    layout = extraction.layout
    if layout is None:
        return False
    # A digit of another baseline begins a run; behind the edge, a stop may stand before it.
    runs = layout.runs_of(Span(span.start, min(span.end + 2, len(extraction.text))))
    starts: list[int] = layout.run_start[runs.start : runs.stop].tolist()
    return any(at >= max(span.start, 1) and joins_digits(extraction, at) for at in starts)


def find_raised(quote: str, extraction: Extraction) -> Existence | None:
    """The only place of a quote that writes raised digits as ``10^3`` or ``10³``."""
    turned: list[int] = []
    plain, edge = "", 0
    for match in _POWER.finditer(quote):
        plain += quote[edge : match.start()]
        turned.append(len(plain))
        plain += match[1] or match[2].translate(_PLAIN)
        edge = match.end()
    if not turned:
        return None
    plain += quote[edge:]
    letters = [len(MatchView.of(plain[:at]).text) for at in turned]
    places = find_places(plain, extraction)
    true = [place for place in places.all if _is_raised_at(place, letters, extraction)]
    if len(true) > 1:
        return Existence(status=ExistenceStatus.AMBIGUOUS, candidates=tuple(true))
    if not true or places.capped:
        return None
    folds = (*true[0].folds, "raised")
    return Existence(status=ExistenceStatus.FOLD_EQUAL, span=true[0].span, folds=folds)


def _is_raised_at(place: Candidate, letters: list[int], extraction: Extraction) -> bool:
    positions = MatchView.of(extraction.text.slice(place.span)).positions
    return all(
        at < len(positions) and is_shifted(extraction, place.span.start + int(positions[at]))
        for at in letters
    )
