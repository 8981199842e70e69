"""How a sentence of an answer may open without saying anything: "However,", "The text says that".

What follows is judged as if the opening were not there, so that it must be said by the source
itself. A reference to the source counts only if the source does not speak of such a thing: in a
letter on a report, "according to the report" tells who says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.language.word_forms import roots_of
from spanproof.verifier.slots.content import read_content

if TYPE_CHECKING:
    from collections.abc import Container

    from spanproof.verifier.slots.content import Content

#: Nothing that sets a time, a cause, an order or a doubt ("then", "therefore", "finally").
_LINKING = (
    r"additionally|in addition|furthermore|moreover|besides|also|likewise|however|nevertheless|"
    r"nonetheless|that said|specifically|more specifically|in particular|particularly|notably|"
    r"importantly|most importantly|indeed|in fact|overall|in short|in brief|in summary|"
    r"to summari[sz]e|in conclusion|to conclude|in other words|for example|for instance|yes"
)
_SELF = (
    r"(?:the|this|these|your)(?: (?:provided|given|cited|retrieved|supplied|source|above))? "
    r"(?P<noun{0}>documents?|texts?|passages?|context|sources?|excerpts?|extract|article|page|"
    r"snippets?|material|information)(?: (?:provided|given|above|supplied))?"
)
_SAYS = (
    r"(?:states?|says?|notes?|mentions?|explains?|confirms?|specif(?:ies|y)|adds?|points? out|"
    r"tells? us)"
)
_OPENING = re.compile(
    rf"(?:(?:{_LINKING}),\s+)?"
    rf"(?:(?:according to|as (?:stated|noted|described|mentioned|explained|set out) (?:in|by)|"
    rf"based on) {_SELF.format(1)},\s+|"
    rf"{_SELF.format(2)} {_SAYS} that\s+)?",
    re.IGNORECASE,
)


def skip_opening(claim: Content, source: Content, sentence: range) -> int:
    """The first word of a claim's sentence that says something, or only may."""
    start = _find_opening(
        claim.words.text, claim.words.words[sentence.start].start, source.places.keys()
    )
    return next(
        (place for place in sentence if claim.words.words[place].start >= start), sentence.start
    )


def blank_openings(hypothesis: str, premise: str) -> str:
    """The hypothesis with blanks where its sentences only open: such words tell no attribution."""
    claim, source = read_content(hypothesis), read_content(premise)
    text = hypothesis
    for first, _ in claim.bounds:
        start = claim.words.words[first].start
        end = _find_opening(hypothesis, start, source.places.keys())
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _find_opening(text: str, start: int, known: Container[str]) -> int:
    """Where a sentence of a text, which begins at ``start``, begins to say something.

    ``known`` holds the roots of the source's words.
    """
    found = _OPENING.match(text, start)
    if found is None:
        return start
    noun = found["noun1"] or found["noun2"]
    if noun is not None and any(root in known for root in roots_of(noun.lower())):
        return start
    return found.end()
