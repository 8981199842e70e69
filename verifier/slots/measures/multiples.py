"""Multiples, fractions and times of day of a claim against those of its source."""

from __future__ import annotations

import re
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.slots.words import Likeness, to_veto

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.words import VetoKind, Words


def _words(rows: dict[Fraction, str]) -> dict[str, Fraction]:
    return {word: value for value, row in rows.items() for word in row.split()}


_TIMES = MappingProxyType(
    _words(
        {
            Fraction(1, 2): "halve halves halved halving",
            Fraction(2): "double doubles doubled doubling twofold twice",
            Fraction(3): "triple triples tripled tripling treble trebles trebled threefold thrice",
            Fraction(4): "quadruple quadruples quadrupled quadrupling fourfold",
            Fraction(5): "quintuple quintupled fivefold",
            Fraction(10): "tenfold",
        }
    )
)
_COUNTS = MappingProxyType(
    {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "nine": 9}
)
_PARTS = MappingProxyType(
    {
        "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "sixth": 6,
        "sixths": 6, "seventh": 7, "eighth": 8, "eighths": 8, "ninth": 9, "tenth": 10, "tenths": 10,
    }
)  # fmt: skip
_FRACTION = re.compile(
    r"\b(a|an|one|two|three|four|five|seven|nine)[\s-](thirds?|quarters?|fifths?|sixths?|sevenths?"
    r"|eighths?|ninths?|tenths?)\b(?=\s+(?:of|the|as|more|less|from|in|to)\b|\s*[.,;)]|\s*$)"
    r"|\bhalf(?=\s+(?:of|the|its|their|all)\b)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.](\d{2}))?\s?(a\.?m\b\.?|p\.?m\b\.?)|\b([01]?\d|2[0-3]):([0-5]\d)(?!\s?[ap]\.?m)"
    r"|\b(noon|midday|midnight)\b",
    re.IGNORECASE,
)
_NAMED = MappingProxyType({"noon": 720, "midday": 720, "midnight": 0})
_HALF_DAY, _HOUR = 720, 60
#: How like the places must be (place, total).
_ALIKE = (0.5, 1.1)
_TIME_ALIKE = (0.3, 0.6)
_MAX_PLACES = 40


def compare_multiples(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each multiple or fraction in whose place the source has only another."""
    del locale
    return [
        *_compare(list(_find_times(claim)), _find_times(premise), "number", claim, premise),
        *_compare(
            list(_find_fractions(claim.text)),
            _find_fractions(premise.text),
            "number",
            claim,
            premise,
        ),
    ]


def compare_times(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each time of day that the source, which has another, does not have."""
    del locale
    ours = list(_find_clock_times(claim.text))
    theirs = list(_find_clock_times(premise.text)) if ours else []
    vetoes = []
    for minutes, sure, span in ours:
        if any(_same_time(minutes, other, sure=sure and also) for other, also, _ in theirs):
            continue
        rivals = [found for _, _, found in theirs[:_MAX_PLACES]]
        best = _likest(claim, span, premise, rivals, _TIME_ALIKE)
        if best is not None:
            vetoes.append(to_veto("number", claim, span, premise, best))
    return vetoes


def _compare(
    ours: list[tuple[Fraction, Span]],
    found: Iterator[tuple[Fraction, Span]],
    kind: VetoKind,
    claim: Words,
    premise: Words,
) -> list[Veto]:
    # The source is only searched for a claim that has any.
    theirs = list(found) if ours else []
    known = {value for value, _ in theirs}
    vetoes = []
    for value, span in ours:
        if value in known:
            continue
        rivals = [place for _, place in theirs[:_MAX_PLACES]]
        best = _likest(claim, span, premise, rivals, _ALIKE)
        if best is not None:
            vetoes.append(to_veto(kind, claim, span, premise, best))
    return vetoes


def _likest(
    claim: Words, span: Span, premise: Words, rivals: list[Span], needed: tuple[float, float]
) -> Span | None:
    best: tuple[float, Span] | None = None
    for rival in rivals:
        alike = Likeness.of(claim, span, premise, rival)
        enough = alike.place >= needed[0] and alike.total >= needed[1]
        if enough and (best is None or alike.total > best[0]):
            best = alike.total, rival
    return best and best[1]


def _find_times(words: Words) -> Iterator[tuple[Fraction, Span]]:
    for word in words.words:
        if word.text in _TIMES:
            yield _TIMES[word.text], word.span


def _find_fractions(text: str) -> Iterator[tuple[Fraction, Span]]:
    for match in _FRACTION.finditer(text):
        value = Fraction(1, 2)
        if match[1]:
            value = Fraction(_COUNTS[match[1].lower()], _PARTS[match[2].lower()])
        yield value, Span(*match.span())


def _find_clock_times(text: str) -> Iterator[tuple[int, bool, Span]]:
    """Minutes since midnight; whether morning or evening is told; where it stands."""
    for match in _CLOCK.finditer(text):
        span = Span(*match.span())
        if match[6]:
            yield _NAMED[match[6].lower()], True, span
        elif match[4]:
            hour = int(match[4])
            yield hour * _HOUR + int(match[5]), hour > 12 or len(match[4]) > 1, span
        else:
            afternoon = match[3].lower().startswith("p")
            hour = int(match[1]) % 12 + 12 * afternoon
            yield hour * _HOUR + int(match[2] or 0), True, span


def _same_time(one: int, other: int, *, sure: bool) -> bool:
    return one == other if sure else one % _HALF_DAY == other % _HALF_DAY
