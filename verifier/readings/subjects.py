"""A sentence that begins with a person's pronoun, told of that person; titles of names."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from spanproof.verifier.readings.sentences import is_governed
from spanproof.verifier.slots.taken.small_words import NOT_THE_THING, OTHERWISE, TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*\.?"
_TITLE = (
    r"(?:(?:Professor|Prof\.|Dr\.?|Judge|President|Chancellor|Minister|Mr\.?|Mrs\.?|Ms\.?|Sir|Dame|"
    r"Justice|Captain|General|Senator|Governor|Mayor|King|Queen|Prince|Princess|Bishop) )"
)
_NAME = re.compile(
    rf"(?P<title>{_TITLE})?(?P<name>{_CAPITAL}(?: (?:(?:de|von|van|du|da|of) )?{_CAPITAL})+)"
)
_ANY_NAME = re.compile(rf"\b{_CAPITAL}")
_PERSON = re.compile(r"(?:He|She)\b")
_FIRM = re.compile(
    r"The (?:company|firm|group|business|corporation|manufacturer|bank|insurer|retailer)\b"
)
_FORMS = re.compile(
    r"\b(?:plc|Ltd|Limited|Inc|Corp|Corporation|Company|AG|SE|GmbH|LLC|LLP|NV|Group|Holdings)\b\.?$"
)
#: "Its French striker Jean Petit": the words before a title that may belong to it, and the name.
_TITLED = re.compile(
    rf"(?P<lead>[\w-]+ )??(?P<kind>(?:[A-Z][\w-]+ ){{0,3}})(?P<title>[a-z]+) "
    rf"(?P<name>{_CAPITAL}(?: {_CAPITAL})+)"
)
#: Nobody else is named before "who".
_WHO = re.compile(
    rf"(?P<name>{_CAPITAL}(?: {_CAPITAL})+) (?:is|was) an? "
    r"(?:(?!of |to |with |for |not )[a-zA-Z-]+ ){1,6}who (?P<rest>[a-z][^;:?]*)"
)
#: What somebody joins, leads or leaves is no person.
_JOINED = (
    r"joined|founded|co-founded|left|leads|led|heads|headed|runs|ran|chairs|chaired|works for|"
    r"worked for"
)
_HONORIFIC = re.compile(r"(?:He|She) (?=[a-z])")


def write_subjects(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences behind one that begins with a full name, its subject, told of that name."""
    for before, sentence in pairwise(sentences):
        name = _NAME.match(before)
        if name is None or is_governed(sentence):
            continue
        subject = name["name"]
        rest = before[name.end() :]
        is_firm = _FORMS.search(subject) is not None or bool(
            re.match(r" (?:plc|ltd|inc|corp)\b", rest, re.IGNORECASE)
        )
        if is_firm:
            if _FIRM.match(sentence):
                yield _FIRM.sub(subject, sentence, count=1)
            continue
        if _HONORIFIC.match(sentence) and not _names_another(rest):
            yield _HONORIFIC.sub(f"{subject} ", sentence, count=1)
        last = subject.split()[-1]
        if re.match(rf"{re.escape(last)}\b(?! [A-Z])", sentence):
            yield subject + sentence[len(last) :]


def write_titles(sentence: str) -> Iterator[str]:
    """Who they are whom a sentence calls by title and name: the Czech actor Karel Novak."""
    for found in _TITLED.finditer(sentence):
        kind = found["kind"]
        before = {word.lower() for word in f"{found['lead'] or ''}{kind}".split()}
        if found["title"] in TITLES and before.isdisjoint(OTHERWISE | NOT_THE_THING):
            words = f"{kind}{found['title']}".removeprefix("The ")
            article = "an" if words[0] in "aeiouAEIOU" else "a"
            for be in ("is", "was"):
                yield f"{found['name']} {be} {article} {words}."


def write_relative(sentence: str) -> Iterator[str]:
    """What "who" says of the one named: "Lena Roth is a potter who works in Graz"."""
    found = _WHO.fullmatch(sentence)
    if found is not None:
        yield f"{found['name']} {found['rest']}"


def _names_another(rest: str) -> bool:
    """Whether the sentence names anybody else; a name after "in" or "at" counts as a place."""
    plain = re.sub(
        rf"\b(?:in|at|from|on|near|of|since|until|by|{_JOINED}) (?:the )?"
        r"(?:[A-Z][\w’'-]*(?: |$)?)+",
        " ",
        rest,
    )
    return _ANY_NAME.search(plain) is not None
