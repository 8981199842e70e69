"""Claims that take who from one clause and what from another, or the holder of another's office."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.claims.verb_forms import AUXILIARIES, PASTS, THIRD_PERSONS
from spanproof.verifier.language.irregular_verbs import BASES
from spanproof.verifier.slots.roles.lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.slots.alignment import Aligned, Alignment, Doubt
    from spanproof.verifier.slots.roles.lines import Line, Step
    from spanproof.verifier.slots.words import Words

_JOINTS = frozenset(
    {",", "and", "but", "while", "whereas", "who", "which", "whose", "after", "before", "when"}
)
_DETERMINERS = frozenset({"the", "a", "an", "its", "his", "her", "their", "and", "but", "while"})
_PRONOUNS = frozenset({"it", "he", "she", "they", "him", "them", "we", "i", "you"})
_FINITE = AUXILIARIES
_OBJECTS = frozenset({"the", "a", "an", "its", "his", "her", "their", "in", "for", "to", "at"})
_MIN_PAST = 5
#: Content words of a claim that may be taken from two clauses; steps of a subject or a holder.
_MIN_WORDS, _MAX_WORDS, _MAX_BLOCK = 2, 9, 3


def doubt_mixed(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where one clause has all that the claim says, but of another than the claim says it.

    "Anna lives in Rome" of a source in which Bert does, and Anna lives in Paris.
    """
    claim, premise = alignment.claim, alignment.premise
    for index in claim.opens:
        begin, end = claim.sentence(index)
        line = read_lines(claim.text, begin, end, locale)[0]
        verb = _find_verb(claim, line)
        told = {step.key for step in line if step.content}
        if verb is None or not _MIN_WORDS <= len(told) <= _MAX_WORDS:
            continue
        subject = {step.key for step in line[:verb] if step.content}
        rest = told - subject
        if not subject or not rest:
            continue
        rival = next(
            (
                found
                for sentences in _near(alignment.sentences(index))
                if (
                    found := _find_rival(
                        premise,
                        [c for each in sentences for c in _cut_clauses(premise, each, locale)],
                        subject,
                        rest,
                    )
                )
            ),
            None,
        )
        if rival is not None:
            span = Span(claim.words[begin].start, claim.words[end - 1].end)
            yield alignment.doubt("likely", "unconfirmed_roles", span, _span_of(premise, rival))


def _near(sentences: Sequence[Aligned]) -> Iterator[Sequence[Aligned]]:
    """The sentence that shares most with the claim, and it with the one before it."""
    best = max(range(len(sentences)), key=lambda index: sentences[index].share, default=None)
    if best is not None and sentences[best].share:
        yield sentences[best : best + 1]
        yield sentences[max(0, best - 1) : best + 1]


def _find_verb(words: Words, line: Line) -> int | None:
    """The first step that can only be a finite verb; None if it has no subject before it."""
    for index, step in enumerate(line):
        text = words.words[step.place].text
        sure = step.key == "be" or text in _FINITE or text in PASTS or text in THIRD_PERSONS
        if sure or (step.content and _may_be_finite(words, step.place, text)):
            return index if any(before.content for before in line[:index]) else None
    return None


def _may_be_finite(words: Words, place: int, text: str) -> bool:
    """Whether a form like "owns" or "sued" stands where a verb does: before what it is done to."""
    word = words.words[place]
    following = words.words[place + 1].text if place + 1 < len(words.words) else ""
    if word.capital or following not in _OBJECTS:
        return False
    past = text in BASES or (text.endswith("ed") and len(text) >= _MIN_PAST)
    return past or (text.endswith("s") and not text.endswith(("ss", "'s")))


def _cut_clauses(premise: Words, each: Aligned, locale: Locale) -> list[Line]:
    """The parts of a sentence that have a subject and a verb of their own."""
    line = read_lines(premise.text, each.first, each.last, locale)[0]
    clauses: list[Line] = []
    start = 0
    for index in range(len(line) + 1):
        if index < len(line) and line[index].key not in _JOINTS:
            continue
        part = line[start:index]
        start = index + 1
        if not part:
            continue
        whole = _find_verb(premise, part) is not None and part[0].content
        if clauses and not (whole and _find_verb(premise, clauses[-1]) is not None):
            clauses[-1] = (*clauses[-1], *part)
        else:
            clauses.append(part)
    return clauses


def _find_rival(
    premise: Words, clauses: Sequence[Line], subject: set[str], rest: set[str]
) -> Line | None:
    """The clause that says all the rest of a stranger, if the subject is one of another clause."""
    keys = [{step.key for step in clause if step.content} for clause in clauses]
    if any(subject <= held and rest <= held for held in keys):
        return None
    subjects = [_read_subject(premise, clause) for clause in clauses]
    for clause, held, own in zip(clauses, keys, subjects, strict=True):
        missing = subject - held
        if not missing or not own or not rest <= held or _PRONOUNS & {s.key for s in clause}:
            continue
        last = own[-1]
        is_stranger = last.key not in subject | rest and _is_noun(premise, last.place)
        if is_stranger and any(missing <= {s.key for s in other} for other in subjects):
            return clause
    return None


def _read_subject(premise: Words, clause: Line) -> Line:
    verb = _find_verb(premise, clause)
    return tuple(step for step in clause[: verb or 0] if step.content)


def _is_noun(words: Words, place: int) -> bool:
    word = words.words[place]
    before = words.words[place - 1] if place else None
    return word.capital or before is None or before.content or before.text in _DETERMINERS


def doubt_holders(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Likely where the source names another holder: "Lyon is the capital" of one that has Paris."""
    claim, premise = alignment.claim, alignment.premise
    for index in claim.opens:
        line = read_lines(claim.text, *claim.sentence(index), locale)[0]
        be = next((place for place, step in enumerate(line) if step.key == "be"), 0)
        holder = {step.key for step in line[:be] if step.content}
        end = be + 1
        while end < len(line) and line[end].content:
            end += 1
        if not holder or end == be + 1 or not claim.words[line[be - 1].place].capital:
            continue
        office = line[end - 1]
        if claim.words[line[be].place + 1].text != "the" or claim.words[office.place].capital:
            continue
        found = list(_find_holders(premise, office.key, alignment.sentences(index), locale))
        others = [step for step in found if step.key not in claim.places]
        is_other = others and not any(step.key in holder for step in found)
        if is_other and any(key in premise.places for key in holder):
            span = Span(claim.words[line[0].place].start, claim.words[office.place].end)
            theirs = premise.words[others[0].place].span
            yield alignment.doubt("likely", "unconfirmed_roles", span, theirs)


def _find_holders(
    premise: Words, office: str, sentences: Sequence[Aligned], locale: Locale
) -> Iterator[Step]:
    for each in sentences:
        if not each.share:
            continue
        line = read_lines(premise.text, each.first, each.last, locale)[0]
        for index, step in enumerate(line):
            if step.key == office:
                yield from _names_beside(premise, line, index)


def _names_beside(premise: Words, line: Line, index: int) -> Iterator[Step]:
    """The names that hold an office: "Paris is the capital", "the capital of it is Paris"."""
    start = index
    while start and line[start - 1].content:
        start -= 1
    if start and line[start - 1].key in {"be", ","}:
        yield from _block(premise, line, range(start - 2, max(-1, start - 2 - _MAX_BLOCK), -1))
    end = index + 1
    if end < len(line) and line[end].key == "of":
        end += 1
        while end < len(line) and line[end].content:
            end += 1
    if end < len(line) and line[end].key in {"be", ","}:
        end += 1
    yield from _block(premise, line, range(end, min(len(line), end + _MAX_BLOCK)))


def _block(premise: Words, line: Line, places: range) -> Iterator[Step]:
    for place in places:
        if not line[place].content or not premise.words[line[place].place].capital:
            return
        yield line[place]


def _span_of(words: Words, line: Line) -> Span:
    return Span(words.words[line[0].place].start, words.words[line[-1].place].end)
