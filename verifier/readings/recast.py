"""The same sentence in another order: what stands in front told last, a passive told actively.

"By the court the claim was dismissed on Monday" and "On Monday the court dismissed the claim" are
one statement. So claim and source are compared in either form. Words keep their form, for words
are compared by their root.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.claims.verb_forms import AUXILIARIES
from spanproof.verifier.language.irregular_verbs import BASES
from spanproof.verifier.language.plain_words import OPERATORS, STRICT
from spanproof.verifier.readings.sentences import MAX_SENTENCE
from spanproof.verifier.slots.roles.lines import is_participle
from spanproof.verifier.slots.taken.small_words import CONDITIONS, HEDGING, PREPOSITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
#: "From 1 May, the fee is due": a phrase or clause in front, and one statement behind its comma.
_FRONT = re.compile(
    r"(?P<front>(?:After|As of|As part of|At|Before|Between|By|During|Following|For|"
    r"From|If|In|Of|On|Since|Throughout|Under|Unless|Until|Upon|When|Where|Within|Without) "
    r"[^;:?\"“”]*?), (?P<rest>[^;:?\"“”]+?)\.?"
)
#: What is told in front and says nothing of the rest.
_ASIDE = re.compile(
    r"(?:As part of|"
    r"(?:Founded|Established|Located|Situated|Built|Born|Headquartered|Designed|Named)"
    r" (?:in|by|as|near|at|after|between)|"
    r"In an? (?:ruling|decision|judgment|report|vote|statement|deal|ceremony))\b"
    r"(?P<more>[^,;:?\"“”]*), (?P<rest>[^;:?\"“”]+?)\.?"
)
#: Words that turn what they are told of.
_TURNING = re.compile(
    r"\b(?:that|which|who|whose|but|later|since|if|when|unless|not|no|false\w*)\b"
)
#: A second statement, to which what stands in front may not belong.
_SECOND = re.compile(
    r"[,;] (?:and|but|or|while|whereas|who|which)\b| (?:and|but) (?:will|is|are|was)\b"
)
_INSERTION = re.compile(r" ?\([^()]*\)")
_AUXILIARY = (
    r"(?P<be>is|are|was|were|(?:has|have|had) been|"
    r"(?P<modal>must|shall|should|will|would|may|might|can|could|cannot|(?:must|may|shall) not) be)"
)
_DOER = (
    r"(?:(?:the|an?|its|their|his|her) )?[\w’'-]+"
    r"(?: (?:of (?:the )?)?(?!and\b|or\b|but\b)[\w’'&-]+){0,5}?"
)
_MORE = (
    r"at|after|as|because|before|between|during|following|for|from|if|in|into|on|over|since|that|to|"
    r"under|unless|until|up to|upon|when|where|while|with|within|without"
)
#: "The plan was unanimously adopted by the council in May".
_PASSIVE = re.compile(
    rf"(?P<what>[^,;:?\"“”]{{2,90}}?) {_AUXILIARY} (?P<how>(?:\w+ly|not|only|also) )?"
    rf"(?P<verb>[a-z]+) by (?P<who>{_DOER})(?P<rest>(?: (?:{_MORE})\b[^;:?\"“”]*)?)\.?"
)
#: The tense of a passive, as a verb in active voice tells it.
_DOING = MappingProxyType({"is": "does", "are": "do", "was": "did", "were": "did"})
#: "The month's last working day": an owner and what it owns.
_OWNER = re.compile(
    rf"\b(?P<the>[Tt]he )(?P<owner>[a-z][\w-]*(?: [a-z][\w-]*)?|{_CAPITAL}(?: {_CAPITAL})*)['’]s "
    r"(?P<owned>[a-z-]+(?: (?!and\b|or\b|is\b|was\b|were\b|are\b)[a-z-]+){0,2}?)"
    r"(?= (?:is|are|was|were|has|had|and|or|by|in|on|at|for|to|from|with)\b|[.,]|$)"
)


def recast(sentence: str) -> Iterator[str]:
    """The sentence in other forms that say the same, each of them once more in active voice."""
    seen = {sentence}
    waiting = [sentence] if len(sentence) <= MAX_SENTENCE else []
    while waiting and len(seen) <= _MAX_FORMS:
        form = waiting.pop(0)
        for other in (*_tell_last(form), *_tell_actively(form), *_tell_owner(form)):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
                yield other


#: More forms of one sentence are no more likely to agree.
_MAX_FORMS = 6


def write_bare(sentence: str) -> Iterator[str]:
    """The sentence without what it tells besides: in front, or in brackets."""
    found = _ASIDE.fullmatch(sentence)
    if found is not None and not _TURNING.search(found["more"]):
        yield _begin(found["rest"])
    insertions = _INSERTION.findall(sentence)
    if insertions and not any(
        word in HEDGING | OPERATORS | STRICT | CONDITIONS or word.endswith("n't")
        for insertion in insertions
        for word in re.findall(r"[\w’']+", insertion.lower())
    ):
        yield _INSERTION.sub("", sentence)


def _tell_last(sentence: str) -> Iterator[str]:
    found = _FRONT.fullmatch(sentence)
    if found is None or _SECOND.search(found["rest"]):
        return
    front = found["front"]
    yield f"{_begin(found['rest'])} {front[0].lower()}{front[1:]}."


def _tell_actively(sentence: str) -> Iterator[str]:
    found = _PASSIVE.fullmatch(sentence)
    if found is None or not is_participle(found["verb"]):
        return
    who, what = found["who"], found["what"]
    # By 30 June, by 5 %, by using: nobody who does it.
    if who[0].isdigit() or who.split(maxsplit=1)[0].endswith("ing") or _is_broken(what):
        return
    verb = found["verb"]
    if found["modal"]:
        told = f"{found['modal']} {_to_base(verb)}"
    elif found["be"] in _DOING:
        told = f"{_DOING[found['be']]} {_to_base(verb)}"
    else:
        told = f"{found['be'].removesuffix(' been')} {verb}"
    how = found["how"] or ""
    what = re.sub("^(?:The|An?|Its|Their|His|Her|All|Each|Any) ", lambda of: of[0].lower(), what)
    yield f"{_begin(who)} {how}{told} {what}{found['rest'].rstrip('.')}."


def _to_base(verb: str) -> str:
    """The base of a participle, near enough for its root."""
    return BASES.get(verb, verb.removesuffix("ed"))


def _is_broken(what: str) -> bool:
    """Whether a subject begins with a phrase ("In May the plan") or holds an auxiliary."""
    words = what.lower().split()
    return words[0] in PREPOSITIONS or not AUXILIARIES.isdisjoint(words)


def _tell_owner(sentence: str) -> Iterator[str]:
    found = _OWNER.search(sentence)
    if found is not None:
        the = found["the"]
        owned = f"{the}{found['owned']} of the {found['owner']}"
        yield f"{sentence[: found.start()]}{owned}{sentence[found.end() :]}"


def _begin(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
