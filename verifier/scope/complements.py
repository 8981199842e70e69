"""Clauses that a sentence holds without stating them: "few believed that …", "a draft by which …".

The verbs and nouns that take such a clause are too many to list. So the few words that vouch for
the clause are listed, and every other word leaves it open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.turns import turns_of
from spanproof.verifier.language.word_forms import roots_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.words import Words

_OPENERS = frozenset({"that", "whether", "whereby"})
_RELATIVE = frozenset({"under", "by", "in", "according"})
_UNREAL = frozenset({"though", "if"})
#: Verbs and nouns that vouch for what follows, by one form of each.
_VOUCHING_WORDS = (
    "find show demonstrate confirm conclude note report state establish provide say announce "
    "rule hold agree know reveal prove observe indicate discover determine mean ensure realise "
    "realize recognise recognize acknowledge admit emphasise emphasize stress explain add "
    "highlight require stipulate specify fact clear true evident record certify decide verify "
    "attest result remember recall learn see notice guarantee warrant declare mention publish "
    "describe document evidence proof finding remind inform notify tell decree order mandate "
    "affirm reaffirm reiterate clarify understand undertake represent obvious certain noting "
    "showing known noteworthy important remarkable notable truth reason consequence"
)
_VOUCHING = frozenset(root for word in _VOUCHING_WORDS.split() for root in (word, *roots_of(word)))
#: Words that vouch just before it, or open no such clause with it; and a degree before it.
_BESIDE = frozenset({"now", "in", "given", "except", "provided", "so", "such", "told", "out"})
_DEGREES = frozenset({"so", "such"})
#: Behind these a verb tells what was not done: "apologised for saying that", "hoped to show that".
_UNDONE = frozenset({"to", "for", "of", "from", "about", "against", "over"})
#: Words that take back what another one vouches for: "it would be wrong to conclude that".
_HEDGES = frozenset({"would", "could", "might", "may", "should", "if", "whether", "hardly", "few"})
#: What is absent where the clause is sure.
_DOUBTS = frozenset({"doubt", "question", "denying", "disputing", "dispute"})
_HEAD, _OWN = 3, 2


def find_complements(
    words: Words, locale: Locale
) -> Iterator[tuple[tuple[int, ...], tuple[int, int]]]:
    """The words that leave a clause open, and the half-open range of the clause."""
    denied = lexicon_of(locale).negations | turns_of(locale).keys() | _HEDGES
    for index in range(1, len(words.words)):
        if not _opens(words, index):
            continue
        first, last = words.sentence(index)
        before = _find_head(words, first, index)
        texts = {words.words[at].text for at in before}
        if "no" in texts and texts & _DOUBTS:
            continue
        heads = [at for at in before if words.words[at].content]
        if not heads:
            continue
        near = before[-_HEAD:]
        is_vouched = (
            words.words[index - 1].text in _BESIDE
            or any(words.words[at].text in _DEGREES for at in near)
            or any(_vouches(words, at, first) for at in near)
        )
        is_denied = not denied.isdisjoint(texts)
        if not is_vouched or is_denied:
            yield (*heads[-_OWN:], index), (index + 1, last)


def _opens(words: Words, index: int) -> bool:
    """Whether such a clause may begin behind the word at an index of the text."""
    text, before = words.words[index].text, words.words[index - 1].text
    if words.words[index].sentence != words.words[index - 1].sentence:
        return False
    if words.is_cut_after(index - 1):
        return False
    return (
        text in _OPENERS
        or (text == "which" and before in _RELATIVE)
        or (text in _UNREAL and before == "as")
    )


def _vouches(words: Words, at: int, first: int) -> bool:
    text = words.words[at].text
    if _VOUCHING.isdisjoint({text, *roots_of(text)}):
        return False
    return at == first or words.words[at - 1].text not in _UNDONE


def _find_head(words: Words, first: int, index: int) -> list[int]:
    """The words of the clause before an opener."""
    at = index
    while at > first and not words.is_cut_after(at - 1):
        at -= 1
    return list(range(at, index))
