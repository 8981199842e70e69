"""The word lists of the mutations and format changes: data only."""

from __future__ import annotations

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_ONES = "zero one two three four five six seven eight nine".split()  # noqa: SIM905
_TEENS = ("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen").split()  # noqa: SIM905
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
#: The word of each number from 0 to 99, in order.
NUMBER_WORDS = (
    *_ONES,
    *_TEENS,
    *(tens if ones == "zero" else f"{tens}-{ones}" for tens in _TENS for ones in _ONES),
)
ORDINALS = (
    ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"),
)
AUXILIARIES = (
    "is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would", "should",
    "may", "might", "must", "shall", "does", "do", "did",
)  # fmt: skip
#: What a unit may become; the premise must not contain the new unit.
UNITS = {
    "seconds": ("minutes", "hours"),
    "minutes": ("hours", "seconds", "days"),
    "minute": ("hour", "second"),
    "hours": ("minutes", "days", "weeks"),
    "hour": ("minute", "day"),
    "days": ("weeks", "hours", "months"),
    "day": ("week", "month"),
    "weeks": ("days", "months", "years"),
    "week": ("day", "month"),
    "months": ("weeks", "years", "days"),
    "month": ("week", "year"),
    "years": ("months", "weeks", "decades"),
    "year": ("month", "week"),
    "km": ("miles", "metres"),
    "kilometres": ("miles", "metres"),
    "kilometers": ("miles", "meters"),
    "miles": ("kilometres", "km", "yards"),
    "meters": ("feet", "kilometers"),
    "metres": ("feet", "kilometres"),
    "feet": ("metres", "inches", "miles"),
    "foot": ("metre", "inch"),
    "inches": ("feet", "cm"),
    "cm": ("mm", "inches"),
    "mm": ("cm", "inches"),
    "mg": ("g", "kg"),
    "kg": ("pounds", "g"),
    "pounds": ("kg", "ounces"),
    "ml": ("litres",),
    "acres": ("hectares",),
    "million": ("billion", "thousand"),
    "billion": ("million",),
    "thousand": ("million",),
}
QUANTIFIERS = {
    "all": ("some", "no", "most"),
    "every": ("no", "almost no"),
    "each": ("no",),
    "most": ("few", "all"),
    "many": ("few", "no"),
    "several": ("no", "all"),
    "some": ("all", "no"),
    "few": ("many", "most"),
    "both": ("neither",),
    "any": ("no",),
    "at least": ("at most", "fewer than"),
    "at most": ("at least", "more than"),
    "more than": ("less than", "at most"),
    "less than": ("more than", "at least"),
    "fewer than": ("more than", "at least"),
    "always": ("never", "sometimes"),
    "never": ("always",),
    "often": ("rarely",),
    "usually": ("rarely",),
    "sometimes": ("always", "never"),
    "everyone": ("no one",),
    "nobody": ("everybody",),
    "none of": ("all of",),
    "only": ("not only",),
}
MODALS = {
    "must": ("may", "need not"),
    "shall": ("may", "need not"),
    "should": ("must", "need not"),
    "may": ("must", "will"),
    "might": ("will", "must"),
    "can": ("must", "cannot"),
    "could": ("must", "could not"),
    "will": ("may", "might"),
    "would": ("might",),
    "cannot": ("can", "must"),
    "required to": ("permitted to", "allowed to"),
    "allowed to": ("required to", "forbidden to"),
    "permitted to": ("required to", "forbidden to"),
}
_OPPOSITES = (
    ("increase", "decrease"), ("increases", "decreases"), ("increased", "decreased"),
    ("increasing", "decreasing"), ("rise", "fall"), ("rises", "falls"), ("rose", "fell"),
    ("rising", "falling"), ("grew", "shrank"), ("growing", "shrinking"), ("higher", "lower"),
    ("highest", "lowest"), ("high", "low"), ("before", "after"), ("above", "below"),
    ("more", "fewer"), ("more", "less"), ("larger", "smaller"), ("largest", "smallest"),
    ("bigger", "smaller"), ("biggest", "smallest"), ("older", "younger"), ("oldest", "youngest"),
    ("longer", "shorter"), ("longest", "shortest"), ("earlier", "later"), ("maximum", "minimum"),
    ("better", "worse"), ("best", "worst"), ("won", "lost"), ("win", "lose"), ("gained", "lost"),
    ("first", "last"), ("north", "south"), ("northern", "southern"), ("east", "west"),
    ("eastern", "western"), ("up", "down"), ("inside", "outside"), ("indoors", "outdoors"),
    ("male", "female"), ("man", "woman"), ("men", "women"), ("boy", "girl"), ("young", "old"),
    ("positive", "negative"), ("success", "failure"), ("successful", "unsuccessful"),
    ("accepted", "rejected"), ("approved", "rejected"), ("allowed", "forbidden"),
    ("improved", "worsened"), ("improves", "worsens"), ("improve", "worsen"),
    ("reduced", "increased"), ("reduces", "increases"), ("reduce", "increase"),
    ("include", "exclude"), ("includes", "excludes"), ("included", "excluded"),
    ("alive", "dead"), ("open", "closed"), ("opened", "closed"), ("started", "ended"),
    ("began", "ended"), ("buy", "sell"), ("bought", "sold"), ("guilty", "innocent"),
    ("legal", "illegal"), ("same", "different"), ("large", "small"), ("big", "small"),
)  # fmt: skip
DIRECTIONS: dict[str, tuple[str, ...]] = {}
for _one, _other in _OPPOSITES:
    DIRECTIONS[_one] = (*DIRECTIONS.get(_one, ()), _other)
    DIRECTIONS[_other] = (*DIRECTIONS.get(_other, ()), _one)
#: Single names, then full ones, that few texts hold.
NAMES = (
    ("Wexler", "Okonkwo", "Lindqvist", "Tanaka", "Ruritania", "Oslo", "Nairobi", "Portugal",
     "Acme", "Globex", "Marta", "Ingrid", "Kowalski", "Peru", "Zurich"),
    ("Anna Wexler", "David Okonkwo", "Ingrid Lindqvist", "Kenji Tanaka", "Acme Industries",
     "Globex Corporation", "Marta Kowalski", "New Zealand", "Sierra Leone", "Northgate Partners"),
)  # fmt: skip
