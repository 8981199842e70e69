"""A sentence told of another of its parts: who is named beside the subject, what is done to whom.

"The minister, Anna Berg, presented the budget" says that Anna Berg did; "Alpha bought the dairy",
that the dairy was bought by Alpha; "the policy covers theft and fire", that fire is covered.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.verifier.readings.sentences import is_governed
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.small_words import NOT_THE_THING, OTHERWISE

if TYPE_CHECKING:
    from collections.abc import Iterator

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
_NAME = rf"{_CAPITAL}(?: (?:(?:de|von|van|du|da|of) )?{_CAPITAL}){{0,3}}"
#: "The minister of finance, Anna Berg, presented": a full name between commas.
_APPOSED = re.compile(
    rf"(?:The|Its|His|Her|Their|Our) (?P<kind>[a-z][\w’'-]*(?: [\w’'-]+){{0,5}}), "
    rf"(?P<name>{_CAPITAL}(?: {_CAPITAL}){{1,3}}), (?P<rest>[a-z][^;:?]*)"
)
#: "Alpine Foods acquired the dairy in 2018": a name, a verb of the past, one thing, and more.
_DONE = re.compile(
    rf"(?P<doer>(?:The )?{_NAME}) (?P<verb>[a-z]+) "
    rf"(?P<thing>(?:(?:the|its) )?[a-z][\w’'-]*(?: [a-z][\w’'-]*)??|{_NAME})"
    r"(?P<rest> (?:in|on|at|for) (?:[A-Z0-9€$£][^;:?()]*))?\.?"
)
#: "The policy covers theft, fire and flood".
_COVER = re.compile(
    r"(?P<what>(?:The|This|Our|Your) (?:[\w’'-]+ ){0,4}?(?:policy|insurance|plan|cover|contract|"
    r"warranty|guarantee))"
    r" (?P<verb>covers|includes) (?P<things>[a-z][\w’' -]*(?:, [\w’' -]+)*,? and [\w’' -]+|"
    r"[a-z][\w’'-]*)\.?"
)
_VOICES = {"covers": "covered", "includes": "included"}
#: What does damage: a policy that covers one covers the damage that it does.
_PERILS = frozenset(
    {"fire", "flood", "flooding", "water", "storm", "hail", "wind", "smoke", "lightning"}
    | {"earthquake", "frost", "subsidence"}
)
#: "The drug is not recommended during pregnancy", "… for patients with asthma".
_UNADVISED = re.compile(
    r"(?P<what>[^,;:]{1,80}?) (?:is|are) not recommended "
    r"(?:(?:for|in) (?P<who>(?:(?:pregnant|breastfeeding|elderly|older|young|younger) )?"
    r"(?:people|patients|women|men|children|adults|adolescents|infants|persons|users|anyone)\b"
    r"[^,;:.]*)|(?:during|in) pregnancy)\.?"
)


def write_apposed(sentence: str) -> Iterator[str]:
    """What a sentence tells of its subject, told of the name that stands beside it in commas."""
    found = _APPOSED.fullmatch(sentence)
    if found is not None and (OTHERWISE | NOT_THE_THING).isdisjoint(found["kind"].split()):
        yield f"{found['name']} {found['rest']}"


def write_passive(sentence: str) -> Iterator[str]:
    """What somebody named did to one thing, told of the thing."""
    found = _DONE.fullmatch(sentence)
    if found is None or not is_participle(found["verb"]) or found["verb"].endswith("ing"):
        return
    thing, rest = found["thing"], found["rest"] or ""
    yield f"{thing[0].upper()}{thing[1:]} was {found['verb']} by {found['doer']}{rest.rstrip('.')}."


def write_covered(sentence: str) -> Iterator[str]:
    """What a policy covers, thing by thing."""
    found = _COVER.fullmatch(sentence)
    if found is None:
        return
    by = f"{_VOICES[found['verb']]} by {found['what'][0].lower()}{found['what'][1:]}"
    for thing in re.split(r",? and |, ", found["things"]):
        yield f"{thing.capitalize()} is {by}."
        if thing in _PERILS and found["verb"] == "covers":
            yield f"{thing.capitalize()} damage is {by}."
            yield f"Damage by {thing} is {by}."


def write_unadvised(sentence: str) -> Iterator[str]:
    """Who should not take what is not recommended for them."""
    found = _UNADVISED.fullmatch(sentence)
    if found is None or is_governed(found["what"]) or is_governed(found["who"] or ""):
        return
    who = found["who"] or "pregnant women"
    what = f"{found['what'][0].lower()}{found['what'][1:]}"
    for verb in ("take", "use"):
        yield f"{who[0].upper()}{who[1:]} should not {verb} {what}."
