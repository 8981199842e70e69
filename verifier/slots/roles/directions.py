"""Directions: to or from, for or against, after the same verb and before the same word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.slots.roles.lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Alignment, Doubt
    from spanproof.verifier.slots.roles.lines import Line

_OPPOSITE = {
    "from": "to", "to": "from", "for": "against", "against": "for", "into": "from", "onto": "off",
    "with": "without", "without": "with",
}  # fmt: skip
#: How many steps before a direction its verb may stand, and the least share of shared words.
_REACH, _LEAST_SHARE = 5, 0.75


def doubt_directions(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the source has the other direction there, and nowhere the claim's own."""
    claim, premise = alignment.claim, alignment.premise
    for index in claim.opens:
        (line, *_) = read_lines(claim.text, *claim.sentence(index), locale)
        theirs = [
            read_lines(premise.text, each.first, each.last, locale)[0]
            for each in alignment.best(index)
            if each.share >= _LEAST_SHARE
        ]
        for place, step in enumerate(line[:-1]):
            opposite, word = _OPPOSITE.get(step.key), line[place + 1]
            if opposite is None or not word.content:
                continue
            around = {before.key for before in line[max(0, place - _REACH) : place]}
            found = [_find_place(each, opposite, word.key, around) for each in theirs]
            same = any(_find_place(each, step.key, word.key, set()) for each in theirs)
            rival = next((pair for pair in found if pair), None)
            if rival is not None and not same:
                ours = Span(claim.words[step.place].start, claim.words[word.place].end)
                low, high = premise.words[rival[0]], premise.words[rival[1]]
                yield alignment.doubt(
                    "likely", "unconfirmed_roles", ours, Span(low.start, high.end)
                )


def _find_place(line: Line, key: str, word: str, around: set[str]) -> tuple[int, int] | None:
    """Where a direction stands before a word, behind content that is around the claim's."""
    for index, step in enumerate(line[:-1]):
        if step.key != key or line[index + 1].key != word:
            continue
        before = {other.key for other in line[max(0, index - _REACH) : index] if other.content}
        if not around or before & around:
            return step.place, line[index + 1].place
    return None
