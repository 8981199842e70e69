"""Does a sentence state something that should be checked? Open rules, English first.

The first rule that applies gives the reason. A sentence that no rule knows counts as a statement if
it is long enough. Greetings, questions, headings and announcements ask for no citation, unless they
state something all the same ("# The seller bribed a minister").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.verifier.claims.claims import to_hypothesis
from spanproof.verifier.claims.statements import has_clause, states_something

if TYPE_CHECKING:
    from spanproof.verifier.claims.sentences import SentenceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckWorthiness:
    """Whether it should be checked, and the rule that said so."""

    check_worthy: bool
    reason: str


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


_QUESTION = re.compile(r"[?？؟][\"'”’»」』)\]]*$")
#: "Did you know that …?" and "…, right?" state what they ask.
_NO_QUESTION = re.compile(
    r"^(?:did you know|(?:are|were) you aware|(?:was|is|were|are|did|has|have|had)n't)\b"
    r"|, (?:right|correct|no|yes|ok|eh|is(?:n't)? it|was(?:n't)? it|are(?:n't)? they"
    r"|did(?:n't)? \w+|do(?:n't|es|esn't)? \w+|has(?:n't)? \w+)\?$",
    re.IGNORECASE,
)
_BOLD_LINE = re.compile(r"^(?:\*\*|__).*(?:\*\*|__):?$")
_LABEL = re.compile(r"[:：]$")
#: How a line announces what follows it.
_ANNOUNCES = re.compile(
    r"\b(?:following|below|as follows|includ(?:e|es|ed|ing)|summary|overview|these|main|key"
    r"|here(?:'s| is| are)|in (?:short|brief|detail|summary)"
    r"|(?:two|three|four|five|six|seven|several|some|many|various|certain|\d) (?:\w+ )?\w+s)\b"
    r"|\b(?:must|may|can|could|shall|should|will|would|is|are|was|were|has|have|not|to|by|for|with"
    r"|of|when|if|unless|that|because|where|says?|states?|reads?|covers?|provides?|requires?|means?"
    r"|found|shows?|lists?|allows?|contains?|sets? out)[:：]$",
    re.IGNORECASE,
)
#: A line of the answer about the answer: "Here is a summary of the policy.", "See below."
_STRUCTURE = re.compile(
    r"^(?P<lead>(?:(?:based on|according to|from) [^,]{1,80}, )?"
    r"(?:here(?:'s| is| are) (?:(?:a|an|the|my|your|some|what) )?(?:\w+ ){0,3}"
    r"(?:summary|answers?|overview|breakdown|list|explanation|details?|points?|steps|information"
    r"|comparison|outline|recap|response|findings?|i found|you asked for)\b"
    r"|(?:see|read|refer to) (?:below|above|the (?:table|list|section|sources|notes)(?: below)?)"
    r"|(?:let's|let us|let me|we will|i will|i'll|we'll) (?:now |first |next )?(?:look|begin|start"
    r"|turn|explain|summari[sz]e|break|walk|go|move|see|take|answer)\b"
    r"|(?:the )?(?:\w+ ){0,2}(?:details?|points?|answers?|findings?|steps|terms|rules|results?) "
    r"(?:is|are) (?:as follows|below|(?:listed|set out|summari[sz]ed|shown|given) below)"
    r"|(?:in (?:summary|conclusion|short|brief)|to summari[sz]e|to conclude|overall|next|finally)"
    r"\b))[^.!?;]{0,60}[.:!,]?$",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^(?:hi|hello|hey|dear \w+|good (?:morning|afternoon|evening)|thanks|thank you|you'?re welcome"
    r"|welcome|sure|certainly|of course|great question|good question|goodbye|bye|best regards"
    r"|kind regards)\b",
    re.IGNORECASE,
)
_OFFER = _words(
    r"let me know",
    r"feel free",
    r"(?:happy|glad) to (?:help|assist|explain)",
    r"(?:i |we )?hope (?:this|that|it) (?:\w+ )?helps",
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
#: Where one statement ends and another begins inside a sentence.
_JOINT = re.compile(
    r"[;:–—]|,\s|\s-\s|\b(?:but|however|although|though|while|yet|so|because|and)\b", re.IGNORECASE
)
_STOP = re.compile(r"\W$")
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
    ``structure``, ``fragment``. Yes: ``number``, ``date``, ``duty``, ``comparison``, ``name``,
    ``statement``.
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
    if _is_short(words) and not has_clause(words if _STOP.search(words) else f"{words}."):
        return CheckWorthiness(check_worthy=False, reason="fragment")
    return CheckWorthiness(check_worthy=True, reason="statement")


def _why_not(text: str, words: str, kind: SentenceKind) -> str | None:
    plain = words.replace("’", "'")
    if kind in {"heading", "header"} or _BOLD_LINE.match(text):
        return None if states_something(words.rstrip(":： ")) else "heading"
    if _QUESTION.search(words):
        return None if _NO_QUESTION.search(plain) else "question"
    for reason, pattern in (("abstention", _ABSTENTION), ("offer", _OFFER)):
        if pattern.search(plain) and not _says_more(plain, pattern):
            return reason
    greeting = _GREETING.match(plain)
    if greeting:
        rest = plain[greeting.end() :].lstrip(" ,;:!-–—")
        if len(rest.split()) <= _SHORT and not has_clause(rest):
            return "greeting"
    if _NUMBER.search(plain):
        return None
    if _LABEL.search(words):
        return None if states_something(words[:-1]) and not _ANNOUNCES.search(plain) else "label"
    structure = _STRUCTURE.match(plain)
    if structure and not has_clause(plain[structure.end("lead") :]):
        return "structure"
    return None


def _says_more(plain: str, pattern: re.Pattern[str]) -> bool:
    """Whether an offer or an abstention stands beside a statement: "I do not know, but he fled"."""
    pieces = [piece for piece in _JOINT.split(plain) if not pattern.search(piece)]
    return any(states_something(piece) for piece in pieces)


def _is_short(words: str) -> bool:
    dense = len(_DENSE.findall(words))
    return dense < _DENSE_SHORT if dense else len(words.split()) < _SHORT
