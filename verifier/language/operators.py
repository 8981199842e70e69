"""Words that turn what they govern into something less than a statement: data only, lower case.

A row is (kind, reach, level, phrases). A phrase is words with one blank between them; ``/`` parts
alternatives of one word, ``~`` stands for up to three words of any sort, ``n't`` for every word
that ends so. Phrases are parted by ``|``; the longest one that fits at a word counts.

Reach is what a phrase governs: ``after`` the words behind it in its clause, ``clause`` all others
of its clause, ``sentence`` all others of its sentence, ``near`` the next few. ``^`` stands before a
phrase that counts only where a sentence begins, ``$`` behind one that ends it, and ``*ing`` for
every word that ends so and is itself governed, ``#`` for a number likewise. A phrase of kind
``idle`` governs nothing: it is here to keep its words from being read as another one ("not only").
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.verifier.language.lexicon import Locale

OperatorKind = Literal[
    "negation",
    "exception",
    "condition",
    "attribution",
    "modality",
    "falsehood",
    "question",
    "time",
    "quantifier",
    "idle",
]
Reach = Literal["near", "after", "clause", "sentence"]
Level = Literal["likely", "possible"]

_IDLE = (
    "not/n't only/just/merely/simply/solely/alone/necessarily/least/until"
    "|no doubt/question/wonder/matter/sooner/one|without a doubt|without doubt|or not|if not|if any"
    "|if ever|even if|as if|if only|if anything|what if|if applicable|if possible"
    "|where applicable/possible|if you like/will/want/prefer"
    "|no/not less/fewer/later/earlier/sooner than|nothing but|none other than|not to mention"
    "|cannot help|can't help|never before/again|may/might as well"
    "|wait/waits/waited/waiting until|rather/more/less/better than ~ expected/planned"
    "|would/should like|other than that|in/during/of/on/since/until/by/early/late/mid may"
    "|may day"
    "|may 1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27/28/29/30/31"
    "/2019/2020/2021/2022/2023/2024"
    "|unless otherwise stated/agreed/specified/indicated/provided/noted"
    "|provided by/with/to/for/in/a/the/an|ask/asks/asked/asking ~ if|see/sees/saw/seeing if"
    "|know/knows/knew/known if|wonder/wonders/wondered ~ if|check/checks/checked if"
    "|determine/determines/determined if|tell/tells/told if|find/finds/found out if"
    "|investigate/investigates/investigated/test/tests/tested/examine/examines/examined if"
    "|unclear/unsure/know/sure if|no later/sooner than|no/nos #|until recently"
    "|could/cannot/can't/couldn't wait|could see/hear"
    "|is/are/was/were/be/been/being/only/also/often/mainly/when/if/and used to|no time"
    "|a/the few|a great/good few|few minutes/days/hours/years/weeks/months"
    "|if you have ~ questions|if you need/want/have/require/wish/would|if you have any"
    "|in no time|as much/many as possible"
    "|^for example/instance/this/that/these/those/now/more/further/years/decades/centuries"
    "|^for the first/second/third/last/next/past/year/quarter/most/sake/purposes/purpose/time"
    "|^for many/several/some/over/nearly/almost/about/two/three/four/five/six/ten # ~ years"
)
_NEGATION_AFTER = (
    "turn/turns/turned down|yet to|against *ing|retract/retracts/retracted"
    "|set/sets/setting aside|on the verge/brink of|not|n't"
    "|may/might/can/could/must/shall/should/will/would not|never|no|none of|nobody|no one"
    "|nothing|neither|nor|without|hardly|barely|scarcely|rarely|seldom|no longer|cannot|few"
    "|nothing in this/these/the|under no circumstances|fail/fails/failed/failing to|failure to"
    "|refuse/refuses/refused/refusing to|refusal to|decline/declines/declined/declining to"
    "|unable to|inability to|unwilling to|reluctant to|lack/lacks/lacked/lacking|lack of"
    "|absence of|free of/from|devoid of|cease/ceases/ceased/ceasing to"
    "|stop/stops/stopped short of|neglect/neglects/neglected to"
    "|prevent/prevents/prevented/preventing"
    "|keep/keeps/kept/stop/stops/stopped/stopping ~ from *ing"
    "|prohibit/prohibits/prohibited/prohibiting|forbid/forbids/forbade/forbidden"
    "|ban/bans/banned|bar/bars/barred/barring ~ from *ing"
    "|preclude/precludes/precluded/precluding|discourage/discourages/discouraged"
    "|block/blocks/blocked ~ from *ing|exempt/exempts/exempted/exempting ~ from"
    "|exemption/exemptions from|exclude/excludes/excluded"
    "|excuse/excuses/excused/release/releases/released ~ from *ing|excused from"
    "|relieve/relieves/relieved ~ of/from|waive/waives/waived/waiving|waiver of"
    "|disclaim/disclaims/disclaimed|immune from/to|protected from"
    "|refrain/refrains/refrained/refraining from|abstain/abstains/abstained from"
    "|avoid/avoids/avoided/avoiding|instead of|rather than|far from|anything but|as opposed to"
    "|in lieu of|impossible/unlikely to/that/for|rule/rules/ruled out"
    "|reject/rejects/rejected/rejecting|oppose/opposes/opposed|deny/denies/denied/denying"
    "|cancel/cancels/cancelled/canceled|withdraw/withdraws/withdrew|abandon/abandons/abandoned"
    "|revoke/revokes/revoked|repeal/repeals/repealed|veto/vetoes/vetoed"
    "|overturn/overturns/overturned|quash/quashes/quashed|abolish/abolishes/abolished"
    "|scrap/scraps/scrapped|insufficient to|disprove/disproves/disproved|refute/refutes/refuted"
    "|rebut/rebuts/rebutted|narrowly/barely missed"
)
_NEGATION_CLAUSE = (
    "is/are/was/were/be/been/being prohibited/forbidden/banned/barred/excluded/waived/denied"
    "/rejected/refused/withdrawn/cancelled/canceled/revoked/repealed/abolished/annulled/void"
    "/invalid/overturned/quashed/abandoned/postponed/superseded/disallowed/refuted/disproved"
    "/blocked/vetoed/scrapped/impossible/null/absent/missing/lacking/unlawful/illegal"
    "/unenforceable/exempt"
    "|not/n't permitted/allowed/granted/possible/applicable/apply/true"
)
#: Of the subject: they reach over what is told of it in between.
_NEGATION_SUBJECT = (
    "^no|^nobody|^none|^no one|^nothing|^neither|^few|^hardly|^not all/every/one"
    "|^under no circumstances|^at no time|^in no case"
)
_EXCEPTION = (
    "all/every/any ~ bar|everyone/everybody/anyone but|except|excepting|other than"
    "|with the exception of|save for/that|excluding|not including|but not|unless|exclusive of"
    "|with the exclusion of|excepted|otherwise than|save where/as/if/in/when"
)
_CONDITION = (
    "^once/when/whenever ~ is/are/has/have|^as soon as"
    "|^provided the/a/an/that/all/no/this|^had/were it/he/she/they/the/a|if"
    "|only if/when/where/after/once/with/upon/under/following/by/through/subject/as|^for"
    "|provided that|provided|providing that|on condition that"
    "|on the condition that|subject to|as/so long as|in case|in case of|in the case of"
    "|in the event that/of|conditional on/upon|contingent on/upon|assuming that|assuming"
    "|supposing|suppose|suppose that|imagine that|lest|^where the/a/an/any/no/such/this/it"
    "|^should the/a/an/any/it/he/she/they/you|to the extent that/permitted"
    "|in the absence of|subject ~ to|during/in/at/for/on/by/from/under/with ~ only$"
    "|unless and until"
)
_ATTRIBUTION = (
    "according to"
    "|plaintiff/claimant/defendant/complainant/accused/suspect/witness/witnesses/prosecution"
    "/prosecutor/prosecutors/defence/defense/opposition/rival/rivals/lawyer/lawyers ~ say/says"
    "/said/state/states/stated/submit/submits/submitted/testify/testifies/testified/told"
    "|testify/testifies/testified|submit/submits/submitted that|swear/swears/swore that"
    "|rumoured/rumored that|rumoured/rumored|speculation/rumours/rumors that"
    "|claims/claimed the/a/an/he/she/it/they/his/her/its|claim/claims/claimed$"
    "|allege/alleges/alleged/alleging that|allege/alleges|allegedly|reportedly|purportedly"
    "|supposedly|ostensibly|purport/purports/purported to|claim/claims/claimed/claiming that/to"
    "|contend/contends/contended/contending|assert/asserts/asserted/asserting"
    "|maintain/maintains/maintained/maintaining that|insist/insists/insisted that"
    "|argue/argues/argued/arguing that|believe/believes/believed/believing|think/thinks/thought"
    "|suspect/suspects/suspected that|assume/assumes/assumed that"
    "|speculate/speculates/speculated|rumour/rumours/rumor/rumors ~ that"
    "|accuse/accuses/accused/accusing ~ of|allegation/allegations that/of"
    "|accusation/accusations that/of|suspicion/suspicions that/of"
    "|deny/denies/denied/denying that|dispute/disputes/disputed|doubt/doubts/doubted"
    "|fear/fears/feared that|worry/worries/worried that|pretend/pretends/pretended"
    "|is/are/was/were/has/have been said/believed/thought/considered/alleged/rumoured/rumored"
    "/supposed to"
    "|is/are/was/were said/believed/thought/alleged/rumoured/rumored/supposed to"
    "|in the view/opinion/eyes of|charge/charges/charged ~ with"
    "|critics/opponents ~ say/said/claim/claimed/argue/argued/charge"
    "|wonder/wonders/wondered whether/if|dream/dreams/dreamed/dreamt that/of"
    "|imagine/imagines/imagined that|whether"
)
#: Somebody's word, which is not the source's own. A text that says so is (the row below).
_ATTRIBUTION_SAID = (
    "say/says/said/saying|tell/tells/told|predict/predicts/predicted|warn/warns/warned"
    "|suggest/suggests/suggested/suggesting that|estimate/estimates/estimated that"
    "|idea/notion/belief/theory/hypothesis/assumption/opinion/impression/fear/fears that"
    "|has/have/had it that"
)
_ATTRIBUTION_WEAK = (
    "announce/announces/announced|report/reports/reported that|state/states/stated that"
    "|article/section/clause/paragraph/act/law/statute/contract/agreement/lease/policy/manual"
    "/document/handbook/constitution/regulation/directive/treaty/judgment/court/tribunal/report"
    "/register/annex/schedule/label/leaflet/notice/rules/terms/minutes/accounts say/says/said"
    "|article/section/clause/paragraph/chapter/annex/schedule/rule ~ says/said"
    "|according to ~ report/reports/study/survey/data/figures/statistics/census/section/clause"
    "/article/act/law/statute/contract/agreement/rules/court/tribunal/judgment/schedule/records"
    "/minutes/accounts/estimates/research/analysis/paper/plan/invoice/register"
)
_MODALITY = (
    "in talks to/over|was/were to have|demand/demands/demanded that|may|might|could|possibly"
    "|perhaps|maybe|potentially|probably|would|conceivably|plan/plans/planned/planning to"
    "|plan/plans/planned/planning on|plan/plans to/that|intend/intends/intended/intending to"
    "|intention to|propose/proposes/proposed/proposing to/that|proposal/proposals to/that/for"
    "|expect/expects/expected/expecting to|expected to|hope/hopes/hoped/hoping to/for/that"
    "|want/wants/wanted/wanting to|wish/wishes/wished to|aim/aims/aimed/aiming to/at"
    "|seek/seeks/sought/seeking to|try/tries/tried/trying to"
    "|attempt/attempts/attempted/attempting to"
    "|consider/considers/considered/considering whether|promise/promises/promised to"
    "|vow/vows/vowed to|pledge/pledges/pledged to|threaten/threatens/threatened to"
    "|offer/offers/offered to"
    "|is/are/was/were due/scheduled/set/about/likely/planned/supposed/meant/intended/going"
    "/designed to"
    "|likely to|scheduled to/for|ask/asks/asked ~ to|urge/urges/urged ~ to"
    "|request/requests/requested that|recommend/recommends/recommended/recommending"
    "|recommendation to/that|advise/advises/advised/advising|would/should/could/might have"
    "|wait/waits/waited/waiting to|agree/agrees/agreed to|eligible to/for"
    "|prepare/prepares/prepared/preparing to|ready to|risk of|at risk of"
    "|possibility/likelihood/prospect of/that|hypothetical|hypothetically|is/are considering"
)
_MODALITY_CLAUSE = (
    "to the best of ~ knowledge/belief/recollection|as/so far as ~ know/knows/known/aware|"
    "in theory/principle|on paper|in name only|at best/worst|at the earliest/latest|"
    "in/during/for/as a/an/the ~ simulation/drill/exercise/scenario/rehearsal/thought/experiment"
    "/novel/hypothetical"
)
_MODALITY_NEAR = (
    "draft|proposed|planned|prospective|potential|alleged|suspected|possible|would-be|aspiring"
)
_FALSEHOOD = (
    "it is/was/'s ~ false/untrue/incorrect/wrong/fiction that"
    "|is/was ~ false/untrue/incorrect/wrong that|myth/myths that/of"
    "|myth/myths/misconception/misconceptions/fallacy/misbelief/misunderstanding/delusion/legend"
    "/superstition/superstitions/falsehood/falsehoods ~ is/are/was/were/has/holds that/it"
    "|misconception/misconceptions/fallacy/misbelief/misunderstanding/delusion/legend/superstition"
    " that|mistake/wrong/mistaken/error/folly to think/believe/assume/say/claim/conclude/infer"
    "|mistaken/wrong/erroneous/misguided/unfounded/common/popular belief/beliefs/idea/notion"
    "/impression/assumption/view that|hoax|contrary to popular/what/common"
    "|contrary to ~ advice/belief/claim/claims/report/reports/rumour/rumours/statement/view"
    "/assumption/impression that|falsely|wrongly"
    "|mistakenly|erroneously"
    "|false claim/claims/statement/statements/belief/rumour/rumor/story/report/reports"
    "|lie/lies that|debunk/debunks/debunked|not/n't ~ true/correct that|not the case that"
)
_FALSEHOOD_CLAUSE = (
    "is/are/was/were/been/be a myth/hoax/lie/misconception/fiction/rumour/rumor"
    "|is/are/was/were/been/be ~ false/untrue/incorrect/unfounded/debunked/refuted/baseless"
    "/disproved/retracted/disproven"
)
_TIME = "used to|until|till|erstwhile"
_TIME_NEAR = "former|formerly|previously|ex"
_QUANTIFIER = (
    "less/fewer than #|up to #|limited to #|limited/confined to|limit of|cap of|capped at"
    "|at most #|no/not more than #|at the most|a maximum of|maximum|not all/every/always|few"
    "|only a few"
)
_QUANTIFIER_NEAR = (
    "two/three/four/five/six/seven/eight/nine/ten of"
    "|some of|part of|parts of|half of|most of|many of|minority of|majority of"
)
_QUANTIFIER_WEAK = "almost/nearly #|some|most|several|a few|certain|mostly|partly|partially|one of"
_ENGLISH: tuple[tuple[OperatorKind, Reach, Level, str], ...] = (
    ("idle", "after", "likely", _IDLE),
    ("negation", "after", "likely", _NEGATION_AFTER),
    ("negation", "clause", "likely", _NEGATION_CLAUSE),
    ("negation", "sentence", "likely", _NEGATION_SUBJECT),
    ("exception", "sentence", "likely", _EXCEPTION),
    ("condition", "sentence", "likely", _CONDITION),
    ("attribution", "after", "likely", _ATTRIBUTION),
    ("attribution", "after", "likely", _ATTRIBUTION_SAID),
    ("attribution", "after", "possible", _ATTRIBUTION_WEAK),
    ("modality", "after", "likely", _MODALITY),
    ("modality", "clause", "likely", _MODALITY_CLAUSE),
    ("modality", "near", "likely", _MODALITY_NEAR),
    ("falsehood", "after", "likely", _FALSEHOOD),
    ("falsehood", "clause", "likely", _FALSEHOOD_CLAUSE),
    ("time", "clause", "likely", _TIME),
    ("time", "near", "likely", _TIME_NEAR),
    ("quantifier", "after", "likely", _QUANTIFIER),
    ("quantifier", "near", "likely", _QUANTIFIER_NEAR),
    ("quantifier", "near", "possible", _QUANTIFIER_WEAK),
)
_OPERATORS: Mapping[Locale, tuple[tuple[OperatorKind, Reach, Level, str], ...]] = MappingProxyType(
    {"en": _ENGLISH}
)


def operators_of(locale: Locale) -> tuple[tuple[OperatorKind, Reach, Level, str], ...]:
    """The rows of a locale."""
    return _OPERATORS[locale]
