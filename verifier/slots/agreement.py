"""Whether a premise says a claim almost word for word, or a claim restates a whole sentence of it.

Order alone is not enough: a claim may take words out of three clauses in their order and say what
none of them says. So the words of each sentence of the claim must stand side by side in one
sentence of the premise, with nothing that says something between them but an insertion in brackets
or commas, or be one clause out of a longer sentence (``clauses``); and nothing right beside them
there may make them part of something else (``taken.edges``). One exchange of two parts keeps
the meaning ("After the alarm, the reactor was shut down"); more than one may exchange who does what
to whom.

A claim in other words or another order is only as good as what it leaves out: where it restates a
whole sentence of the premise, nothing is left over on either side, and no two parts have changed
places (``taken.exchanges``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spanproof.verifier.claims.verb_forms import PASTS
from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.slots.clauses import follow, is_listed, is_passive_of
from spanproof.verifier.slots.content import read_content
from spanproof.verifier.slots.coverage import find_terms, measure_coverage
from spanproof.verifier.slots.taken.changes import (
    adds_future,
    changes_owner,
    changes_tense,
    drops_condition,
    exchanges_likes,
    hangs_elsewhere,
    loses_part,
    moves_limit,
    swaps_numbers,
    tells_twice,
)
from spanproof.verifier.slots.taken.edges import is_taken_whole
from spanproof.verifier.slots.taken.exchanges import counts_alike, keeps_order
from spanproof.verifier.slots.taken.function_words import keeps_small_words
from spanproof.verifier.slots.taken.markers import keeps_dates, keeps_markers
from spanproof.verifier.slots.taken.shortened import keeps_modals, may_shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.span import Span
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.content import Content
    from spanproof.verifier.slots.coverage import Term

#: Fewer content words may stand side by side by chance.
MIN_WORDS = 3
#: Places of a claim's words in a premise that are tried, and words of a sentence: a claim whose
#: words stand everywhere would cost more than its agreement is worth.
MAX_PLACES, MAX_TERMS = 600, 80
#: Words that a sentence may have more than its restatement: they say nothing by themselves.
_LIGHT = frozenset(
    {
        "among",
        "any",
        "calendar",
        "between",
        "comprise",
        "comprised",
        "comprises",
        "consist",
        "consisted",
        "consists",
        "exist",
        "exists",
        "found",
        "giving",
        "lasting",
        "lasts",
        "lies",
        "located",
        "people",
        "ranges",
        "remain",
        "remained",
        "remains",
        "situated",
        "stands",
    }
)


_ARTICLES = frozenset({"a", "an", "the"})
_PAST = PASTS | {"was", "were", "had", "did"}

Agreement = Literal["verbatim", "restated"]


def find_agreement(hypothesis: str, premise: str, *, locale: Locale = "en") -> Agreement | None:
    """How the premise's own words say the hypothesis; None if they do not."""
    if measure_coverage(hypothesis, premise, locale=locale).leftover:
        return None
    if says_verbatim(hypothesis, premise, locale=locale):
        return "verbatim"
    return "restated" if restates(hypothesis, premise, locale=locale) else None


def says_verbatim(hypothesis: str, premise: str, *, locale: Locale = "en") -> bool:
    """Whether each sentence of the hypothesis stands side by side in a sentence of the premise."""
    claim, source = read_content(hypothesis, locale), read_content(premise, locale)
    sentences = [terms for terms in find_terms(claim, source) if terms]
    if sum(map(len, sentences)) < MIN_WORDS:
        return False
    return all(_stands(terms, claim, source) for terms in sentences)


def find_joined(hypothesis: str, premise: str, *, locale: Locale = "en") -> tuple[Span, ...]:
    """The phrases of the hypothesis that the premise accounts for as one ("stepped down")."""
    claim, source = read_content(hypothesis, locale), read_content(premise, locale)
    return tuple(
        term.span
        for terms in find_terms(claim, source)
        for term in terms
        if " " in hypothesis[term.span.start : term.span.end]
    )


def find_said(hypothesis: str, premise: str, *, locale: Locale = "en") -> tuple[Span, ...]:
    """The words and phrases of the hypothesis that anything in the premise accounts for."""
    claim, source = read_content(hypothesis, locale), read_content(premise, locale)
    return tuple(t.span for terms in find_terms(claim, source) for t in terms if t.places)


def restates(hypothesis: str, premise: str, *, locale: Locale = "en") -> bool:
    """Whether each sentence of the hypothesis has the words of a whole sentence of the premise.

    Of several sentences some may stand in it word for word instead.
    """
    claim, source = read_content(hypothesis, locale), read_content(premise, locale)
    sentences = [terms for terms in find_terms(claim, source) if terms]
    return bool(sentences) and all(
        _is_restated(terms, claim, source)
        or (len(sentences) > 1 and len(terms) >= MIN_WORDS and _stands(terms, claim, source))
        for terms in sentences
    )


def _is_restated(terms: Sequence[Term], claim: Content, source: Content) -> bool:
    if swaps_numbers(terms, claim, source) or tells_twice(terms, claim):
        return False
    said = {place for term in terms for place in term.places}
    for first, last in source.bounds:
        whole = all(
            source.empty[place] or place in said or source.words.words[place].text in _LIGHT
            for place in range(first, last)
        )
        if (
            whole
            and all(term.within(first, last) for term in terms)
            and not changes_owner(terms, claim, source)
            and not hangs_elsewhere(terms, claim, source, first, last)
            and not changes_tense(
                terms, [term.within(first, last)[0] for term in terms], claim, source
            )
            and not adds_future(terms, claim, source, first, last)
            and not moves_limit(terms, claim, source, first, last)
            and not loses_part(terms, claim, source, first, last)
            and not drops_condition(terms, claim, source, first, last)
            and counts_alike(terms, claim, source, first, last)
            and keeps_order(terms, claim, source, first, last)
            and _keeps_markers_within(terms, claim, source, first, last)
            and keeps_dates(terms, range(first, last), claim, source)
            and keeps_small_words(terms, claim, source, range(first, last))
            and keeps_modals(claim, claim.words.within(terms[0].span)[0], source, (first, last - 1))
        ):
            return True
    return False


def _keeps_markers_within(
    terms: Sequence[Term], claim: Content, source: Content, first: int, last: int
) -> bool:
    """The same of the terms that stand in one place of a sentence."""
    placed = [(term, places[0]) for term in terms if len(places := term.within(first, last)) == 1]
    return keeps_markers(
        [term for term, _ in placed], [place for _, place in placed], claim, source
    )


def _stands(terms: Sequence[Term], claim: Content, source: Content) -> bool:
    if not all(term.places for term in terms):
        return False
    if len(terms) > MAX_TERMS or sum(len(term.places) for term in terms) > MAX_PLACES:
        return False
    if _stands_in_order(terms, claim, source):
        return True
    turned = any(
        _stands_in_order([*terms[cut:], *terms[:cut]], claim, source, whole=True)
        for cut in range(1, len(terms))
        if terms[cut].places[0] < terms[cut - 1].places[-1]
    )
    return turned or is_listed(terms, claim, source) or is_passive_of(terms, claim, source)


def _stands_in_order(
    terms: Sequence[Term], claim: Content, source: Content, *, whole: bool = False
) -> bool:
    """Whether the terms stand side by side; with ``whole``, and are all that their sentence says.

    An exchange of parts is only safe where no other word could be what is spoken of.
    """
    opening, _ = claim.words.within(terms[0].span)
    shortened = None if whole else may_shorten(claim, opening)
    for start in terms[0].places:
        path = follow(terms, source, start, shortened=shortened)
        if path is None or not (
            keeps_markers(terms, path, claim, source)
            and keeps_dates(terms, path, claim, source)
            and keeps_small_words(terms, claim, source, range(path[0], path[-1] + 1))
            and keeps_modals(claim, opening, source, path)
        ):
            continue
        if loses_part(terms, claim, source, path[0], path[-1] + 1):
            continue
        if changes_tense(terms, path, claim, source) or exchanges_likes(terms, path, claim, source):
            continue
        if whole and _is_whole(terms, path, source):
            return True
        if not whole and is_taken_whole(terms, claim, source, path[0], path[-1]):
            return True
    return False


def _is_whole(terms: Sequence[Term], path: Sequence[int], source: Content) -> bool:
    number = source.sentences[path[0]]
    held = {place for term in terms for place in term.places}
    return all(
        source.empty[place] or place in held
        for place in range(len(source.words.words))
        if source.sentences[place] == number
    )


def says_exactly(hypothesis: str, premise: str, *, locale: Locale = "en") -> bool:
    """Whether one sentence of the premise has the hypothesis's words, all of them in its order.

    But for articles, inflection, and how a number or date is written.
    """
    ours = [word for sentence in _read_exact(hypothesis, locale) for word in sentence]
    return len(ours) >= MIN_WORDS and any(
        len(theirs) == len(ours)
        and all(one & other for one, other in zip(ours, theirs, strict=True))
        for theirs in _read_exact(premise, locale)
    )


@keep_last
def _read_exact(text: str, locale: Locale) -> tuple[tuple[frozenset[str], ...], ...]:
    """By sentence: the forms of each word but articles, in one tense, no synonyms."""
    content = read_content(text, locale)
    words = content.words.words
    return tuple(
        tuple(
            frozenset(
                f"{key}{_tell_tense(words[place].text)}"
                for key in (*content.same[place], words[place].text)
                if key[0] not in "=>"
            )
            for place in range(first, last)
            if words[place].text not in _ARTICLES
        )
        for first, last in content.bounds
    )


def _tell_tense(word: str) -> str:
    """What keeps "is" and "was" apart, "enters" and "entered"."""
    return " past" if word in _PAST or word.endswith("ed") else ""
