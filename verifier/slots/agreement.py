"""Whether a premise says a claim almost word for word, or a claim restates a whole sentence of it.

Order alone is not enough: a claim may take words out of three clauses in their order and say what
none of them says. So the words of each sentence of the claim must stand side by side in one
sentence of the premise, with nothing that says something between them but an insertion in brackets
or commas, or be one clause out of a longer sentence (``clauses``). One exchange of two parts keeps
the meaning ("After the alarm, the reactor was shut down"); more than one may exchange who does what
to whom.

A claim in other words or another order is only as good as what it leaves out: where it restates a
whole sentence of the premise, nothing is left over on either side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spanproof.verifier.slots.clauses import follow, is_listed, is_passive_of
from spanproof.verifier.slots.content import read_content
from spanproof.verifier.slots.coverage import find_terms, measure_coverage

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
        "between",
        "comprise",
        "comprises",
        "consist",
        "consisted",
        "consists",
        "exist",
        "exists",
        "found",
        "lies",
        "located",
        "people",
        "situated",
    }
)


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
    """Whether each sentence of the hypothesis has the words of a whole sentence of the premise."""
    claim, source = read_content(hypothesis, locale), read_content(premise, locale)
    sentences = [terms for terms in find_terms(claim, source) if terms]
    return bool(sentences) and all(_is_restated(terms, source) for terms in sentences)


def _is_restated(terms: Sequence[Term], source: Content) -> bool:
    said = {place for term in terms for place in term.places}
    for first, last in source.list_sentences():
        whole = all(
            source.empty[place] or place in said or source.words.words[place].text in _LIGHT
            for place in range(first, last)
        )
        if whole and all(term.within(first, last) for term in terms):
            return True
    return False


def _stands(terms: Sequence[Term], claim: Content, source: Content) -> bool:
    if not all(term.places for term in terms):
        return False
    if len(terms) > MAX_TERMS or sum(len(term.places) for term in terms) > MAX_PLACES:
        return False
    if _stands_in_order(terms, source):
        return True
    turned = any(
        _stands_in_order([*terms[cut:], *terms[:cut]], source, whole=True)
        for cut in range(1, len(terms))
        if terms[cut].places[0] < terms[cut - 1].places[-1]
    )
    return turned or is_listed(terms, source) or is_passive_of(terms, claim, source)


def _stands_in_order(terms: Sequence[Term], source: Content, *, whole: bool = False) -> bool:
    """Whether the terms stand side by side; with ``whole``, and are all that their sentence says.

    An exchange of parts is only safe where no other word could be what is spoken of.
    """
    for start in terms[0].places:
        path = follow(terms, source, start)
        if path is not None and (not whole or _is_whole(terms, path, source)):
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
