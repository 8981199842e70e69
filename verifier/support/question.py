"""A claim that is not a whole sentence ("Yes.", "In 2019.") is read with the question.

The question may only lower a verdict. It completes claims that say nothing by themselves. What it
takes for granted must stand in the source like any other part of a claim.
"""

from __future__ import annotations

import re

from spanproof.verifier.claims.statements import has_clause
from spanproof.verifier.claims.verb_forms import ALL_BASES
from spanproof.verifier.slots.coverage import measure_coverage
from spanproof.verifier.slots.negations import find_negations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
#: Words that say nothing without a question.
_EMPTY = _words(
    "yes no yeah yep nope correct true false indeed right wrong exactly absolutely certainly sure"
    " it its they he she this that these those both neither either none all one i you we there so"
    " is are was were has have had do does did can cannot could may might must shall should will"
    " would not never isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't"
    " couldn't mustn't shouldn't won't wouldn't be been of course the a an"
)
_GAPLESS = re.compile(r"[\u0E00-\u0E7F\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF]")
_YES = re.compile(
    r"(?:yes|yeah|yep|correct|true|indeed|right|exactly|absolutely|certainly)\s*(?:[,.;:!—–-]|$)",
    re.IGNORECASE,
)
_NO = re.compile(r"(?:no|nope|false|wrong)\s*(?:[,.;:!—–-]|$)", re.IGNORECASE)
#: A fragment has so many words at most, and no finite verb.
_MAX_FRAGMENT_WORDS = 6
#: A fragment of at most so many words states nothing without a question.
_MAX_BARE_WORDS = 1
#: Words that only ask: they do not tell what the question is about.
_ASKING = _words(
    "who whom whose what which when where why how long many much often far old big do does did is"
    " are was were will would can could should may might must has have had take takes get gets give"
    " happen happens kind type sort tell say says know mean name please according number amount"
    " date year day time period deadline place answer question there exactly need needs"
)


def is_empty(hypothesis: str) -> bool:
    """Whether a claim has no word of its own: "Yes.", "No, it may not.", "They do."."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(hypothesis)]
    return all(word in _EMPTY for word in words)


def is_fragment(hypothesis: str) -> bool:
    """Whether a claim is only part of a sentence: few words, no finite verb behind a subject."""
    words = _WORD.findall(hypothesis)
    # Scripts without gaps between words do not tell how many there are.
    if len(words) > _MAX_FRAGMENT_WORDS or _GAPLESS.search(hypothesis):
        return False
    polar = _YES.match(hypothesis) or _NO.match(hypothesis)
    rest = hypothesis[polar.end() :] if polar else hypothesis
    verbs = {word.lower() for word in _WORD.findall(rest)[1:]} & ALL_BASES
    return not verbs and not has_clause(rest)


def states_nothing_alone(hypothesis: str) -> bool:
    """Whether no span can entail a claim without a question to complete it."""
    return is_empty(hypothesis) or len(_WORD.findall(hypothesis)) <= _MAX_BARE_WORDS


def is_answered(question: str, hypothesis: str, premise: str) -> bool:
    """Whether a premise has what the question speaks of, and agrees with a "yes" or a "no"."""
    for span in measure_coverage(question, premise).leftover:
        word = question[span.start : span.end].lower()
        if word not in _ASKING and not re.search(rf"\b{re.escape(word)}", premise.lower()):
            return False
    is_negated = len(find_negations(premise)) % 2 != len(find_negations(question)) % 2
    if _YES.match(hypothesis):
        return not is_negated
    return is_negated if _NO.match(hypothesis) else True
