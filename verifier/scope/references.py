"""Sentences that speak of the one before or after them: "This clause is void.", "None."."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.turns import turns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.operators import OperatorKind
    from spanproof.verifier.slots.words import Word, Words

#: Words that begin a sentence without being its subject.
_LEADS = frozenset(
    {"but", "however", "yet", "and", "in", "fact", "note", "answer", "all", "a", "of"}
)
_POINTING = frozenset({"this", "that", "these", "those", "such", "above", "foregoing", "preceding"})
#: What is said: "we reject this claim".
_WORDS = frozenset(
    {"claim", "claims", "statement", "view", "allegation", "assertion", "report", "story", "idea"}
)
_PRONOUNS = frozenset({"it", "they"})
_COPULAS = frozenset(
    {"is", "are", "was", "were", "be", "been", "has", "have", "had", "lists", "list", "contains"}
)
_BELOW = frozenset({"following", "next", "below"})
#: What may stand beside a word that turns or denies where it does so to a whole sentence.
_BESIDE = frozenset(
    {"mark", "marked", "longer", "true", "correct", "right", "case", "valid", "happen", "happened"}
    | {"so", "proven", "proved", "confirmed", "established", "substantiated", "answer", "any"}
)
#: "Myth or fact?": the reader is to tell.
_QUIZ = frozenset({"fact", "facts", "fiction", "true", "false", "myth", "myths", "reality", "or"})
_QUIZ_WORDS = 3
#: "Which of the following is true?", and so many sentences behind it: the reader is to choose.
_CHOICE, _OPTIONS = ("which", "of"), 6
_LIMITS = frozenset({"except", "unless", "provided"})
#: Where the words that turn must stand: near the beginning, behind a pronoun nearer.
_REACH, _NEAR, _SHORT, _LEAD_WORDS = 12, 4, 4, 3


def find_references(words: Words, locale: Locale) -> Iterator[tuple[OperatorKind, int, int, int]]:
    """Kind, the word that turns, and the half-open range of words that it speaks of."""
    bounds = list(pairwise((*words.opens, len(words.words))))
    for index, (first, last) in enumerate(bounds):
        own = words.words[first : min(last, first + _REACH)]
        if index:
            behind = _speaks_of_before(own, last - first, locale)
            if behind is not None:
                kind, at = behind
                yield kind, first + at, *bounds[index - 1]
        if index + 1 < len(bounds):
            ahead = _speaks_of_after(own, locale)
            if ahead is not None:
                kind, at = ahead
                options = _OPTIONS if _asks_to_choose(own) else 1
                for option in bounds[index + 1 : index + 1 + options]:
                    yield kind, first + at, *option


def find_turn(words: Sequence[Word], locale: Locale) -> tuple[OperatorKind, int] | None:
    """The first word that turns: by the table, or because it denies."""
    turns, negations = turns_of(locale), lexicon_of(locale).negations
    for index, word in enumerate(words):
        if word.text in turns:
            return turns[word.text], index
        if word.text in negations or word.text.endswith("n't"):
            return "negation", index
    return None


def _speaks_of_before(
    words: Sequence[Word], length: int, locale: Locale
) -> tuple[OperatorKind, int] | None:
    found = find_turn(words, locale)
    if words[0].text in _LIMITS:
        return "exception", 0
    if found is None:
        return None
    kind, at = found
    if length <= _SHORT:
        # "None.", "Mark as false."; a short sentence with a subject of its own is another matter.
        others = {word.text for word in (*words[:at], *words[at + 1 :]) if word.content}
        if others <= _BESIDE:
            return found
    start = next((i for i, word in enumerate(words) if word.text not in _LEADS), 0)
    subject = {word.text for word in words[: start + _LEAD_WORDS]}
    texts = [word.text for word in words]
    if "evidence" in texts and "no" in texts:
        return "negation", texts.index("no")
    is_said = bool(_COPULAS & set(texts[:at]))
    told = [i for i, text in enumerate(texts[:-1]) if text in _POINTING and texts[i + 1] in _WORDS]
    if told and words[at].text in turns_of(locale):
        return found
    if subject & _POINTING and words[start].text in {*_POINTING, "the"}:
        if "apply" in texts or "applies" in texts:
            return "exception", at
        return found if is_said and (kind != "negation" or _is_void(words, at, locale)) else None
    if words[start].text in _PRONOUNS:
        is_near = is_said and at <= start + _NEAR
        return found if is_near and words[at].text in turns_of(locale) else None
    return None


def _is_void(words: Sequence[Word], at: int, locale: Locale) -> bool:
    """Whether it is denied as a whole: void, no longer, not true; not "not yet in Poland"."""
    if words[at].text in turns_of(locale):
        return True
    return any(word.text in _BESIDE for word in words[at + 1 : at + 3])


def _asks_to_choose(words: Sequence[Word]) -> bool:
    texts = tuple(word.text for word in words)
    return any(texts[at : at + 2] == _CHOICE for at in range(_LEAD_WORDS)) and any(
        text in _BELOW or text in _POINTING for text in texts
    )


def _speaks_of_after(words: Sequence[Word], locale: Locale) -> tuple[OperatorKind, int] | None:
    if _asks_to_choose(words):
        return "question", 0
    if any(word.text in _BELOW for word in words):
        return find_turn(words, locale)
    texts = {word.text for word in words}
    # "Fact or fiction?", "True or false:": what follows is asked.
    is_quiz = len(words) == len(texts) <= _QUIZ_WORDS and texts <= _QUIZ and len(texts & _QUIZ) > 1
    return ("question", 0) if is_quiz and "or" in texts else None
