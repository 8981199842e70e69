"""Does a sentence state something that should be checked? Open rules, English first; a hint.

The first rule that applies gives the reason. A sentence that no rule knows counts as a statement if
it is long enough.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.verifier.claims.claims import to_hypothesis

if TYPE_CHECKING:
    from spanproof.verifier.claims.sentences import SentenceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckWorthiness:
    """The hint and the rule that gave it."""

    check_worthy: bool
    reason: str


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


_QUESTION = re.compile(r"[?？؟][\"'”’»」』)\]]*$")
_BOLD_LINE = re.compile(r"^(?:\*\*|__).*(?:\*\*|__):?$")
_LABEL = re.compile(r"[:：]$")
_GREETING = re.compile(
    r"^(?:hi|hello|hey|dear \w+|good (?:morning|afternoon|evening)|thanks|thank you|you'?re welcome"
    r"|welcome|sure|certainly|of course|great question|good question|goodbye|bye|best regards"
    r"|kind regards)\b",
    re.IGNORECASE,
)
_OFFER = _words(
    r"let me know",
    r"feel free",
    r"happy to (?:help|assist|explain)",
    r"(?:i |we )?hope (?:this|that|it) helps",
    r"would you like",
    r"(?:could|can|would) you (?:please )?(?:clarify|tell|specify|provide|share)",
    r"please (?:clarify|specify|provide|share|tell|let me|rephrase)",
    r"here(?:'s| is| are) (?:a|an|the|some|what)\b[^.]*[:：]",
)
_ABSTENTION = _words(
    r"(?:i|we)(?: am| are|'m|'re) (?:sorry|not able|unable|afraid)",
    r"(?:i|we) (?:cannot|can(?:no|')t|could not|couldn'?t|do not|don'?t|was not able|were not able)"
    r"(?: \w+)? (?:find|found|answer|help|assist|know|have|tell|determine|provide|see|say|confirm"
    r"|comply|share|discuss|do)",
    r"(?:documents?|sources?|context|texts?|passages?) (?:provided |given |supplied )?"
    r"(?:do(?:es)? not|don'?t|doesn'?t) (?:say|state|mention|contain|specify|cover|include)",
    r"no (?:information|evidence|mention|answer) (?:\w+ )?(?:is|was|in|about|on|of|could)",
)
_SHORT = 3
#: Characters at either end of a sentence that the rules read.
_READ = 2000
_NUMBER = re.compile(r"\d")
_NUMBER_WORD = _words(
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty",
    "sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|twice|double|percent",
    "dozen|third|quarter",
)
_DATE = _words(
    "january|february|march|april|june|july|august|september|october|november|december",
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday|today|tomorrow",
)
_DUTY = _words(
    "must|shall|should|may not|cannot|can't|required|requires?|obliged|entitled|liable|prohibited",
    "forbidden|allowed|permitted|need(?:s|ed)? to|ha(?:s|ve) to",
)
_COMPARISON = _words(
    r"\w{3,}er than",
    "more|less|fewer|most|least|higher|lower|larger|smaller|greater|better|worse|best|worst",
    "largest|smallest|highest|lowest|first|only|always|never|all|none|every|no",
)
#: A capital inside the sentence: a name, an abbreviation.
_NAME = re.compile(r"(?<=[^\s.!?:“\"(])\s+[“\"(]?(?!I\b|I')[A-ZÀ-ÖØ-Þ][\w&.-]*\w|\b[A-Z]{2,}\b")
#: Scripts in which a few characters are a whole statement.
_DENSE = re.compile(r"[\u0E00-\u0E7F\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF]")
_DENSE_SHORT = 4


def judge_check_worthiness(text: str, kind: SentenceKind = "sentence") -> CheckWorthiness:
    """Whether a sentence of the answer states something to cite; ``text`` has no anchors.

    Not: ``heading``, ``label``, ``question``, ``greeting``, ``offer``, ``abstention``,
    ``fragment``. Yes: ``number``, ``date``, ``duty``, ``comparison``, ``name``, ``statement``.
    """
    if len(text) > 2 * _READ:
        text = f"{text[:_READ]} {text[-_READ:]}"
    words = to_hypothesis(text)
    reason = _why_not(text.strip(), words, kind)
    if reason is not None:
        return CheckWorthiness(check_worthy=False, reason=reason)
    for name, pattern in (
        ("date", _DATE),
        ("number", _NUMBER),
        ("number", _NUMBER_WORD),
        ("duty", _DUTY),
        ("comparison", _COMPARISON),
        ("name", _NAME),
    ):
        if pattern.search(words):
            return CheckWorthiness(check_worthy=True, reason=name)
    if _is_short(words):
        return CheckWorthiness(check_worthy=False, reason="fragment")
    return CheckWorthiness(check_worthy=True, reason="statement")


def _why_not(text: str, words: str, kind: SentenceKind) -> str | None:
    if kind in {"heading", "header"} or _BOLD_LINE.match(text):
        return "heading"
    if _QUESTION.search(words):
        return "question"
    if _ABSTENTION.search(words.replace("’", "'")):
        return "abstention"
    if _OFFER.search(words.replace("’", "'")):
        return "offer"
    greeting = _GREETING.match(words.replace("’", "'"))
    if greeting and len(words[greeting.end() :].split()) <= _SHORT:
        return "greeting"
    return "label" if _LABEL.search(words) and not _NUMBER.search(words) else None


def _is_short(words: str) -> bool:
    dense = len(_DENSE.findall(words))
    return dense < _DENSE_SHORT if dense else len(words.split()) < _SHORT
