"""Pairs of quotation marks in a text; apostrophes and inch marks do not count.

The marks that English, German, French and East Asian texts put around the words of others. Single
marks are left alone: a quotation mark cannot be distinguished from an apostrophe.
"""

from __future__ import annotations

from spanproof.core.span import Span

_STRAIGHT = '"'
_OPENING = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}
_CLOSING = frozenset("”“»」』")
_MARKS = _CLOSING | _OPENING.keys() | {_STRAIGHT}
#: What may stand before a straight mark that opens, beside white space.
_BEFORE = frozenset("([{<—–-/:,;*_|>")
#: Quotations inside quotations that are followed; deeper ones belong to the last of these.
_MAX_DEPTH = 8


def pair_quotation_marks(text: str) -> tuple[Span, ...]:
    """The outermost quoted stretches with their marks, in order; an unclosed one is left out."""
    if _MARKS.isdisjoint(text):
        return ()
    closed: list[Span] = []
    levels: list[tuple[str, int]] = []
    for index, letter in enumerate(text):
        if letter == _STRAIGHT:
            if _opens(text, index, is_open=any(mark == _STRAIGHT for mark, _ in levels)):
                # A mark that opens again was not closed: the first one is ignored.
                levels = [level for level in levels if level[0] != _STRAIGHT]
                levels.append((_STRAIGHT, index))
            else:
                _close(letter, index, levels, closed)
        elif letter in _CLOSING and any(letter in marks for marks, _ in levels):
            _close(letter, index, levels, closed)
        elif letter in _OPENING and len(levels) < _MAX_DEPTH:
            levels.append((_OPENING[letter], index))
    outermost: list[Span] = []
    for span in sorted(closed, key=lambda span: (span.start, -span.end)):
        if not outermost or outermost[-1].end <= span.start:
            outermost.append(span)
    return tuple(outermost)


def _close(letter: str, index: int, levels: list[tuple[str, int]], closed: list[Span]) -> None:
    """Close the innermost level that the mark closes; those inside of it were never closed."""
    for depth in range(len(levels) - 1, -1, -1):
        marks, start = levels[depth]
        if letter in marks:
            closed.append(Span(start, index + 1))
            del levels[depth:]
            return


def _opens(text: str, index: int, *, is_open: bool) -> bool:
    """Whether a straight mark stands where one opens: after a gap, before something.

    Scripts without letter case mostly write without gaps; there it opens if no other is open.
    """
    before = text[index - 1] if index else " "
    after = text[index + 1] if index + 1 < len(text) else " "
    if after.isspace():
        return False
    if before.isspace() or before in _BEFORE:
        return True
    return not is_open and before.isalpha() and before.lower() == before.upper()
