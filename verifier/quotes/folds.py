"""Folds: differences between a quote and its source that typesetting makes, and no others.

``judge_folds`` walks the quote and a slice of the canonical text side by side and lists the folds
that make them equal, or refuses. The contract's rules, as they are read here:

- ``white_space``: a run of white space is another run of white space, our separators included.
- ``synthetic_space``, ``line_break``: the quote may lack white space only if all of it was made
  by us (a synthetic space of the engine, a separator of ours), never between digits or next to a
  protected token. In plain text all white space is the author's. White space in the quote where
  the source has none is never a fold. Missing white space is no fold where two words meet: before a
  capital (``NL⏎C`` is not ``NLC``; within capitals a synthetic space may go), or at a line break
  beside a word of one letter (``a⏎part`` is not ``apart``), or where the two may read as another
  word (``a typical`` is not ``atypical``).
- ``row_joined``: white space for what parts two cells of one table row, or two lines of a column
  that may be one cell or two rows; the policies send it to a person. Nothing folds across rows.
- ``line_break`` also: the hyphen kept and the line break dropped (``non-⏎refundable``), between
  letters. Nothing that is read changes, so protected words may stand there.
- Both hyphen rules take real blanks of the source beside our separator for part of the break
  (``bul- ⏎lets``). Blanks alone, or a newline of the source itself, do not count as a break.
- ``line_end_hyphen``: hyphen and line break against nothing, between letters, the second a small
  one, and neither fragment nor the whole a protected word (``no-⏎table`` is not ``notable``).
- ``soft_hyphen``: on either side, between letters, not in or next to a protected token.
- ``ignorable``: a zero-width character, in the *source* only, not in or next to a protected token.
- ``ligature``, ``width``: letters only, never digits, not inside a protected word.
- ``quote_style``: curly and straight marks of one kind, unless a digit is a neighbour (5′ 6″).
- ``overprint``: in the *source* only, and only if nothing else makes the two equal: characters
  that the layout proves to be painted where the same characters stand already (fake bold, a line
  drawn twice), with the white space that a whole copy stands in.
- ``dash_style``: hyphens and dashes, never the minus sign; not where the next or the previous
  visible character belongs to a number, nor where an attached word is protected (``twenty-five``;
  ``May–August`` joins two months: a month with a capital on either side of the dash is no modal).

Protected here means digits, signs, comparators, currency marks, and the words of
``Lexicon.unfoldable``. A name may be broken at a line end or carry a ligature: its letters stay.
Case, compatibility forms, look-alikes, variation selectors, superscripts, bidi controls never fold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import (
    DASHES,
    QUOTE_MARKS,
    SOFT_HYPHEN,
    WHITE_SPACE,
    ZERO_WIDTH,
    ligatures,
    widths,
)
from spanproof.core.documents.overprint import overprint_of
from spanproof.verifier.language.protected import is_number_character, unfoldable_words
from spanproof.verifier.quotes.set_apart import RULES_FOR_REVIEW
from spanproof.verifier.quotes.side_by_side import (
    LINE_END_HYPHENS,
    FoldName,
    QuoteAlongside,
    Step,
    first_word,
    last_word,
)
from spanproof.verifier.quotes.spacing import FIRST_SPACING_RULES, SPACING_RULES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span

#: The fold list's name in ``verifier_version``: any change of a rule above changes it.
FOLDS_VERSION = "folds-7"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldJudgement:
    """Whether quote and slice are equal under the folds, and which it took."""

    equal: bool
    folds: tuple[FoldName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedPrefix:
    """How far a quote and a slice are equal: to the end of one of them, by these folds."""

    quote_end: int
    end: int
    folds: tuple[FoldName, ...] = ()


_REFUSED = FoldJudgement(equal=False)
_Rule = Callable[[QuoteAlongside, int, int], Step | None]


def judge_folds(
    quote: str,
    extraction: Extraction,
    span: Span,
    *,
    spacing: bool = False,
    for_review: bool = False,
) -> FoldJudgement:
    """Whether the quote is the source's slice under the allowed folds, each of them listed.

    ``spacing`` allows other white space too (``spacing``, spanproof.verifier.quotes.spacing), and
    ``for_review`` marks and capitals set apart too (spanproof.verifier.quotes.set_apart).
    """
    walk = QuoteAlongside(
        quote=quote,
        text=extraction.text.text,
        start=span.start,
        end=span.end,
        extraction=extraction,
    )
    if for_review:
        return _judge(walk, (*_SPACING, *RULES_FOR_REVIEW))
    judged = _judge(walk, _SPACING if spacing else _RULES)
    if judged.equal or span.start == span.end or spacing:
        return judged
    copies = overprint_of(extraction)
    if copies is None or not copies[span.start : span.end].any():
        return judged
    return _judge(walk, (_overprint, *_RULES))


def match_prefix(quote: str, at: int, extraction: Extraction, span: Span) -> MatchedPrefix | None:
    """How far ``quote[at:]`` and the source's slice go together until one of them ends.

    None where the folds do not make them equal so far.
    """
    walk = QuoteAlongside(
        quote=quote,
        text=extraction.text.text,
        start=span.start,
        end=span.end,
        extraction=extraction,
    )
    i, j, used = at, span.start, dict[FoldName, None]()
    while i < len(quote) and j < span.end:
        if quote[i] == walk.text[j] and quote[i] not in WHITE_SPACE:
            i, j = i + 1, j + 1
            continue
        step = _next_step(walk, i, j, _RULES)
        if step is None:
            return None
        i, j = i + step[0], j + step[1]
        if step[2] is not None:
            used[step[2]] = None
    return MatchedPrefix(quote_end=i, end=j, folds=tuple(used))


def _judge(walk: QuoteAlongside, rules: tuple[_Rule, ...]) -> FoldJudgement:
    quote, text, length, end = walk.quote, walk.text, len(walk.quote), walk.end
    used: dict[FoldName, None] = {}
    i, j = 0, walk.start
    skips = _overprint in rules
    while i < length or j < end:
        same = i < length and j < end and quote[i] == text[j] and quote[i] not in WHITE_SPACE
        if same and not (skips and walk.is_copy(j)):
            i, j = i + 1, j + 1
            continue
        step = _next_step(walk, i, j, rules)
        if step is None:
            return _REFUSED
        i, j = i + step[0], j + step[1]
        if step[2] is not None:
            used[step[2]] = None
    return FoldJudgement(equal=True, folds=tuple(used))


def _next_step(walk: QuoteAlongside, i: int, j: int, rules: tuple[_Rule, ...]) -> Step | None:
    for rule in rules:
        step = rule(walk, i, j)
        if step is not None:
            return step
    return None


def _white_space(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    quote, text = walk.quote, walk.text
    if not (i < len(quote) and j < walk.end):
        return None
    if quote[i] not in WHITE_SPACE or text[j] not in WHITE_SPACE:
        return None
    k, r = i, walk.run_end(j)
    while k < len(quote) and quote[k] in WHITE_SPACE:
        k += 1
    if quote[i:k] == text[j:r]:
        return k - i, r - j, None
    crossing = walk.find_crossing(j, r)
    if crossing == "row":
        return None
    return k - i, r - j, "row_joined" if crossing == "cell" else "white_space"


def _missing_space(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    text = walk.text
    if j >= walk.end or text[j] not in WHITE_SPACE:
        return None
    r = walk.run_end(j)
    broken = walk.is_line_break(j, r)
    before = text[j - 1] if j > walk.start else ""
    hyphenated = broken and before in DASHES
    hyphenated = hyphenated or (before in LINE_END_HYPHENS and walk.ends_line(j, r))
    if hyphenated and i < len(walk.quote):
        between_letters = walk.letter(j - 2) and walk.letter(r)
        return (0, r - j, "line_break") if between_letters else None
    if (
        not walk.is_private_mark(j, r)
        or walk.is_protected(j, r)
        or walk.parts_words(j, r, broken=broken)
        or walk.find_crossing(j, r) is not None
    ):
        return None
    return 0, r - j, "line_break" if broken else "synthetic_space"


def _line_end_hyphen(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    text = walk.text
    if j >= walk.end or text[j] not in LINE_END_HYPHENS or i >= len(walk.quote):
        return None
    r = walk.run_end(j + 1)
    if r == j + 1 or r >= walk.end or not walk.ends_line(j + 1, r):
        return None
    # A capital after the break starts a name of its own: Smith-⏎Jones is not SmithJones.
    joined = walk.letter(j - 1) and walk.letter(r) and not text[r].isupper()
    if not joined or walk.is_protected(j, r):
        return None
    return 0, r - j, "line_end_hyphen"


def _soft_hyphen(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    if j < walk.end and walk.text[j] == SOFT_HYPHEN:
        between_letters = walk.letter(j - 1) and walk.letter(j + 1)
        allowed = between_letters and not walk.is_protected(j, j + 1)
        return (0, 1, "soft_hyphen") if allowed else None
    if i < len(walk.quote) and walk.quote[i] == SOFT_HYPHEN:
        inside = walk.start < j < walk.end and walk.letter(j - 1) and walk.letter(j)
        return (1, 0, "soft_hyphen") if inside and not walk.is_protected(j, j) else None
    return None


def _ignorable(walk: QuoteAlongside, _: int, j: int) -> Step | None:
    if j >= walk.end or walk.text[j] not in ZERO_WIDTH or walk.is_protected(j, j + 1):
        return None
    return 0, 1, "ignorable"


def _letters(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    if i >= len(walk.quote) or j >= walk.end:
        return None
    theirs, ours = walk.quote[i], walk.text[j]
    if theirs.isascii() and ours.isascii():
        return None
    for name, table in _letter_tables():
        wanted, given = table.get(theirs), table.get(ours)
        takes, gives = 1, 1
        if given is not None and wanted is None:
            takes, wanted = len(given), walk.quote[i : i + len(given)]
        elif wanted is not None and given is None:
            gives, given = len(wanted), walk.text[j : min(j + len(wanted), walk.end)]
        if given is not None and given == wanted and not _in_protected_word(walk, j):
            return takes, gives, name
    return None


def _letter_tables() -> tuple[tuple[FoldName, Mapping[str, str]], ...]:
    return ("ligature", ligatures()), ("width", widths())


def _in_protected_word(walk: QuoteAlongside, j: int) -> bool:
    word = last_word(walk.token_before(j)) + first_word(walk.token_after(j))
    return word in unfoldable_words()


def _quote_style(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    if i >= len(walk.quote) or j >= walk.end:
        return None
    theirs, ours = walk.quote[i], walk.text[j]
    mark = QUOTE_MARKS.get(ours, ours)
    if mark not in {"'", '"'} or QUOTE_MARKS.get(theirs, theirs) != mark:
        return None
    neighbours = walk.text[max(0, j - 1) : j] + walk.text[j + 1 : j + 2]
    return None if any(map(str.isnumeric, neighbours)) else (1, 1, "quote_style")


def _dash_style(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    if i >= len(walk.quote) or j >= walk.end:
        return None
    if walk.quote[i] not in DASHES or walk.text[j] not in DASHES:
        return None
    previous, following = j - 1, j + 1
    while previous >= 0 and walk.text[previous] in WHITE_SPACE:
        previous -= 1
    while following < len(walk.text) and walk.text[following] in WHITE_SPACE:
        following += 1
    neighbours = walk.text[max(0, previous) : previous + 1] + walk.text[following : following + 1]
    attached = {last_word(walk.token_before(j)), first_word(walk.token_after(j + 1))}
    if any(map(is_number_character, neighbours)):
        return None
    if attached & unfoldable_words() and not walk.joins_months(j):
        return None
    return 1, 1, "dash_style"


def _overprint(walk: QuoteAlongside, i: int, j: int) -> Step | None:
    at = j
    if i >= len(walk.quote) and j < walk.end and walk.text[j] in WHITE_SPACE:
        # The copy follows at the quote's end: its own line goes with the break before it.
        at = walk.run_end(j)
    end = walk.copies_end(at)
    return None if end == at else (0, end - j, "overprint")


_RULES: tuple[_Rule, ...] = (
    _white_space,
    _missing_space,
    _line_end_hyphen,
    _soft_hyphen,
    _ignorable,
    _letters,
    _quote_style,
    _dash_style,
)
_SPACING: tuple[_Rule, ...] = (*FIRST_SPACING_RULES, *_RULES, *SPACING_RULES)
