"""Roles: who did what to whom. A claim that exchanges two arguments of its source.

Both sentences are read as lines of steps (``lines``). Where a run of steps that both share (the
pivot: "acquired", "is the mother of", "reports to") has one argument on its left and another on its
right in the claim, and the very same two the other way round in the source, the roles are swapped.
Words that say the same both ways (met, equals, married to) are no pivot.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.language.lexicon import stem
from spanproof.verifier.slots.alignment import Alignment
from spanproof.verifier.slots.roles.lines import BREAKS, PREPOSITIONS, base_of, read_lines
from spanproof.verifier.slots.words import to_veto

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Doubt
    from spanproof.verifier.slots.roles.lines import Line, Step
    from spanproof.verifier.slots.words import Words


def _bases(text: str) -> frozenset[str]:
    """The words and their base forms: function words stand in a line as they are."""
    return frozenset(f for word in text.split() for f in (word, base_of(word, stem(word))))


#: Words whose two sides may be exchanged.
SYMMETRIC = _bases(
    "marry meet merge equal resemble correlate similar differ border adjoin adjacent overlap"
    " intersect agree cooperate collaborate partner twin same sibling sister brother"
    " cousin spouse friend neighbor neighbour colleague rival wed divorce talk converse chat"
    " negotiate compete interact combine mix connect link associate relate parallel synonym"
    " equivalent identical different nearby versus vs coincide collide argue debate wrestle"
    " separate unlike like cohabit coexist contemporary compatriot distinct opposite unrelated"
    " interchangeable apart between among beside near alongside"
)
#: Likewise, but only as the first word of what is shared: elsewhere they are nouns.
_SYMMETRIC_VERBS = _bases("share match tie date dance kiss hug engage close play face ally next")
#: Words that alone carry no role.
_IDLE = _bases(
    "be and or with between among as like plus in on at of for that who which it he she they"
    " about when where while nor both either but i you we him them one what how why not near"
    " during along amongst minus per th st nd rd co pre non n although though whereas"
)
#: Other function words that are a pivot by themselves.
_PIVOTS = _bases(
    "than before after over under above below against from because if until since unless without"
    " despite to into with for"
)
_CLAUSAL = frozenset({"before", "after", "if", "because", "until", "since", "unless"})
#: Verbs that also stand between quoted words and their speaker.
_SPEAKING = _bases("say add ask reply explain announce remark comment write state warn repeat")
_QUOTES = '"“”«»‘'
#: Verbs that stand before their subject where a place comes first.
_STANDING = _bases("live stand lie sit come hang remain exist go follow rise run begin appear")
_UNIVERSAL = frozenset({"all", "every", "each", "any", "a", "an"})
#: Of them, those that need the same verb before them: from Rome to Ostia.
_TOWARDS = frozenset({"to", "into", "than", "with", "for"})
#: For these a verb whose two objects are not alike.
_EXCHANGING = {"with", "for"}, _bases("replace substitute exchange swap trade supply provide equip")
_LISTING = frozenset({"and", "or"})
#: Steps of an argument; how far from the pivot the source may say the same as the claim.
_MAX_ARGUMENT, _MAX_APART = 6, 9
_MAX_PLACES = 40
#: A sentence with less than this share of the claim's words speaks of something else.
_LEAST_SHARE = 0.6
#: For a veto nearly all of them must be there, and not many more.
_SURE_SHARE, _SURE_MORE = 0.9, 2


@dataclass(frozen=True, slots=True)
class _Run:
    """Equal steps of two lines: half-open ranges."""

    ours: int
    theirs: int
    length: int


def compare_roles(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each sentence of the claim whose arguments the source has exchanged."""
    return [veto for sure, veto in _find_swaps(Alignment(claim, premise), locale) if sure]


def doubt_roles(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the arguments seem to be exchanged, but stand in more of other words."""
    for sure, veto in _find_swaps(alignment, locale):
        if not sure and veto.source_span is not None:
            yield alignment.doubt("likely", "unconfirmed_roles", veto.claim_span, veto.source_span)


def _find_swaps(alignment: Alignment, locale: Locale) -> Iterator[tuple[bool, Veto]]:
    claim, premise = alignment.claim, alignment.premise
    is_quoting = any(mark in premise.text for mark in _QUOTES)
    for index in claim.opens:
        beside = [each for each in alignment.best(index) if each.share >= _LEAST_SHARE]
        theirs = [
            line
            for each in beside
            for line in read_lines(premise.text, each.first, each.last, locale)
        ]
        same_kind = any(_is_class(premise, each.first) for each in beside)
        is_class = same_kind and _is_class(claim, index)
        ours = read_lines(claim.text, *claim.sentence(index), locale)
        if any(_holds(line, ours[0]) for line in theirs):
            continue
        swap = _find_swap(ours, theirs, is_class=is_class, is_quoting=is_quoting)
        if swap is not None:
            (line, first, last), (other, low, high), adjacent = swap
            is_sure = any(
                each.share >= _SURE_SHARE
                and _count(premise, each.first, each.last)
                <= _SURE_MORE * _count(claim, *claim.sentence(index))
                for each in beside
            )
            yield (
                adjacent and is_sure,
                to_veto(
                    "roles",
                    claim,
                    _span_of(claim, line, first, last),
                    premise,
                    _span_of(premise, other, low, high),
                ),
            )


def _find_swap(
    ours: Sequence[Line], theirs: Sequence[Line], *, is_class: bool, is_quoting: bool
) -> tuple[tuple[Line, int, int], tuple[Line, int, int], bool] | None:
    """Both lines with their arguments and what is between, and whether those stand next to it."""
    for line in ours:
        for other in theirs:
            for run in _find_runs(line, other):
                swapped = _swapped_around(line, other, run, is_class=is_class)
                if swapped is None:
                    continue
                left, pivot, right, adjacent = swapped
                if is_quoting and pivot in _SPEAKING:
                    continue
                if not any(_says_so(each, left, pivot, right) for each in theirs):
                    ends = run.ours - 1, run.ours + run.length
                    other_ends = run.theirs - 1, run.theirs + run.length
                    return (line, *ends), (other, *other_ends), adjacent
    return None


def _count(words: Words, first: int, last: int) -> int:
    return sum(word.content for word in words.words[first:last])


def _holds(line: Line, part: Line) -> bool:
    """Whether a line has another word for word."""
    keys, wanted = [step.key for step in line], [step.key for step in part]
    first = wanted[0] if wanted else ""
    return any(
        key == first and keys[index : index + len(wanted)] == wanted
        for index, key in enumerate(keys)
    )


def _is_class(words: Words, index: int) -> bool:
    """Whether a sentence says of all of one kind, or of one of it, that it is of another."""
    return words.words[index].text in _UNIVERSAL


def _find_runs(ours: Line, theirs: Line) -> Iterator[_Run]:
    """The longest runs of equal steps that have a step before and after them on both sides."""
    places: dict[str, list[int]] = {}
    for index, step in enumerate(theirs):
        places.setdefault(step.key, []).append(index)
    for index in range(1, len(ours) - 1):
        key = ours[index].key
        if key == ",":
            continue
        for place in places.get(key, ())[:_MAX_PLACES]:
            if not place or ours[index - 1].key == theirs[place - 1].key:
                continue
            length = 1
            while (
                index + length < len(ours)
                and place + length < len(theirs)
                and ours[index + length].key == theirs[place + length].key != ","
            ):
                length += 1
            if index + length < len(ours) and place + length < len(theirs):
                yield _Run(index, place, length)


def _swapped_around(
    ours: Line, theirs: Line, run: _Run, *, is_class: bool
) -> tuple[str, str, str, bool] | None:
    """The claim's left word, the pivot and its right word, if the source has them reversed."""
    end, other_end = run.ours + run.length, run.theirs + run.length
    edges = (ours[run.ours - 1], ours[end], theirs[run.theirs - 1], theirs[other_end])
    pivot = _pivot_of(ours, run.ours, end)
    if pivot in _CLAUSAL:
        # "before he was charged": the verb counts, not what leads to it.
        edges = (edges[0], _verb_after(ours, end), edges[2], _verb_after(theirs, other_end))
    if not all(step.content for step in edges):
        return None
    if pivot is None and not (run.length == 1 and ours[run.ours].key == "be" and is_class):
        return None
    pivot = pivot or "be"
    wide = pivot in _PIVOTS
    left, right = _left(ours, run.ours, wide=wide), _right(ours, end, wide=wide)
    their_left = _left(theirs, run.theirs, wide=wide)
    their_right = _right(theirs, other_end, wide=wide)
    shared = left & their_left
    if pivot in _TOWARDS and not shared:
        return None
    if pivot in _EXCHANGING[0] and not shared & _EXCHANGING[1]:
        return None
    if pivot in _STANDING and _opens_with_place(theirs, run.theirs):
        return None
    first = sorted((left & their_right) - right - their_left)
    second = sorted((right & their_left) - left - their_right)
    near_first = [key for key in first if key in {edges[0].key, edges[3].key}]
    near_second = [key for key in second if key in {edges[1].key, edges[2].key}]
    if not near_first or not near_second:
        return None
    ours_adjacent = edges[0].key in first and edges[1].key in second
    adjacent = ours_adjacent or (edges[3].key in first and edges[2].key in second)
    return near_first[0], pivot, near_second[0], adjacent


def _verb_after(line: Line, start: int) -> Step:
    for step in line[start : start + 3]:
        if step.content:
            return step
    return line[start]


def _pivot_of(line: Line, start: int, end: int) -> str | None:
    """The step that makes the difference; None if the run says the same both ways."""
    steps = line[start:end]
    keys = [step.key for step in steps]
    if any(key in SYMMETRIC for key in keys if key not in _IDLE):
        return None
    ends = {keys[0], keys[-1]}
    if ends & _LISTING and not (len(keys) > 2 and ends & PREPOSITIONS):
        # "The North League and the South League" is the same list both ways.
        return None
    telling = [step.key for step in steps if step.content and step.key not in _IDLE]
    if not telling:
        return next((key for key in keys if key in _PIVOTS), None)
    # In "Alpha Ltd sued Beta Ltd" the run begins with Ltd, which both arguments have.
    counts = Counter(step.key for step in line)
    pivot = min(telling, key=lambda key: counts[key])
    return None if pivot in _SYMMETRIC_VERBS else pivot


def _left(line: Line, end: int, *, wide: bool) -> set[str]:
    found = set()
    for index in range(end - 1, max(-1, end - 1 - _MAX_ARGUMENT), -1):
        step = line[index]
        if step.key in BREAKS or (step.key in _LISTING if wide else step.key == "be"):
            break
        if step.content:
            found.add(step.key)
    return found


def _right(line: Line, start: int, *, wide: bool) -> set[str]:
    found = set()
    for step in line[start : start + _MAX_ARGUMENT]:
        if step.key in BREAKS or (step.key in _LISTING if wide else step.key == "be"):
            break
        if step.key in PREPOSITIONS and step.key != "of":
            break
        if step.content:
            found.add(step.key)
    return found


def _opens_with_place(line: Line, end: int) -> bool:
    start = end
    while start and line[start - 1].key not in BREAKS:
        start -= 1
    return line[start].key in PREPOSITIONS


def _says_so(line: Line, first: str, pivot: str, second: str) -> bool:
    """Whether a line of the source has the claim's own order somewhere."""
    for index, step in enumerate(line):
        if step.key != pivot or (index and line[index - 1].key == "'s"):
            continue
        before = line[max(0, index - _MAX_APART) : index]
        after = line[index + 1 : index + 1 + _MAX_APART]
        if any(s.key == first for s in before) and any(s.key == second for s in after):
            return True
    return False


def _span_of(words: Words, line: Line, first: int, last: int) -> Span:
    places = [step.place for step in line[first : last + 1]]
    return Span(words.words[min(places)].start, words.words[max(places)].end)
