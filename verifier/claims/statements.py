"""Does a heading, a label or a line of code state something? English first, by open rules.

A statement has a subject and a finite verb, or gives an amount; "Payment terms" has neither.
Lines that these rules miss count as structure, so only lines that mostly are get asked about.
"""

from __future__ import annotations

import re

from spanproof.verifier.claims.verb_forms import (
    AUXILIARIES,
    BASES,
    INTRANSITIVES,
    PASTS,
    THIRD_PERSONS,
    UNSURE_THIRD_PERSONS,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
#: Finite verbs of other languages that no English heading has.
_FOREIGN = _words(
    "ist sind waren hat haben hatte hatten wird werden wurde wurden muss müssen darf dürfen"
    " kann können soll sollen est sont était étaient ont avait doit doivent peut peuvent fue"
    " fueron tiene tienen debe deben puede pueden è sono zijn heeft moet mag kan"
)
_CONTRACTED = re.compile(
    r"(?:is|are|was|were|has|have|had|do|does|did|can|could|wo|would|should|must)n['’]t|"
    r"(?:i|you|he|she|it|we|they|that|there)['’](?:s|re|m|ve|ll|d)"
)
_IRREGULAR = _words(
    "ate beat bit bled bought broke came cheated did drank drove fled flew forgave forgot fought"
    " froze gave grew hid hit hurt killed knew led lied made met paid ran said sang sank saw shot"
    " slept sold spoke stole struck swore taught threw told took went woke won wrote kept lost held"
    " began became rose fell lent spent left felt found"
)
_OTHER_THIRD_PERSONS = _words(
    "bribes breaches cheats contains cures eats harms hates infringes kills lies occurs owes"
    " poisons prevents sells steals violates"
)
#: Before a verb form, these make it something else: "the approved plan", "how it is paid".
_BEFORE_NOUN = _words(
    "a an the this that these those its his her their our your my each every any some no of in on"
    " at by for to from with and or as than not newly very most more less all"
)
_ASKING = _words("how what when where which who whom whose why whether if")
#: Participles that stand before the noun they describe.
_ADJECTIVES = _words(
    "added adjusted advanced associated authorised authorized automated based certified cited"
    " combined detailed distributed driven embedded estimated expected fixed funded integrated"
    " licensed limited linked listed managed mixed needed owned proposed protected recommended"
    " registered related required restricted revised selected shared unified united updated used"
    " weighted"
)
_OBJECT = re.compile(
    r"(?:an?|the|this|that|these|those|its|his|her|their|our|your|my|no|any|some|all|both|him|them"
    r"|it|us|you|\d.*)"
)
_PREPOSITIONS = _words(
    "to in on at from into with for about after before over against up down out off during under"
    " through within without since until per as and or when while because"
)
#: "The lease runs for five years" is no name of runs.
_SPAN_TIME = frozenset({"closes", "ends", "runs", "starts", "stays"})
#: Pasts without an object: what follows them does not make them participles.
_ALONE = INTRANSITIVES | _words(
    "dropped increased improved collapsed crashed escaped starved doubled tripled dismissed"
    " escalated worsened climbed jumped plunged soared surged survived vanished withdrew"
    " surrendered"
)
_AMOUNT = re.compile(
    r"[$€£¥]\s?\d|\d[\d.,]{0,40}\s?(?:%|‰|[$€£¥]|(?:per ?cent|percent|million|billion|thousand"
    r"|euros?|dollars?|pounds?|eur|usd|gbp|chf)\b)",
    re.IGNORECASE,
)
_STOPPED = re.compile(r"[.!。！…।۔][\"'”’»」』)\]*_]*$")
_ARTICLES = _words("a an the this that he she it they we")
_MAX_SUBJECT = 14


def states_something(text: str) -> bool:
    """Whether a line that may be mere structure says something that can be false."""
    return has_clause(text) or bool(_AMOUNT.search(text))


def has_clause(text: str) -> bool:
    """Whether a finite verb follows a subject, as far as its form and its neighbours tell."""
    tokens = _TOKEN.findall(text)
    words = [token.lower() for token in tokens[: _MAX_SUBJECT + 2]]
    if not words or (words[0] in _ASKING and not _STOPPED.search(text.strip())):
        return False
    if _CONTRACTED.fullmatch(words[0]) and len(words) > 1:
        return True
    is_stopped = bool(_STOPPED.search(text.strip()))
    names_one = words[0] in _ARTICLES or words[0].endswith("ing")
    for index in range(1, len(words)):
        # The month is no auxiliary.
        if tokens[index] == "May":
            continue
        following = words[index + 1] if index + 1 < len(words) else "." if is_stopped else ""
        if _is_finite(words[index], words[index - 1], following, names_one=names_one):
            return True
    return False


def _is_finite(word: str, before: str, following: str, *, names_one: bool) -> bool:
    if word in AUXILIARIES or word in _FOREIGN or _CONTRACTED.fullmatch(word):
        return True
    if before in _BEFORE_NOUN or before.endswith("ly"):
        return False
    if word in THIRD_PERSONS or word in _OTHER_THIRD_PERSONS or word in _IRREGULAR:
        return True
    if word in BASES and before.endswith("s") and len(before) > len("this"):
        return True  # "refunds take four days"
    has_object = bool(_OBJECT.fullmatch(following))
    goes_on = has_object or (following not in _PREPOSITIONS and following not in {"of", "by", ""})
    if word in UNSURE_THIRD_PERSONS:
        # "Proposed changes to …" are nouns; in "the drug causes cancer" a single one acts.
        runs_on = word in _SPAN_TIME and following in _PREPOSITIONS - {"and", "or", "as"}
        return has_object or (names_one and (goes_on or runs_on))
    if word not in PASTS and not (word.endswith("ed") and len(word) > len("need")):
        return False
    # "Changes proposed by the tenant" and "data stored here" only name the changes and the data.
    return has_object or word in _ALONE or (goes_on and word not in _ADJECTIVES)
