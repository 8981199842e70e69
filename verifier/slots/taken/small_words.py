"""Small words by what they do beside the words that a claim takes: data only, lower case."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS = _words("a an the its his her their this these those our my your")
PREPOSITIONS = _words(
    "of in on at by with for from to into onto over under above below against through during"
    " within without about across along among amid behind beneath beside between beyond despite"
    " near toward towards via per than"
)
ALTERNATIVES = _words("or nor either neither")
#: Before a name of something: it is another thing, or only some of it.
OTHERWISE = _words(
    "deputy vice acting assistant associate interim former ex would-be designate so-called fake"
    " mock false alleged proposed planned potential possible sub non anti pseudo quasi few fewer"
    " no hardly scarcely half quarter third most"
)
#: What may follow a whole statement without a mark.
GOES_ON = _words("and but because although though while whereas")
#: Adverbs without -ly, and what opens another clause.
ASIDE = _words(
    "again yesterday today tomorrow together here there once twice too also well far more less most"
    " ago abroad ahead apart away back down home later earlier now off out up overnight online"
    " worldwide nationwide afterwards afterward since still yet already soon then thus so instead"
    " alone alike both each who whom whose which that where when what why how because although"
    " though while whereas if unless until as than not never no"
    " after before till following including except according amid like despite other due next this"
    " last monday tuesday wednesday thursday friday saturday sunday"
)
BOUNDS = _words("above below over under exceeding beyond between up of")
LIMITS = _words("within until before unless if provided when where after during up")
#: A claim with one of these says more than its source if it leaves out how the source goes on.
UNIVERSAL = _words(
    "all every each any everyone everybody anyone anybody anything everything always whoever"
    " whatever only first last final sole most least best worst nobody none nothing"
)
ALLOWED = _words("may can could eligible entitled allowed permitted free exempt")
#: "The last time", "every six months": when, and nothing of all or of the last of a kind.
DATING = _words("first last final every each")
AT = _words("least most")
TIMES = _words(
    "time times second minute hour day night morning evening week weekend month quarter season"
    " summer winter spring autumn fall year decade century half monday tuesday wednesday thursday"
    " friday saturday sunday"
)
#: What holds of several things together holds of none of them.
TOGETHER = _words(
    "combined together jointly joint both total altogether collectively respectively each other"
    " share shared shares same merged merge married marry met meet between"
)
UNITS = _words(
    "second seconds minute minutes hour hours day days week weeks month months year years inch"
    " inches foot feet yard yards mile miles ounce ounces pound pounds stone gram grams kilogram"
    " kilograms cent cents pence dollar dollars metre metres meter meters centimetre centimetres"
)
