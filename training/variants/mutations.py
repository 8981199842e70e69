"""One-slot mutations of an entailed claim, by rule; each changes the claim's meaning.

Made apart from the slot layer on purpose: it has its own patterns and word lists, so that what it
makes measures the layer instead of repeating it. A number, date or name is changed only where the
premise holds the original and not the new value; one that a bound precedes ("at least 5") is left,
since another number may hold there too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from training.variants.mutation_words import (
    AUXILIARIES,
    DIRECTIONS,
    MODALS,
    MONTHS,
    NUMBER_WORDS,
    ORDINALS,
    QUANTIFIERS,
    UNITS,
)
from training.variants.name_mutations import draw_names, swap_names

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from training.variants.name_mutations import NameRule

    Rule = Callable[[str, str, random.Random], Iterator["Mutation"]]

_NUMBER = re.compile(
    r"(?<![\w.,$€£/:-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w)"
    r"|(?<![\w.,/:-])\d+(?:\.\d+)?(?![\w/:-]|[.,]\d)"
)
_BOUNDED = re.compile(
    r"\b(?:at least|at most|more than|less than|fewer than|over|under|above|below|up to|within"
    r"|about|around|nearly|almost|approximately|exceeding|older than|younger than|before|after"
    r"|since|by|until|between|from|maximum of|minimum of|to|and|or|than|some|roughly)\s+[$€£]?$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\w.,$€£/-])(?:1[5-9]|20)\d\d(?![\w/-]|[.,]\d)")
_MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b")
_DAY = re.compile(
    rf"(?:\b(?:{'|'.join(MONTHS)}) (\d{{1,2}})\b|\b(\d{{1,2}}) (?:{'|'.join(MONTHS)})\b)"
)
_UNIT = re.compile(rf"(?:\d|\b(?:{'|'.join(NUMBER_WORDS)}))[ -]({'|'.join(UNITS)})\b")
_MONEY = re.compile(r"[$€£](?=\d)|(?<=\d )(?:dollars|euros|pounds|yen)\b|\b(?:USD|EUR|GBP)\b")
_PERCENT = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)(?= ?%| percent\b| per cent\b)")
_DROPPED = re.compile(
    r"\b(?P<aux>can)(?P<joined>not)\b|\b(?:does|do|did) not (?=[a-z]+\b)"
    r"|(?<=[a-z])(?P<contracted>n['’]t)\b|\b(?P<word>not|never) ",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A claim after one change: ``original`` became ``changed`` at ``start`` of the old claim."""

    kind: str
    text: str
    original: str
    changed: str
    start: int


def mutate(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    """One mutation of each kind for which the claim has a slot, in the order of ``KINDS``."""
    for rule in _RULES.values():
        made = list(rule(premise, claim, rng))
        if made:
            yield rng.choice(made)


def _put(kind: str, claim: str, start: int, end: int, changed: str) -> Mutation:
    return Mutation(
        kind=kind,
        text=claim[:start] + changed + claim[end:],
        original=claim[start:end],
        changed=changed,
        start=start,
    )


def _holds(text: str, value: str) -> bool:
    """Whether a text holds a word or number, in digits, with marks or as a word."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    wanted = value.replace(",", "")
    forms = [wanted]
    if wanted.isdigit() and int(wanted) < len(NUMBER_WORDS):
        forms.append(NUMBER_WORDS[int(wanted)])
    if wanted.lower() in NUMBER_WORDS:
        forms.append(str(NUMBER_WORDS.index(wanted.lower())))
    return any(
        re.search(rf"(?<![\w.]){re.escape(form)}(?![\w]|\.\d)", plain, re.IGNORECASE)
        for form in forms
    )


def _new_number(text: str, rng: random.Random) -> str:
    """Another number written alike: a digit changed, a step aside, scaled, or digits swapped."""
    plain = text.replace(",", "")
    whole, point, rest = plain.partition(".")
    value = int(whole)
    places = [index for index, digit in enumerate(plain) if digit.isdigit()]
    place = rng.choice(places)
    digit = str((int(plain[place]) + rng.randint(1, 9)) % 10)
    stepped = str(max(0, value + rng.choice((-10, -5, -2, -1, 1, 2, 5, 10)))) + point + rest
    choices = [
        plain[:place] + digit + plain[place + 1 :],
        stepped,
        str(value * rng.choice((2, 3, 10))) + point + rest,
        plain[:-2] + plain[-1] + plain[-2] if len(plain) > 1 and not point else stepped,
    ]
    made = rng.choice(choices)
    made = made.lstrip("0") if not made.startswith("0.") and made.strip("0") else made
    return f"{int(made):,}" if "," in text and made.isdigit() else made


def _change_numbers(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    skipped = {m.start() for m in _YEAR.finditer(claim)} | {
        m.start(1) for m in _PERCENT.finditer(claim)
    }
    skipped |= {m.start(1) if m.group(1) else m.start(2) for m in _DAY.finditer(claim)}
    for match in _NUMBER.finditer(claim):
        if match.start() not in skipped and not _BOUNDED.search(claim[: match.start()]):
            yield from _replace_number("number", premise, claim, match.span(), rng)


def _replace_number(
    kind: str, premise: str, claim: str, span: tuple[int, int], rng: random.Random
) -> Iterator[Mutation]:
    old = claim[slice(*span)]
    new = _new_number(old, rng)
    same = float(new.replace(",", "")) == float(old.replace(",", ""))
    if not same and new and _holds(premise, old) and not _holds(premise, new):
        yield _put(kind, claim, *span, new)


def _change_number_words(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    for match in re.finditer(r"\b[A-Za-z]+\b", claim):
        word = match.group().lower()
        if word not in NUMBER_WORDS[2:] or _BOUNDED.search(claim[: match.start()]):
            continue
        new = rng.choice(NUMBER_WORDS[2:13])
        if new != word and _holds(premise, word) and not _holds(premise, new):
            new = new.capitalize() if match.group()[0].isupper() else new
            yield _put("number_word", claim, *match.span(), new)


def _change_years(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    for match in _YEAR.finditer(claim):
        new = str(int(match.group()) + rng.choice((-10, -5, -2, -1, 1, 2, 3, 10)))
        if (
            match.group() in premise
            and new not in premise
            and not _BOUNDED.search(claim[: match.start()])
        ):
            yield _put("year", claim, *match.span(), new)


def _change_dates(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    for match in _MONTH.finditer(claim):
        new = rng.choice(MONTHS)
        bounded = match.group() == "May" or _BOUNDED.search(claim[: match.start()])
        if not bounded and match.group()[:3] in premise and new[:3] not in premise:
            yield _put("date", claim, *match.span(), new)
    for match in _DAY.finditer(claim):
        group = 1 if match.group(1) else 2
        new = str(rng.randint(1, 28))
        if (
            _holds(premise, match.group(group))
            and not _holds(premise, new)
            and not _BOUNDED.search(claim[: match.start()])
        ):
            yield _put("date", claim, *match.span(group), new)


def _change_units(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    for match in _UNIT.finditer(claim):
        new = rng.choice(UNITS[match.group(1)])
        if new not in premise:
            yield _put("unit", claim, *match.span(1), new)


def _change_currencies(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    for match in _MONEY.finditer(claim):
        row = next(
            row
            for row in (
                ("$", "€", "£"),
                ("dollars", "euros", "pounds", "yen"),
                ("USD", "EUR", "GBP"),
            )
            if match.group() in row
        )
        new = rng.choice([other for other in row if other != match.group()])
        if new not in premise:
            yield _put("currency", claim, *match.span(), new)


def _change_percents(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    for match in _PERCENT.finditer(claim):
        if not _BOUNDED.search(claim[: match.start()]):
            yield from _replace_number("percent", premise, claim, match.span(1), rng)


def _change_ordinals(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    for match in re.finditer(r"\b[A-Za-z]+\b|\b\d+(?:st|nd|rd|th)\b", claim):
        word = match.group().lower()
        row = next((row for row in ORDINALS if word in row), None)
        if row is None or not re.search(rf"\b{word}\b", premise, re.IGNORECASE):
            continue
        new = rng.choice([other for other in row if other != word])
        place = row.index(new)
        if not any(re.search(rf"\b{r[place]}\b", premise, re.IGNORECASE) for r in ORDINALS):
            new = new.capitalize() if match.group()[0].isupper() else new
            yield _put("ordinal", claim, *match.span(), new)


def _add_negations(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    del premise
    if re.search(
        r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n['’]t\b", claim, re.IGNORECASE
    ):
        return
    match = re.search(rf"\b(?:{'|'.join(AUXILIARIES)})\b", claim)
    if match is not None and match.end() < len(claim):
        word = rng.choice((" not", " not", " not", " never"))
        yield _put("negation_added", claim, match.end(), match.end(), word)


def _drop_negations(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
    del premise, rng
    for match in _DROPPED.finditer(claim):
        if match["joined"]:
            yield _put("negation_dropped", claim, match.start("joined"), match.end(), "")
        elif match["contracted"]:
            if not re.search(r"\b(?:wo|ca|sha)$", claim[: match.start()], re.IGNORECASE):
                yield _put("negation_dropped", claim, *match.span(), "")
        elif match["word"]:
            if not re.match(r"only\b", claim[match.end() :]):
                yield _put("negation_dropped", claim, *match.span(), "")
        else:
            aux = match.group().split()[0]
            yield _put("negation_dropped", claim, *match.span(), f"{aux} ")


def _swap_words(kind: str, rows: dict[str, tuple[str, ...]]) -> Rule:
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(rows, key=len, reverse=True))})\b", re.IGNORECASE)

    def swap(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
        del premise
        for match in pattern.finditer(claim):
            if match.group()[0].isupper() and match.start() > 0:
                continue  # A name: "May 5", "Middle East".
            new = rng.choice(rows[match.group().lower()])
            new = new.capitalize() if match.group()[0].isupper() else new
            yield _put(kind, claim, *match.span(), new)

    return swap


def _put_names(kind: str, rule: NameRule) -> Rule:
    def put(premise: str, claim: str, rng: random.Random) -> Iterator[Mutation]:
        for start, end, name in rule(premise, claim, rng):
            yield _put(kind, claim, start, end, name)

    return put


_RULES: dict[str, Rule] = {
    "number": _change_numbers,
    "number_word": _change_number_words,
    "year": _change_years,
    "date": _change_dates,
    "unit": _change_units,
    "currency": _change_currencies,
    "percent": _change_percents,
    "ordinal": _change_ordinals,
    "negation_added": _add_negations,
    "negation_dropped": _drop_negations,
    "quantifier": _swap_words("quantifier", QUANTIFIERS),
    "modality": _swap_words("modality", MODALS),
    "direction": _swap_words("direction", DIRECTIONS),
    "name_of_premise": _put_names("name_of_premise", swap_names),
    "name_at_random": _put_names("name_at_random", draw_names),
}
#: The kinds of mutation, in the order in which they are made.
KINDS = tuple(_RULES)
