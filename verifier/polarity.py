"""Polarity: a claim and a sentence of its source that say the same, one of them reversed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.span import Span
from core.verdict import Veto
from verifier.lexicon import Locale, lexicon_of, stem

if TYPE_CHECKING:
    from verifier.lexicon import Lexicon

#: Share of the claim's content words that the source's sentence must hold to speak of the same.
_SAME_MATTER = 0.85
#: And the share of that sentence's content words that the claim must hold.
_NOTHING_ELSE = 0.5
_MIN_CONTENT = 2
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?")
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*(?:['’][A-Za-z]+)?|\d+")
#: Negations that leave what they stand before as it is.
_IDLE = re.compile(
    r"\b(?:not only|not just|not merely|no doubt|no longer|whether or not)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """Content words by their stems, and the negations, with offsets in the whole text."""

    span: Span
    stems: dict[str, Span]
    words: dict[str, Span]
    negations: tuple[Span, ...]


def content_stems(text: str, *, locale: Locale = "en") -> frozenset[str]:
    """The stems of a text's words, function words and negations apart."""
    return frozenset(_read(text, Span(0, len(text)), lexicon_of(locale)).stems)


def is_negated(text: str, *, locale: Locale = "en") -> bool:
    """Whether any negation of the text counts."""
    return bool(_read(text, Span(0, len(text)), lexicon_of(locale)).negations)


def compare_polarity(hypothesis: str, premise: str, *, locale: Locale = "en") -> tuple[Veto, ...]:
    """A veto where exactly one side is negated, or each holds one word of an antonym pair."""
    lexicon = lexicon_of(locale)
    sources = [_read(premise, Span(*m.span()), lexicon) for m in _SENTENCE.finditer(premise)]
    vetoes: list[Veto] = []
    for match in _SENTENCE.finditer(hypothesis):
        claim = _read(hypothesis, Span(*match.span()), lexicon)
        if len(claim.stems) >= _MIN_CONTENT and sources:
            best = max(sources, key=lambda source: len(claim.stems.keys() & source.stems.keys()))
            vetoes.extend(_compare(hypothesis, premise, claim, best, lexicon))
    return tuple(vetoes)


def _compare(
    hypothesis: str, premise: str, claim: _Sentence, source: _Sentence, lexicon: Lexicon
) -> tuple[Veto, ...]:
    pair = _antonyms(claim, source, lexicon)
    ours, theirs = set(claim.stems), set(source.stems)
    if pair is not None:
        ours -= {stem(pair[0])}
        theirs -= {stem(pair[1])}
    shared = len(ours & theirs)
    if not ours or shared / len(ours) < _SAME_MATTER or shared < _NOTHING_ELSE * len(theirs):
        return ()
    negated = len(claim.negations) % 2, len(source.negations) % 2
    if pair is not None:
        # "Not rejected" against "accepted" is one reversal and one negation: no conflict.
        if negated[0] != negated[1]:
            return ()
        spans = claim.words[pair[0]], source.words[pair[1]]
        return (_veto("antonym", hypothesis, premise, *spans),)
    if negated[0] == negated[1] or len(claim.negations) + len(source.negations) != 1:
        return ()
    spans = (claim.negations[0], source.span) if negated[0] else (claim.span, source.negations[0])
    return (_veto("negation", hypothesis, premise, *spans),)


def _antonyms(claim: _Sentence, source: _Sentence, lexicon: Lexicon) -> tuple[str, str] | None:
    """One word of the claim and one of the source that reverse each other, if one pair does."""
    ours, theirs = claim.words.keys(), source.words.keys()
    pairs = [
        (mine, other)
        for left, right in lexicon.antonyms
        for one, two in ((left, right), (right, left))
        for mine in ours & one
        for other in theirs & two
        if not (ours & two) and not (theirs & one)
    ]
    return pairs[0] if len(pairs) == 1 else None


def _veto(kind: str, hypothesis: str, premise: str, ours: Span, theirs: Span) -> Veto:
    return Veto(
        kind=kind,
        claim=hypothesis[ours.start : ours.end],
        claim_span=ours,
        source=premise[theirs.start : theirs.end],
        source_span=theirs,
    )


def _read(text: str, span: Span, lexicon: Lexicon) -> _Sentence:
    stems: dict[str, Span] = {}
    words: dict[str, Span] = {}
    negations: list[Span] = []
    idle = {m.start() for m in _IDLE.finditer(text, span.start, span.end)}
    for match in _WORD.finditer(text, span.start, span.end):
        word = match.group().lower().replace("’", "'")
        where = Span(*match.span())
        words.setdefault(word, where)
        if word in lexicon.negations or word.endswith("n't"):
            if match.start() not in idle:
                negations.append(where)
        elif word not in lexicon.function_words:
            stems.setdefault(stem(word.removesuffix("'s")), where)
    return _Sentence(span=span, stems=stems, words=words, negations=tuple(negations))
