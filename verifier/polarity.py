"""Polarity: a claim and a sentence of its source that say the same, one of them reversed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.span import Span
from core.verdict import Veto
from verifier.lexicon import Locale, lexicon_of, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

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
_CONTRACTED = MappingProxyType(
    {"cannot": "can", "can't": "can", "won't": "will", "shan't": "shall", "without": ""}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """Content words by their stems, and the negations, with offsets in the whole text.

    ``frame`` holds the function words: who does it, and under which modal. Do-support is apart
    from its past tense, which a verb in -ed has too (``did not smoke``, ``smoked``).
    """

    span: Span
    frame: frozenset[str]
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
        elif claim.stems:
            vetoes.extend(_compare_short(hypothesis, premise, claim, sources, lexicon))
    return tuple(vetoes)


def _compare_short(
    hypothesis: str, premise: str, claim: _Sentence, sources: list[_Sentence], lexicon: Lexicon
) -> tuple[Veto, ...]:
    """``He smokes``: one word is too little to share, so all the other words must be the same."""
    for source in sources:
        if source.stems.keys() == claim.stems.keys() and source.frame == claim.frame:
            return _compare_negations(hypothesis, premise, claim, source)
    for source in sources:
        # Of "permitted" and "forbidden" only one ends as a past tense does.
        if len(source.stems) == 1 and source.frame - {"did"} == claim.frame - {"did"}:
            return _compare_antonyms(hypothesis, premise, claim, source, lexicon)
    return ()


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
    if pair is not None:
        return _compare_antonyms(hypothesis, premise, claim, source, lexicon)
    return _compare_negations(hypothesis, premise, claim, source)


def _compare_antonyms(
    hypothesis: str, premise: str, claim: _Sentence, source: _Sentence, lexicon: Lexicon
) -> tuple[Veto, ...]:
    pair = _antonyms(claim, source, lexicon)
    # "Not rejected" against "accepted" is one reversal and one negation: no conflict.
    if pair is None or len(claim.negations) % 2 != len(source.negations) % 2:
        return ()
    spans = claim.words[pair[0]], source.words[pair[1]]
    return (_veto("antonym", hypothesis, premise, *spans),)


def _compare_negations(
    hypothesis: str, premise: str, claim: _Sentence, source: _Sentence
) -> tuple[Veto, ...]:
    # "May not enter without" against "may enter without": what both sides negate alike is no news.
    ours = _unmatched(hypothesis, claim.negations, premise, source.negations)
    theirs = _unmatched(premise, source.negations, hypothesis, claim.negations)
    if len(ours) + len(theirs) != 1:
        return ()
    spans = (ours[0], source.span) if ours else (claim.span, theirs[0])
    return (_veto("negation", hypothesis, premise, *spans),)


def _unmatched(
    text: str, negations: Sequence[Span], other: str, others: Sequence[Span]
) -> list[Span]:
    """The negations that the other side does not have as often."""
    left = Counter(other[span.start : span.end].lower() for span in others)
    found = []
    for span in negations:
        word = text[span.start : span.end].lower()
        if left[word]:
            left[word] -= 1
        else:
            found.append(span)
    return found


def _antonyms(claim: _Sentence, source: _Sentence, lexicon: Lexicon) -> tuple[str, str] | None:
    """One word of the claim and one of the source that reverse each other, if one pair does."""
    ours, theirs = claim.words.keys(), source.words.keys()
    pairs = {
        (mine, other)
        for left, right in lexicon.antonyms
        for one, two in ((left, right), (right, left))
        for mine in ours & one
        for other in theirs & two
        if not (ours & two) and not (theirs & one)
    }
    return pairs.pop() if len(pairs) == 1 else None


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
    frame: set[str] = set()
    negations: list[Span] = []
    idle = {m.start() for m in _IDLE.finditer(text, span.start, span.end)}
    for match in _WORD.finditer(text, span.start, span.end):
        word = match.group().lower().replace("’", "'")
        where = Span(*match.span())
        words.setdefault(word, where)
        if word in lexicon.negations or word.endswith("n't"):
            if match.start() not in idle:
                negations.append(where)
            frame |= {_affirmed(word)} & lexicon.function_words
        elif word in lexicon.function_words:
            frame.add(word)
        else:
            if word.endswith("ed"):
                frame.add("did")
            stems.setdefault(stem(word.removesuffix("'s")), where)
    return _Sentence(
        span=span,
        frame=frozenset(frame - {"do", "does", "not", "no", "never"}),
        stems=stems,
        words=words,
        negations=tuple(negations),
    )


def _affirmed(negation: str) -> str:
    """The auxiliary that a negation holds (``can`` in ``cannot``), else what is no word."""
    return _CONTRACTED.get(negation, negation.removesuffix("n't"))
