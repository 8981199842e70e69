"""Pairs that rules make of a premise's own sentences: roles swapped, exceptions and hedges widened.

A negative is as often joined by the sentence itself, word for word, so that the style of a rule
says nothing of the label.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from training.pairs import LABEL_IDS, NOT_ENTAILMENT
from training.variants.augment import PASSAGE_SOURCES

if TYPE_CHECKING:
    import random

    from training.pairs import Pair

#: Sources whose premises are prose.
PROSE = PASSAGE_SOURCES | {
    "begin_tc",
    "begin_wow",
    "conjnli",
    "fever_dev",
    "fever_symmetric",
    "fm2",
    "mnli_dev_matched",
    "negation_rte",
    "paws",
}
#: How often the sentence itself is the claim.
VERBATIM_SHARE = 0.42

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\"'])")
_NAME = re.compile(r"\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*\b")
#: Capitalised words that are no name.
_NO_NAME = re.compile(
    r"\b(?:The|A|An|In|On|At|It|He|She|They|This|That|There|These|Those|His|Her|Its|Their|We|You|"
    r"I|If|When|Some|All|Most|Many|No|Not|Both|Each|Every|Two|Three|After|Before|During|For|From|"
    r"With|As|By|But|And|While|However|Although|Since|To|Of|What|Who|Where|How|Why|Also|Then|One|"
    r"Other|Such|January|February|March|April|May|June|July|August|September|October|November|"
    r"December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)(?= |$)"
)
#: Between two names: what says the same the other way round, or makes them a list.
_SYMMETRIC = re.compile(
    r"\b(and|or|with|between|met|meets|married|marry|versus|vs|against|alongside|like|equals?|same"
    r"|near|tied|drew|shared?|both|nor|plus|as|play(?:s|ed)|sister|brother|cousin|twin|spouse|wife"
    r"|husband|joined|touch\w*|border\w*)\b|[,;:()&/]"
)
_VERB = re.compile(
    r"\b(\w{3,}ed|beat|won|bought|sold|gave|led|wrote|made|told|sent|took|taught|founded|owns?"
    r"|owes?|paid|hit|shot|sues?|kills?|loves?|hates?|helps?|defeats?|is|was|were|has|had|than|leads?"
    r"|follows?|precedes?|succeeds?|replaces?|knew|met by|said|says|asked|left|beats?|became"
    r"|teaches|writes|directs?|employs?|borrow\w*|lends?|lent)\b"
)
#: What narrows a statement, and what says more in its place.
_WIDER = [
    (re.compile(pattern), wider)
    for pattern, wider in (
        (r"\bexcept(?: for)?\b", "including"),
        (r"\bexcluding\b", "including"),
        (r"\bother than\b", "including"),
        (r"\bincluding\b", "except"),
        (r"\bunless\b", "if"),
        (r"\bwithout\b", "with"),
        (r"\bonly (?=when|if|after|for|to|in)\b", ""),
        (r"\b(?:may|might|could)(?= [a-z]{2,}\b(?<!not))", "will"),
        (r"\b(?:reportedly|allegedly|possibly|probably|supposedly) ", ""),
        (r"\b(?:nearly|almost) (?=all|every|everyone)", ""),
        (r"\b(?:some|many|most|several)(?= (?:of the )?[a-z]+s\b)", "all"),
        (r"\bone of the ", "the only one of the "),
    )
]
_CLAIMED = re.compile(
    r"\b(?:den(?:ied|ies|y)|claim(?:ed|s)?|alleg(?:ed|es)|hop(?:ed|es)|fear(?:ed|s)?"
    r"|suggest(?:ed|s)|speculat(?:ed|es)|argu(?:ed|es)|doubt(?:ed|s)?|believ(?:ed|es)"
    r"|hypothes[ie][sz](?:ed|e|es)|predict(?:ed|s)|propos(?:ed|es)|whether|rumou?red"
    r"|suspect(?:ed|s)) that ([a-z][^.;:?!]{20,160})"
)
_CONDITION = re.compile(r"^(?:If|Unless) ([a-z][^,.;]{12,120}), ")


def swap_roles(sentence: str, rng: random.Random) -> str | None:
    """Two names around a verb exchanged; None where there are none, or the verb is symmetric."""
    names = [found for found in _NAME.finditer(sentence) if _is_name(found)]
    swaps = []
    for left, right in itertools.pairwise(names):
        between = sentence[left.end() : right.start()]
        if (
            len(between.split()) <= 7
            and _VERB.search(between)
            and not _SYMMETRIC.search(between)
            and not set(left.group().split()) & set(right.group().split())
        ):
            swaps.append((left, right))
    if not swaps:
        return None
    left, right = rng.choice(swaps)
    before, between = sentence[: left.start()], sentence[left.end() : right.start()]
    return before + right.group() + between + left.group() + sentence[right.end() :]


def _is_name(found: re.Match[str]) -> bool:
    starts = found.start() == 0 and " " not in found.group()
    return not starts and _NO_NAME.match(found.group()) is None


def widen(sentence: str, rng: random.Random) -> str | None:
    """An exception, condition, hedge or quantifier exchanged, so that more is said."""
    found = [(pattern, wider) for pattern, wider in _WIDER if pattern.search(sentence)]
    if not found:
        return None
    pattern, wider = rng.choice(found)
    return re.sub(r"\s+", " ", pattern.sub(wider, sentence, count=1)).strip()


def unhedge(sentence: str) -> str | None:
    """The content of a denial, claim, hope or condition stated as a fact."""
    found = _CLAIMED.search(sentence) or _CONDITION.search(sentence)
    if found is None:
        return None
    stated = found.group(1).strip(" ,")
    return f"{stated[0].upper()}{stated[1:]}."


def make_pair(pair: Pair, rng: random.Random) -> Pair | None:
    """A pair of the same premise, one of its sentences changed or as it is; None without one."""
    if pair.source not in PROSE:
        return None
    sentences = [one for one in SENTENCE_END.split(pair.premise) if 5 <= len(one.split()) <= 40]
    rng.shuffle(sentences)
    for sentence in sentences[:6]:
        kinds = ["swap", "swap", "widen", "unhedge"]
        rng.shuffle(kinds)
        for kind in kinds:
            changed = _change(kind, sentence, rng)
            rest = pair.premise.lower().replace(sentence.lower(), " ", 1)
            if (
                changed
                and changed.lower() != sentence.lower()
                and changed.lower().rstrip(".") not in rest
            ):
                if rng.random() < VERBATIM_SHARE:
                    return replace(pair, hypothesis=sentence, label=LABEL_IDS["entailment"])
                return replace(pair, hypothesis=changed, label=NOT_ENTAILMENT)
    return None


def _change(kind: str, sentence: str, rng: random.Random) -> str | None:
    if kind == "swap":
        return swap_roles(sentence, rng)
    return widen(sentence, rng) if kind == "widen" else unhedge(sentence)
