"""Small words by what they do beside the words that a claim takes: data only, lower case."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMERALS = frozenset(lexicon_of("en").cardinals)
CURRENCIES = frozenset(lexicon_of("en").currencies)
DETERMINERS = _words("a an the its his her their this these those our my your")
PREPOSITIONS = _words(
    "of in on at by with for from to into onto over under above below against through during"
    " within without about across along among amid behind beneath beside between beyond despite"
    " near toward towards via per than"
)
#: Prepositions of which none says what another one of its row says: written by, written for.
CONTRARY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "by": _words("for to from against into"),
        "for": _words("by from against"),
        "to": _words("by from against"),
        "from": _words("by for to into against"),
        "into": _words("by from"),
        "with": _words("against from"),
        "against": _words("by for to from with"),
        "in": _words("out"),
        "under": _words("over above"),
        "over": _words("under below"),
        "above": _words("below under"),
        "below": _words("above over"),
    }
)
#: Before "a" and a noun: there is such a thing.
AMONG = _words("in at on by with from for to of into as")
ALTERNATIVES = _words("or nor either neither")
#: Before a name of something: it is another thing, or only some of it.
OTHERWISE = _words(
    "deputy vice acting assistant associate interim former ex would-be designate so-called fake"
    " mock false alleged proposed planned potential possible sub non anti pseudo quasi few fewer"
    " no hardly scarcely half quarter third most not never"
)
#: Before a noun: there is another one of it, or another measure of it.
TELLING = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth last previous current main"
    " average mean median maximum minimum net gross total adjusted operating annual estimated"
    " left right upper lower northern southern eastern western inner outer early late initial final"
    " original pilot draft provisional interim male female senior junior front rear"
)
#: Before a colon: what stands behind it is not said as so.
LABELS = _words(
    "myth myths fiction false rumour rumor claim claims allegation example examples question q"
    " hypothesis wrong incorrect misconception fable joke scenario draft"
)
#: Before an amount or "all": it is not just that much.
NEARLY = _words("nearly almost practically virtually about around roughly approximately least as")
#: How many of a thing: "some towns" speaks of no other town.
QUANTIFIERS = _words("some several many various certain numerous multiple")
#: Nouns that "to" goes on with: damage to the hull.
RELATIONAL = _words(
    "damage harm injury injuries access right rights threat threats change changes amendment"
    " amendments objection objections exception exceptions limit limits answer solution entrance"
    " contribution contributions reference repairs improvements"
)
#: Nouns that "for" goes on with: a claim for lost profits.
CLAIMING = _words(
    "claim claims application applications request requests motion motions petition petitions"
    " demand demands lawsuit lawsuits liability responsibility compensation penalty penalties"
    " candidate candidates deadline deadlines licence licences license licenses permit permits"
)
#: Behind what is so in general: where alone it is.
ELSEWHERE = _words(
    "abroad overseas online offline nationwide locally indoors outdoors onsite remotely"
    " domestically upstairs downstairs outside inside"
)
#: In an insertion: it is not always so, or not surely.
HEDGING = _words(
    "rule general generally principle usual usually normal normally typical typically often"
    " sometimes mostly mainly largely possibly perhaps probably apparently allegedly reportedly"
    " supposedly if unless subject provided possible appropriate necessary applicable theory"
    " exceptional occasionally rarely seldom nominally ostensibly arguably hypothetically likely"
    " expected planned supposing assuming hopefully"
)
REFLEXIVES = _words("himself herself itself themselves myself yourself ourselves")
#: Before "of": a part of what follows.
PARTS = QUANTIFIERS | _words(
    "one two three four five six seven eight nine ten half third quarter part parts most few none"
    " any either neither each all both majority minority portion section member members"
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
LIMITS = _words(
    "within until before unless if provided when where after during up with without upon on subject"
    " to for under"
)
#: Without a comma before it: at the same time, or only then.
WHILE = frozenset({"while", "whilst"})
#: Behind what is so in general: when it is.
CONDITIONS = _words("if when whenever where unless once provided until till")
#: At a sentence's beginning: for whom, or with what.
CONDITIONING = _words("with without for among under except subject upon assuming given")
#: Words in -ly that tell a kind.
KINDS_IN_LY = _words(
    "early daily weekly monthly quarterly yearly hourly nightly elderly friendly deadly costly"
    " lonely lovely holy ugly silly orderly scholarly timely worldly likely family only"
)
#: A claim with one of these says more than its source if it leaves out how the source goes on.
UNIVERSAL = _words(
    "all every each any everyone everybody anyone anybody anything everything always whoever"
    " whatever only first last final sole most least best worst nobody none nothing"
)
#: Behind a thing without an article: which ones of its kind.
RESTRICTING = _words(
    "who that which whose with without in among for from of on at aged under over between where"
    " against during"
)
#: They go with the word behind them.
LIMITING = _words(
    "no not cannot never only all every each both most first last just merely solely after before"
    " since because than"
)
ALLOWED = _words("may can could eligible entitled allowed permitted free exempt")
#: What is allowed or asked of some is not so of all.
GRANTED = ALLOWED | _words("must shall should required obliged banned prohibited liable")
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
#: Adverbs without which what happened happened all the same.
ADDING = _words(
    "also again already currently now still soon recently newly formally officially publicly "
    "successfully quickly slowly rapidly immediately promptly suddenly subsequently eventually "
    "later repeatedly separately directly automatically significantly sharply considerably "
    "substantially dramatically slightly steadily strongly heavily severely widely unanimously "
    "actually really certainly clearly notably famously personally very extremely highly "
    "particularly especially deeply greatly ultimately explicitly specifically"
)
#: Before a noun: what it names may be none of its kind, or not yet, or no more.
NOT_THE_THING = _words(
    "former late future upcoming forthcoming incoming outgoing aspiring prospective toy model "
    "replica miniature dummy draft pretend imaginary imagined fictional fictitious hypothetical "
    "virtual artificial synthetic counterfeit forged bogus supposed so-called self-styled self- "
    "proclaimed honorary shadow junior sister parent rival mini failed attempted aborted "
    "cancelled canceled abandoned planned unofficial unfinished near partial semi half quarter co "
    "candidate nominee lookalike wannabe apparent presumed suspected likely unlikely dead extinct "
    "retired defunct temporary nominal possible theoretical potential mere paper chocolate "
    "unsuccessful unelected defeated losing rejected disputed contested disqualified dismissed "
    "different other another second-hand similar certain single only main sole unique reserve "
    "substitute trainee student apprentice foster adoptive surrogate decoy wax stuffed plastic "
    "rubber inflatable proxy stand-in understudy"
)
#: Nouns that tell who or what the name behind them is.
TITLES = _words(
    "actor actress architect artist athlete author biologist builder captain chemist coach "
    "composer chairman chairwoman champion chef comedian commander critic dancer defender "
    "designer developer director doctor drummer economist editor engineer executive explorer "
    "farmer filmmaker footballer general forward goalkeeper governor guitarist historian inventor "
    "journalist judge king lawyer manager mathematician mayor midfielder minister musician "
    "novelist nurse officer painter philosopher photographer physicist pianist player playwright "
    "poet politician president producer professor queen rapper researcher scientist screenwriter "
    "sculptor senator singer songwriter spokesman spokeswoman star striker surgeon swimmer winger "
    "writer teammate colleague wife husband son daughter brother sister mother father friend "
    "activist agent analyst clerk dealer diplomat driver envoy founder leader rider rower sailor "
    "scholar secretary sergeant skier soldier student teacher trader trainer tycoon agency "
    "airline association authority bank band brand city club company conglomerate cooperative "
    "district firm giant group institute label magazine manufacturer maker network newspaper "
    "outfit province regulator region retailer river side startup state studio supplier team town "
    "tribe village website"
)
#: Of a name: without one of these it is another's.
NAMED_AFTER = _words(
    "north south east west northern southern eastern western central new old saint san santa st "
    "los las el la le great greater lower upper mount fort port little grand"
)
#: In a name: it is one of something, not of somebody.
INSTITUTIONS = _words(
    "hospital school university college academy street road avenue square bridge tower company "
    "hotel airport station park museum bank church cathedral award prize cup trophy medal club "
    "group inc ltd plc corporation airlines airways air army navy force press times post party "
    "league union association federation foundation institute library theatre theater stadium "
    "arena islands island sea ocean river lake mountains bay state states republic kingdom city "
    "county court house"
)
#: Of a name: what it is a name of.
KINDS_OF_PLACE = _words(
    "city town village state province county district region island kingdom republic municipality "
    "borough commune canton prefecture month year suburb"
)
#: Less said of the same is not said with these: of what is like it, before it, without it.
LESSENING = _words(
    "if when whenever unless until whether than like unlike instead against avoid avoids avoided "
    "prohibit prohibits prohibited ban bans banned forbid forbids forbidden prevent prevents "
    "prevented oppose opposes opposed exempt lack lacks lacked exclude excludes excluded stop "
    "stopped stops need needs too enough same half many much several both two three four five six "
    "seven eight nine ten dozen hundred thousand million percent average total number share "
    "majority minority most largest main top sole unique leading favourite favorite record "
    "previous next other another similar different so such may would"
)
