"""Words whose change changes what a text says, by locale: data only, lower case.

Only English is here. A locale without tables is an error, never an empty table: a missing table
would let every word through.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from spanproof.verifier.language.opposites import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Mapping

Locale = Literal["en"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The tables of one locale."""

    negations: frozenset[str]
    modals: frozenset[str]
    quantifiers: frozenset[str]
    cardinals: Mapping[str, int]
    scales: Mapping[str, int]
    short_scales: Mapping[str, int]
    ordinals: Mapping[str, int]
    months: tuple[str, ...]
    units: Mapping[str, str]
    currencies: Mapping[str, str]
    function_words: frozenset[str]
    antonyms: tuple[tuple[frozenset[str], frozenset[str]], ...]
    negative_words: frozenset[str]
    openers: frozenset[str]
    titles: frozenset[str]
    same_names: tuple[frozenset[str], ...]
    degrees: Mapping[str, str]
    bindings: Mapping[str, str]
    chances: frozenset[str]

    @property
    def empty_words(self) -> frozenset[str]:
        """Words that do not identify a place: function words, negations, degrees."""
        return self.function_words | self.negations | self.degrees.keys()

    @property
    def month_roots(self) -> frozenset[str]:
        """The first three letters of each month."""
        return frozenset(month[:3] for month in self.months)

    @property
    def unfoldable(self) -> frozenset[str]:
        """Words that forbid every fold in them or next to them: negations, modals, number words."""
        return self.negations | self.modals | self.cardinals.keys() | self.scales.keys()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _numbered(text: str, *, start: int = 0, step: int = 1) -> dict[str, int]:
    return {word: start + step * index for index, word in enumerate(text.split())}


def _synonyms(*rows: str) -> dict[str, str]:
    return {word: row.split()[0] for row in rows for word in row.split()}


_ANTONYMS = tuple((_words(left), _words(right)) for left, right in ENGLISH)

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_EN = Lexicon(
    negations=_words(
        "no not non nor never none neither nobody nothing nowhere cannot without n't isn't aren't "
        "wasn't weren't don't doesn't didn't won't wouldn't can't couldn't shouldn't mustn't "
        "needn't hasn't haven't hadn't shan't mightn't ain't"
    ),
    modals=_words(
        "must shall may might should would will can could ought only unless except until solely"
    ),
    quantifiers=_words(
        "all every each any some most many few several both either half least most more less fewer "
        "approximately about almost nearly exactly at-least up-to"
    ),
    cardinals=_numbered(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen"
    )
    | _numbered("twenty thirty forty fifty sixty seventy eighty ninety", start=20, step=10),
    scales=MappingProxyType(
        {
            "hundred": 100,
            "dozen": 12,
            "thousand": 1_000,
            "million": 1_000_000,
            "billion": 1_000_000_000,
            "trillion": 1_000_000_000_000,
        }
    ),
    short_scales=MappingProxyType({"k": 1_000, "mn": 1_000_000, "bn": 1_000_000_000}),
    ordinals=_numbered(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
        start=1,
    ),
    months=_MONTHS,
    units=_synonyms(
        "second seconds sec secs",
        "minute minutes min mins",
        "hour hours hr hrs",
        "day days",
        "week weeks",
        "month months",
        "year years yr yrs",
        "decade decades",
        "century centuries",
        "kg kilogram kilograms kilogramme kilogrammes",
        "g gram grams gramme grammes",
        "mg milligram milligrams",
        "tonne tonnes ton tons",
        "lb lbs pound-weight",
        "km kilometre kilometres kilometer kilometers",
        "m metre metres meter meters",
        "cm centimetre centimetres centimeter centimeters",
        "mm millimetre millimetres millimeter millimeters",
        "mile miles",
        "foot feet ft",
        "inch inches",
        "acre acres",
        "hectare hectares",
        "litre litres liter liters",
        "ml millilitre millilitres milliliter milliliters",
        "kwh",
        "mw megawatt megawatts",
        "gb gigabyte gigabytes",
        "mb megabyte megabytes",
        "degree degrees",
    ),
    currencies=_synonyms(
        "USD $ usd dollar dollars",
        "EUR € eur euro euros",
        "GBP £ gbp pound pounds",
        "JPY ¥ jpy yen",
        "CHF chf franc francs",
        "INR ₹ inr rupee rupees",
    ),
    function_words=_words(
        "a an the of to in on at by for with from as is are was were be been being am do does did "
        "has have had it its this that these those and or but if then than so such he she they "
        "his her their them him who whom which what when where there here also into onto over "
        "under about up down out off not no never n't will would can could shall should may might "
        "must i you we our your my me us s t one"
    ),
    antonyms=_ANTONYMS,
    negative_words=_words(
        "fail fails failed failing failure refuse refuses refused refusing deny denies denied lack "
        "lacks lacked lacking unable prevent prevents prevented prohibit prohibits prohibited ban "
        "bans banned forbid forbids forbidden stop stops stopped hardly rarely seldom barely "
        "scarcely few fewer less least except unless instead rather false avoid avoids avoided "
        "absence absent decline declines declined reject rejects rejected exclude excludes "
        "excluded zero insufficient impossible only other different differ although however "
        "but contrary doubt doubts doubted wrong unlikely ruled against cancelled canceled"
    ),
    openers=_words(
        "although though however while because since after before during despite unlike some many "
        "most all each every no not both either neither only also even still yet just why how "
        "let please see note today yesterday tomorrow monday tuesday wednesday thursday friday "
        "saturday sunday one two three four five six seven eight nine ten first second third"
    ),
    # Titles and offices before a person's name, which do not belong to the name.
    titles=_words(
        "mr mrs ms miss mx dr prof professor sir dame lord lady king queen prince princess emperor "
        "empress pope cardinal bishop archbishop rabbi imam reverend rev saint president "
        "chancellor premier minister secretary senator governor mayor congressman congresswoman "
        "ambassador judge justice general gen colonel col major captain capt lieutenant lt "
        "sergeant sgt admiral officer detective inspector coach chairman chairwoman director ceo"
    ),
    # Names of one thing with other letters and other initials. "U.S." is read as "u s".
    same_names=(
        frozenset({"usa", "us", "u s", "united states", "america", "united states of america"}),
        frozenset({"uk", "u k", "united kingdom", "britain", "great britain"}),
    ),
    degrees=MappingProxyType(
        _synonyms("all every each", "most", "many several numerous", "some", "few")
        | _synonyms("always", "sometimes often usually generally frequently", "rarely seldom")
    ),
    bindings=MappingProxyType(
        _synonyms(
            "must shall required obliged",
            "may might can could allowed permitted",
            "will would",
            "should ought",
        )
    ),
    chances=_words("may might"),
)
_LEXICONS: Mapping[Locale, Lexicon] = MappingProxyType({"en": _EN})


def lexicon_of(locale: Locale) -> Lexicon:
    """The tables of a locale."""
    return _LEXICONS[locale]


#: Endings and what stays; the first that fits goes. ``-ly`` and ``-ence`` go before the rest.
_DERIVED = (("ically", "ic"), ("ly", ""), ("ences", ""), ("ence", ""), ("ances", ""), ("ance", ""))
_INFLECTED = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A word without its plural, verb or adverb ending: enough to see that two are one."""
    for endings, least in ((_DERIVED, 5), (_INFLECTED, 3)):
        for ending, rest in endings:
            fits = word.endswith(ending) and len(word) - len(ending) >= least
            if fits and not word.endswith("ss"):
                return (word[: -len(ending)] + rest).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word
