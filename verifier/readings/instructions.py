"""What a sentence orders, told of the thing: "replace the filter", "the filter must be replaced".

So for what somebody shall, must or will do to a thing, and for a thing of a kind ("a cohort study
followed …": the study did).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import ALL_BASES, PASTS, to_participle
from spanproof.verifier.readings.sentences import is_governed
from spanproof.verifier.slots.taken.small_words import NOT_THE_THING, OTHERWISE

if TYPE_CHECKING:
    from collections.abc import Iterator


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: With verbs of instructions that the table of verbs lacks.
_VERBS = ALL_BASES | _words(
    "adjust apply attach check clean clear connect cool cover detach disconnect drain dry empty"
    " flush heat insert inspect label load lubricate mark mix monitor mount position pour press"
    " protect pump record report rinse rotate seal secure soak sterilise sterilize store switch"
    " tighten turn unload unplug unscrew wash wipe wrap"
)
_REST = (
    r"(?P<rest>(?: (?:every|each|once|twice|daily|weekly|monthly|yearly|annually|regularly|"
    r"immediately|carefully|thoroughly|before|after|at|in|on|by|with|without|within|from|to|until|"
    r"for|during|while|when|below|above|between|under|away|out|against)\b[^;:]*)?)\.?"
)
_THING = r"(?P<thing>(?:the|all|any|your|each|every) [\w’'-]+(?: (?!and\b|or\b)[\w’'-]+){0,3}?)"
#: "Replace the shaft seal every 4,000 hours", "Do not open the case".
_ORDER = re.compile(
    rf"(?:(?P<no>Do not|Don['’]t|Never) (?P<second>[a-z]+)|(?P<first>[A-Z][a-z]+)) {_THING}{_REST}"
)
#: "On hearing the alarm, leave the building by the nearest exit".
_COMMAND = re.compile(
    r"(?P<front>(?:After|At|Before|During|For|If|In|On|Once|To|When|Where) [^,;:?]*, )?"
    r"(?P<no>[Dd]o not |[Nn]ever )?(?P<verb>[A-Z]?[a-z]+) "
    r"(?P<rest>(?:the|an?|your|all|any|each|every|both|it|them|one|two|three|four|\d[\d.,]*)\b"
    r"[^;:?]*?)\.?"
)
#: "Do not take this medicine if you are pregnant".
_WARNING = re.compile(
    r"Do not (?P<verb>[a-z]+) (?P<thing>[^,;:?]{2,60}?) if you (?P<state>(?:are|have) [^,;:?]*?)\.?"
)
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
_DOER = rf"(?:(?:The|Each|Every) [\w’'-]+(?: [\w’'-]+)?|{_CAPITAL}(?: (?:&|and|of|{_CAPITAL}))*)"
#: "Harbour Freight shall deliver the goods to Meridian Foods by 30 June".
_DUTY = re.compile(
    rf"(?P<doer>{_DOER}) (?P<modal>shall|must|will) (?P<verb>[a-z]+) {_THING}{_REST}"
)
_MODALS = {"shall": ("shall", "must"), "must": ("must",), "will": ("will",)}
#: "A cohort study followed 18,240 nurses for eleven years".
_ONE = re.compile(
    r"An? (?P<kind>[a-z][a-z-]*(?: [a-z][a-z-]*)?) (?P<noun>[a-z]+) (?P<verb>[a-z]+)(?P<rest> .+)"
)


def write_order(sentence: str) -> Iterator[str]:
    """What must or must not be done to a thing, of a sentence that orders or forbids it."""
    found = _ORDER.fullmatch(sentence)
    if found is None:
        return
    verb = (found["first"] or found["second"]).lower()
    # What nobody must do is a verb.
    if (verb not in _VERBS and not found["no"]) or is_governed(f"{found['thing']}{found['rest']}"):
        return
    no = " not" if found["no"] else ""
    for modal in ("must", "should"):
        yield _say(found["thing"], f"{modal}{no} be", verb, found["rest"])
        yield f"You {modal}{no} {verb} {found['thing']}{found['rest']}."


def write_command(sentence: str) -> Iterator[str]:
    """What a sentence tells the reader to do, told as what one must do."""
    found = _COMMAND.fullmatch(sentence)
    if found is None:
        return
    front, verb = found["front"] or "", found["verb"]
    if verb[0].isupper() == bool(front or found["no"]) or verb.lower() not in _VERBS:
        return
    no = " not" if found["no"] else ""
    for modal in ("must", "should"):
        yield f"{front}{'you' if front else 'You'} {modal}{no} {verb.lower()} {found['rest']}."


def write_warning(sentence: str) -> Iterator[str]:
    """Who must not do what the reader must not do in a state."""
    found = _WARNING.fullmatch(sentence)
    if found is not None and not is_governed(found["thing"]):
        for who in ("People", "Patients", "Anyone"):
            state = found["state"]
            for modal in ("must", "should"):
                told = f"{modal} not {found['verb']} {found['thing']}"
                yield f"{who} who {state} {told}."


def write_duty(sentence: str) -> Iterator[str]:
    """What somebody named shall do to a thing, told of the thing."""
    found = _DUTY.fullmatch(sentence)
    if found is None or found["verb"] not in _VERBS:
        return
    doer = found["doer"]
    doer = f"{doer[0].lower()}{doer[1:]}" if doer.startswith(("The ", "Each ", "Every ")) else doer
    for modal in _MODALS[found["modal"]]:
        for by in ("", f" by {doer}"):
            yield _say(found["thing"], f"{modal} be", found["verb"], f"{by}{found['rest']}")


def write_definite(sentence: str) -> Iterator[str]:
    """What one thing of a kind did, told of the thing without its kind."""
    found = _ONE.fullmatch(sentence)
    if found is None or found["verb"] not in PASTS:
        return
    if (OTHERWISE | NOT_THE_THING).isdisjoint(found["kind"].split()):
        yield f"The {found['noun']} {found['verb']}{found['rest']}"


def _say(thing: str, auxiliary: str, verb: str, rest: str) -> str:
    thing = thing.removeprefix("your ").removeprefix("any ")
    return f"{thing[0].upper()}{thing[1:]} {auxiliary} {to_participle(verb)}{rest}."
