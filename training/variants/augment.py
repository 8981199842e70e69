"""Rule-made pairs: one slot changed, a sentence checked against its own passage, a longer premise.

Each rule keeps a label only where the rule itself makes it true, so no pair here needs a judge.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from training.pairs import LABEL_IDS, NOT_ENTAILMENT, Pair
from training.variants.mutations import mutate
from training.variants.reformats import reformat

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

ENTAILMENT = LABEL_IDS["entailment"]
NEUTRAL = LABEL_IDS["neutral"]
CONTRADICTION = LABEL_IDS["contradiction"]

#: Sources whose premises are complete, so that adding other premises changes no label.
#: (Captions and "key: value" tables do not: "a man sleeps" may hold in the neighbour.)
PADDABLE_SOURCES = frozenset(
    {
        "conjnli",
        "conjnli_auto",
        "evidence_inference",
        "expertqa",
        "factcg_cg2c_doc",
        "fever_dev",
        "fever_symmetric",
        "fm2",
        "paws",
        "wice_claim",
    }
)
#: Sources whose premises are passages of prose, from which sentences can be drawn as claims.
PASSAGE_SOURCES = frozenset(
    {
        "begin_cmu",
        "bump",
        "contractnli_window",
        "evidence_inference",
        "expertqa",
        "factcg_cg2c_doc",
        "summedits_news",
        "summedits_scitldr",
        "synth_contract",
        "wice_claim",
    }
)

_NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w]|[.,]\d)")
_AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|should|may|must)\b")
_NEGATED = re.compile(r"\b(not|no|never|none|without|nor|neither)\b|n't\b", re.IGNORECASE)
#: A name within a sentence: capitalised words that do not begin it.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
_ASIDE = re.compile(r" \([^()]{3,80}\)|, (?:which|who|where|whose) [^,.;]{3,90}(?=[,.;])")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\"'])")
_HEDGES = (
    (re.compile(r"\bmust\b"), "may"),
    (re.compile(r"\bshall\b"), "may"),
    (re.compile(r"\ball\b", re.IGNORECASE), "some"),
    (re.compile(r"\bincreas(e|ed|es|ing)\b"), r"decreas\1"),
    (re.compile(r"\bdecreas(e|ed|es|ing)\b"), r"increas\1"),
    (re.compile(r"\bbefore\b"), "after"),
    (re.compile(r"\bafter\b"), "before"),
    (re.compile(r"\bhigher\b"), "lower"),
    (re.compile(r"\blower\b"), "higher"),
    (re.compile(r"\bmore than\b"), "less than"),
    (re.compile(r"\bless than\b"), "more than"),
    (re.compile(r"\bat least\b"), "at most"),
    (re.compile(r"\bmaximum\b"), "minimum"),
    (re.compile(r"\bminimum\b"), "maximum"),
    (re.compile(r"\bfirst\b"), "last"),
    (re.compile(r"\bincludes\b"), "excludes"),
    (re.compile(r"\baccepted\b"), "rejected"),
    (re.compile(r"\brejected\b"), "accepted"),
)


def change_number(pair: Pair, rng: random.Random) -> Pair | None:
    """Change one number of an entailed hypothesis to one that the premise does not hold."""
    numbers = list(_NUMBER.finditer(pair.hypothesis))
    if pair.label != ENTAILMENT or not numbers:
        return None
    match = rng.choice(numbers)
    value = int(match.group())
    other = str(max(0, value + rng.choice((-10, -3, -2, -1, 1, 2, 3, 10, value or 5))))
    if other == match.group() or re.search(rf"(?<!\d){other}(?!\d)", pair.premise):
        return None
    text = pair.hypothesis[: match.start()] + other + pair.hypothesis[match.end() :]
    return replace(pair, hypothesis=text, label=NOT_ENTAILMENT)


def negate(pair: Pair, rng: random.Random) -> Pair | None:
    """Negate the first auxiliary of an entailed hypothesis that has one and no negation yet."""
    del rng
    match = _AUXILIARY.search(pair.hypothesis)
    if pair.label != ENTAILMENT or match is None or _NEGATED.search(pair.hypothesis):
        return None
    text = pair.hypothesis[: match.end()] + " not" + pair.hypothesis[match.end() :]
    return replace(pair, hypothesis=text, label=CONTRADICTION)


def swap_word(pair: Pair, rng: random.Random) -> Pair | None:
    """Turn one word of an entailed hypothesis into its opposite, a stronger or a weaker one."""
    found = [(rule, word) for rule, word in _HEDGES if rule.search(pair.hypothesis)]
    if pair.label != ENTAILMENT or not found:
        return None
    rule, word = rng.choice(found)
    label = NOT_ENTAILMENT
    return replace(pair, hypothesis=rule.sub(word, pair.hypothesis, count=1), label=label)


#: What a changed slot may still follow from: the weaker word of a pair that the rules know.
_WEAKER = frozenset(
    {("all", "some"), ("all", "most"), ("will", "may"), ("will", "might"), ("would", "might")}
    | {("must", "may"), ("shall", "may"), ("always", "sometimes")}
)
#: Format changes that the tokenizer takes away again.
_UNSEEN = frozenset({"white_space", "no_break_space"})


def change_slot(pair: Pair, rng: random.Random) -> Pair | None:
    """Change one slot of an entailed hypothesis so that its meaning changes."""
    if pair.label != ENTAILMENT:
        return None
    made = [
        mutation
        for mutation in mutate(pair.premise, pair.hypothesis, rng)
        if (mutation.original.lower(), mutation.changed.lower()) not in _WEAKER
    ]
    if not made:
        return None
    return replace(pair, hypothesis=rng.choice(made).text, label=NOT_ENTAILMENT)


def rewrite(pair: Pair, rng: random.Random) -> Pair:
    """Write a number, date, unit or contraction of the hypothesis another way: the label stays."""
    made = [change for change in reformat(pair.hypothesis, rng) if change.kind not in _UNSEEN]
    return replace(pair, hypothesis=rng.choice(made).text) if made else pair


def pad_premise(pair: Pair, others: Sequence[Pair], rng: random.Random) -> Pair:
    """Set the premise among one to three premises of other documents: find it, or still do not."""
    count = rng.randint(1, 3)
    beside = [other.premise for other in rng.sample(others, count) if other.doc != pair.doc]
    position = rng.randint(0, len(beside))
    return replace(pair, premise=" ".join([*beside[:position], pair.premise, *beside[position:]]))


def check_sentence(pair: Pair, others: Sequence[Pair], rng: random.Random) -> Pair | None:
    """Draw a sentence of a passage as the claim: entailed by it, changed, or absent from it."""
    sentences = [s for s in _SENTENCE_END.split(pair.premise) if 6 <= len(s.split()) <= 40]
    if not sentences:
        return None
    sentence = rng.choice(sentences)
    entailed = replace(pair, hypothesis=sentence, label=ENTAILMENT)
    draw = rng.random()
    if draw < 0.12:
        return entailed
    if draw < 0.28:
        return _shorten(entailed) or entailed
    if draw < 0.38 and len(sentences) > 1:
        return _fuse(entailed, rng.choice(sentences))
    if draw < 0.70:
        changed = rng.sample(SENTENCE_RULES, len(SENTENCE_RULES))
        return next((made for rule in changed if (made := rule(entailed, rng))), None)
    if draw < 0.92:
        # The rest of its own passage: the same topic and names, and no support.
        rest = " ".join(pair.premise.replace(sentence, " ", 1).split())
        if len(rest.split()) < 2 * len(sentence.split()) or sentence in rest:
            return None
        claim = _fuse(entailed, rng.choice(sentences)) if rng.random() < 0.3 else entailed
        return replace(claim, premise=rest, label=NOT_ENTAILMENT)
    other = rng.choice(others)
    return (
        None if other.doc == pair.doc else replace(entailed, premise=other.premise, label=NEUTRAL)
    )


def swap_names(pair: Pair, rng: random.Random) -> Pair | None:
    """Exchange two names of an entailed hypothesis, or one for another of the premise."""
    ours = list(_NAME.finditer(pair.hypothesis))
    if pair.label != ENTAILMENT or not ours:
        return None
    chosen = rng.choice(ours)
    theirs = sorted(
        {m.group() for m in _NAME.finditer(pair.premise)}
        - {m.group() for m in ours}
        - _words_of(chosen.group())
    )
    theirs = [name for name in theirs if not _words_of(name) & _words_of(chosen.group())]
    if not theirs:
        return None
    name = rng.choice(theirs)
    text = pair.hypothesis[: chosen.start()] + name + pair.hypothesis[chosen.end() :]
    return replace(pair, hypothesis=text, label=NOT_ENTAILMENT)


def _words_of(name: str) -> set[str]:
    return set(name.split())


def _shorten(pair: Pair) -> Pair | None:
    """Leave out a bracket or a relative clause between commas: what is left still holds."""
    text = _ASIDE.sub("", pair.hypothesis, count=1)
    if text == pair.hypothesis or len(text.split()) < 5:
        return None
    return replace(pair, hypothesis=text)


def _fuse(pair: Pair, sentence: str) -> Pair:
    """Two sentences of the passage as one claim."""
    if sentence == pair.hypothesis:
        return pair
    first = pair.hypothesis.rstrip(" .")
    second = sentence if sentence[:2].strip().isupper() else sentence[0].lower() + sentence[1:]
    return replace(pair, hypothesis=f"{first}, and {second}")


#: Rules for sentences of prose, where names are capitalised.
SENTENCE_RULES = (change_number, negate, swap_word, swap_names, change_slot)
