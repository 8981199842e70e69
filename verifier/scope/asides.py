"""What a sentence says beside its main clause that turns it: ", a reading that the court rejected".

And what it sets before it, "At doses below 2 mg, …": only so far does the main clause hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.scope.references import find_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.operators import OperatorKind
    from spanproof.verifier.slots.words import Words

#: What an aside calls the statement before it.
_CALLED = frozenset(
    {"claim", "statement", "view", "reading", "interpretation", "assertion", "allegation", "idea"}
    | {"notion", "theory", "conclusion", "finding", "report", "story", "position", "argument"}
    | {"assumption", "opinion", "belief", "forecast", "estimate", "promise", "suggestion", "figure"}
)
_ARTICLES = frozenset({"a", "an", "the"})
_YIELDING = frozenset({"although", "though", "albeit"})
#: How far behind its beginning an aside turns, and a limit denies.
_LONG, _NEAR = 12, 2
_PREPOSITIONS = frozenset(
    {"in", "at", "under", "within", "among", "on", "below", "above", "inside", "outside", "beyond"}
    | {"save", "with", "for", "during"}
)
#: Words by which such a beginning limits nothing: it joins, or speaks of the text itself.
_JOINING = frozenset(
    {"fact", "addition", "short", "conclusion", "particular", "summary", "total", "contrast"}
    | {"turn", "end", "present", "example", "instance", "hand", "time", "this", "these", "that"}
    | {"our", "accordance", "line", "reason", "general", "view", "first", "second", "other", "all"}
    | {"agreement", "contract", "section", "clause", "article", "report", "background", "response"}
    | {"average", "reality", "recent", "today", "year", "month", "week", "quarter", "monday"}
    | {"tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "spring", "summer"}
    | {"autumn", "winter", "morning", "evening", "century", "period", "years", "months"}
)


def find_asides(words: Words, locale: Locale) -> Iterator[tuple[OperatorKind, int, int, int]]:
    """Kind, the word that turns, and the half-open range of words before the aside."""
    negations = lexicon_of(locale).negations
    for index in range(1, len(words.words)):
        first, last = words.sentence(index)
        if index == first or not _is_set_off(words, index):
            continue
        text = words.words[index].text
        after = words.words[index + 1].text if index + 1 < last else ""
        if text == "or" and after == "so":
            yield "attribution", index + 1, first, index
        elif text in _YIELDING:
            near = range(index + 1, min(index + 1 + _NEAR, last))
            found = next((at for at in near if words.words[at].text in {*negations, "only"}), None)
            if found is not None:
                yield "condition", found, first, index
        elif text in _ARTICLES and any(
            words.words[at].text in _CALLED for at in range(index + 1, min(index + 3, last))
        ):
            turn = find_turn(words.words[index : min(last, index + _LONG)], locale)
            if turn is not None:
                yield turn[0], index + turn[1], first, index


def find_limit(words: Words, index: int, locale: Locale) -> tuple[int, int] | None:
    """The words with which the sentence of an index begins, up to a comma before the index.

    None if they limit nothing: a date does not, nor does what only joins the sentence to others.
    """
    if not words.words or index >= len(words.words):
        return None
    first, _ = words.sentence(index)
    is_apart = first < index and words.is_cut_after(index - 1)
    if not is_apart or words.words[first].text not in _PREPOSITIONS:
        return None
    months = lexicon_of(locale).months
    own = words.words[first:index]
    if any(word.text in _JOINING for word in own):
        return None
    told = [word for word in own[1:] if word.content and word.text not in months]
    return (first, index) if any(not word.text[0].isdigit() for word in told) else None


def _is_set_off(words: Words, index: int) -> bool:
    """Whether a comma or a dash stands before a word."""
    before, word = words.words[index - 1], words.words[index]
    gap = words.text[before.end : word.start]
    return "," in gap or "—" in gap or "–" in gap or " - " in gap
