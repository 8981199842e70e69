"""The subject and the finite verb of an English clause, and the words a second predicate shares.

Only the closed list of ``verb_forms`` counts; None if the answer is uncertain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spanproof.verifier.claims.verb_forms import (
    AUXILIARIES,
    BASES,
    BE,
    HAVE,
    INTRANSITIVES,
    MODALS,
    PARTICIPLES,
    PASTS,
    THIRD_PERSONS,
    UNSURE_THIRD_PERSONS,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words after which a clause stands inside another one, or a choice begins: what follows an "and"
#: may belong to either.
_SUBORDINATING = _words(
    "that which who whom whose if unless whether when whenever where wherever because although"
    " though until how why what than or either neither nor both between while whereas as lest"
    " provided except"
)
#: In a second part these may bind the first one too.
_BINDING = _words("unless if except until provided or nor either neither whether lest")
_REPORTING = re.compile(
    r"sa(?:y|ys|id|ying)|(?:announc|argu|believ|conclud|declar|not|promis|reveal|stat|suppos)"
    r"(?:e|es|ed|ing)|reveal(?:s|ing)?|(?:alleg|assert|claim|confirm|demonstrat|doubt|ensur|expect"
    r"|explain|fear|hop|indicat|predict|recommend|report|requir|show|suggest|warn|agre|learn"
    r"|discover|assum|estimat|determin)(?:e|es|ed|s|ing|n)?|(?:den|impl)(?:y|ies|ied|ying)"
    r"|know[ns]?|knew|thinks?|thought|f(?:i|ou)nds?|see[ns]?|saw|means?|meant|tells?|told|felt",
    re.IGNORECASE,
)
_PREPOSITIONS = _words(
    "in on at by during under for from since after before within over across throughout with"
    " without until of to into per through against about according as via upon"
)
_DETERMINERS = _words(
    "a an the this that these those its his her their our your my each every all any some both no"
    " most many several other such more less"
)
_QUANTIFYING = _words("no none nobody nothing neither few hardly never not there")
_PRONOUNS = frozenset({"it", "they", "he", "she"})
_ADVERBS = _words("also then therefore thus thereby later subsequently additionally")
_NEGATIONS = frozenset({"not", "never", "no", "cannot"})
#: Tokens of a subject, of a leading adverbial; letters of a noun whose last s makes it a plural.
_MAX_SUBJECT, _MAX_LEAD, _MIN_PLURAL = 12, 8, 3
_TOKEN = re.compile(r"[^\W_]+(?:[-'’./][^\W_]+)*|,")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """``lead`` (an adverbial and its comma), ``subject``, and the finite verb with its chain.

    ``chain`` holds the auxiliary and what follows it (be, been), empty for a full verb.
    """

    lead: str
    subject: str
    finite: str
    chain: str
    is_negated: bool


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        # The month is not an auxiliary.
        return self.text if self.text == "May" else self.text.lower()


def find_clause(text: str, *, is_apart: bool = False) -> Clause | None:
    """The clause of a first part; ``is_apart``: a stop ends it, so nothing in it reaches beyond."""
    tokens = _tokenize(text)
    words = {token.word for token in tokens}
    if not is_apart and (words & _SUBORDINATING or any(map(_REPORTING.fullmatch, words))):
        return None
    first = _end_of_lead(tokens)
    found = _find_finite(tokens, first)
    if found is None:
        return None
    finite = tokens[found]
    rest = [token.word for token in tokens[found + 1 :]]
    if finite.word not in AUXILIARIES and AUXILIARIES & set(rest):
        return None  # "the goods delivered were damaged": the first verb is not the main one
    commas = [i for i, token in enumerate(tokens) if i > found and token.text == ","]
    if any(_find_finite(tokens, comma + 1) is not None for comma in commas):
        return None  # "one left, the other stayed and …": whose second predicate is it?
    chain, negated = finite.text, finite.word in _NEGATIONS
    for token in tokens[found + 1 :]:
        if token.word in _NEGATIONS:
            negated = True
        elif token.word not in {"be", "been", "have"} and not token.word.endswith("ly"):
            break
        elif token.word in {"be", "been", "have"}:
            chain += f" {token.text}"
    return Clause(
        lead=text[: tokens[first - 1].end] + " " if first else "",
        subject=text[tokens[first - 1].end if first else 0 : finite.start].strip(),
        finite=finite.word,
        chain=chain if finite.word in AUXILIARIES else "",
        is_negated=negated,
    )


def carry_over(clause: Clause, right: str, *, joins_clauses: bool) -> tuple[int, str] | None:
    """``(skip, carried)``: a second part reads ``carried + right[skip:]``; or None."""
    tokens = _tokenize(right)
    if _BINDING & {token.word for token in tokens}:
        return None
    while tokens and tokens[0].word in _ADVERBS:
        tokens = tokens[1:]
    if len(tokens) < 2:
        return None
    head, skip = tokens[0].word, tokens[0].start
    with_subject = skip, f"{clause.lead}{clause.subject} "
    if clause.subject.split()[0].lower() in _QUANTIFYING:
        return _own_clause(clause, tokens, joins_clauses=joins_clauses)
    if head in AUXILIARIES:
        return with_subject
    shares = _shares_auxiliary(clause, tokens)
    if shares:
        return skip, f"{clause.lead}{clause.subject} {clause.chain} "
    if head in THIRD_PERSONS and clause.finite in THIRD_PERSONS | PASTS | {"is", "was", "has"}:
        return with_subject
    is_active = clause.finite in PASTS or (
        clause.finite in {"was", "were"} and (head in INTRANSITIVES or _has_object(tokens))
    )
    if head in PASTS and is_active:
        return with_subject
    return _own_clause(clause, tokens, joins_clauses=joins_clauses)


def _shares_auxiliary(clause: Clause, tokens: list[_Token]) -> bool:
    """Whether the second predicate begins after the auxiliary of the first."""
    if not clause.chain or clause.is_negated:
        return False
    head, last = tokens[0].word, clause.chain.split()[-1].lower()
    if last in MODALS:
        return head in BASES
    if last in BE | {"be", "been"}:
        # "was founded and acquired Acme": with an object it is not a participle.
        return head in PARTICIPLES - INTRANSITIVES and not _has_object(tokens)
    return last in HAVE and head in PARTICIPLES


def _has_object(tokens: list[_Token]) -> bool:
    following = tokens[1].word
    return following not in _PREPOSITIONS and following != "," and not following.endswith("ly")


def _own_clause(
    clause: Clause, tokens: list[_Token], *, joins_clauses: bool
) -> tuple[int, str] | None:
    """A second part with a subject of its own."""
    first = _end_of_lead(tokens)
    found = _find_finite(tokens, first)
    if found is None:
        return None
    before = {token.word for token in tokens[:found]}
    if before & _SUBORDINATING or tokens[0].word in _NEGATIONS:
        return None
    skip = tokens[0].start
    if tokens[0].word in _PRONOUNS and found == 1:
        return tokens[1].start, f"{clause.lead}{clause.subject} "
    # "rent and fees paid by tenants": a possible participle alone does not make a clause.
    if tokens[found].word in PARTICIPLES and not joins_clauses:
        return None
    has_lead = bool(first) or tokens[0].word in _PREPOSITIONS
    return skip, "" if has_lead else clause.lead


def _find_finite(tokens: list[_Token], first: int) -> int | None:
    for index in range(first + 1, len(tokens)):
        before = tokens[index - 1].word
        if before == "," or index - first > _MAX_SUBJECT:
            return None
        following = tokens[index + 1].word if index + 1 < len(tokens) else ""
        if _is_finite(tokens[index].word, before, following):
            return index
    return None


def _is_finite(word: str, before: str, following: str) -> bool:
    if word in AUXILIARIES:
        return True
    if before in _DETERMINERS | _PREPOSITIONS or before.endswith("ly"):
        return False  # "the approved plan", "a newly built school"
    if word in UNSURE_THIRD_PERSONS:
        return following in _DETERMINERS
    if word in BASES:
        return before.endswith("s") and len(before) > _MIN_PLURAL
    return word in THIRD_PERSONS or word in PASTS


def _end_of_lead(tokens: list[_Token]) -> int:
    """How many tokens an adverbial and its comma take at the start: "In 2021, …"."""
    if not tokens or tokens[0].word not in _PREPOSITIONS:
        return 0
    for index, token in enumerate(tokens[: _MAX_LEAD + 1]):
        if token.text == ",":
            return index + 1
        if token.word in AUXILIARIES:
            return 0
    return 0


def _tokenize(text: str) -> list[_Token]:
    return [_Token(match.group(), *match.span()) for match in _TOKEN.finditer(text)]
