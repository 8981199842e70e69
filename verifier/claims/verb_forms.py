"""English verb forms, as far as splitting a claim needs them: which words begin a predicate.

A closed list, not a tagger: a verb that is missing here leaves a claim whole, which costs only a
grade. Forms that are as often nouns in the plural (reports, costs, claims) are left out.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE = frozenset({"is", "are", "was", "were"})
HAVE = frozenset({"has", "have", "had"})
MODALS = frozenset(
    {"can", "cannot", "could", "may", "might", "must", "shall", "should", "will", "would"}
)
DO = frozenset({"does", "do", "did"})
AUXILIARIES = BE | HAVE | MODALS | DO

_REGULAR = _words(
    "accept achieve acquire act add address adopt agree allow announce appear apply appoint approve"
    " arrive assess assign assume attend attract authorise authorize bear become begin belong bring"
    " build buy calculate call cancel carry cause cease change charge choose close collect combine"
    " commence comply complete conclude conduct confirm connect consist contain continue contribute"
    " cover create deal decide declare decline decrease define deliver demand deny depend describe"
    " design destroy determine develop die differ direct discover distribute divide donate double"
    " earn employ enable encourage end enforce enter establish examine exceed exclude exist expand"
    " expire explain express extend fail fall file fill find finish fly follow forbid form found"
    " fund gain generate get give govern grant grow guarantee handle happen head hire hold identify"
    " ignore implement impose improve include incorporate increase indicate inform inherit inspect"
    " install introduce invent invest invite involve join keep kill know lack last launch lay lead"
    " learn leave lend lie limit list live locate lose lower maintain make manufacture marry"
    " measure meet merge move need notify obtain occupy occur offer open operate oppose order"
    " oversee own pass pay perform permit play possess precede predict prepare prevent produce"
    " prohibit promise promote protect prove provide publish pull purchase pursue put qualify raise"
    " reach receive recognise recognize recommend recover reduce refer refund refuse regulate"
    " reject release rely remain remove renew repair repay replace represent require resign resolve"
    " respond restore restrict result retain retire return reveal review revise ride rise run"
    " satisfy save secure select sell send separate serve settle share show shrink shut sign sit"
    " solve spend stand start state stay stop store strengthen study submit succeed suffer"
    " supervise supply support suspend take teach terminate test threaten track train transfer"
    " transform travel treat triple turn undergo undertake use vacate vary visit vote waive warn"
    " weaken wear win withdraw work write yield encrypt expose invoice archive delete"
)
_IRREGULAR = {
    "bear": "bore borne", "become": "became become", "begin": "began begun",
    "bring": "brought brought", "build": "built built", "buy": "bought bought",
    "choose": "chose chosen", "deal": "dealt dealt", "fall": "fell fallen", "find": "found found",
    "fly": "flew flown", "forbid": "forbade forbidden", "get": "got got", "give": "gave given",
    "grow": "grew grown", "hold": "held held", "keep": "kept kept", "know": "knew known",
    "lay": "laid laid", "lead": "led led", "leave": "left left", "lend": "lent lent",
    "lie": "lay lain", "lose": "lost lost", "make": "made made", "meet": "met met",
    "oversee": "oversaw overseen", "pay": "paid paid", "put": "put put", "repay": "repaid repaid",
    "ride": "rode ridden", "rise": "rose risen", "run": "ran run", "sell": "sold sold",
    "send": "sent sent", "show": "showed shown", "shrink": "shrank shrunk", "shut": "shut shut",
    "sit": "sat sat", "spend": "spent spent", "stand": "stood stood", "take": "took taken",
    "teach": "taught taught", "undergo": "underwent undergone", "wear": "wore worn",
    "undertake": "undertook undertaken", "win": "won won", "withdraw": "withdrew withdrawn",
    "write": "wrote written",
}  # fmt: skip
#: Third persons that a claim more often means as plural nouns.
_NOUNS = _words(
    "acts addresses calls causes changes charges closes covers deals decreases demands designs ends"
    " files finds forms founds funds gains grants guarantees heads hires holds increases invoices"
    " joins lacks lists limits lives measures moves needs offers orders passes plays promises"
    " purchases repairs releases results returns reviews rides runs shares shows signs starts"
    " states stays stops stores studies supplies supports tests tracks trains transfers treats"
    " turns uses visits votes works yields refunds archives benefits"
)
#: Bases that also stand as nouns or adjectives where a second object may follow.
_OBJECTS = _words(
    "act address call cause change charge close complete cover deal decline decrease demand design"
    " direct double end file form found fund gain grant guarantee head hire hold increase invoice"
    " lack last lead lie limit list live lower measure move need offer open order own pass pay play"
    " present promise purchase refund release repair result return review ride rise run separate"
    " share show sign stand start state stay stop store study supply support test track train"
    " transfer transform travel treat triple turn use visit vote win work yield archive"
)


def _third_person(base: str) -> str:
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


#: One syllable that ends in a vowel and a consonant: stop, plan.
_SHORT = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
_DOUBLED = frozenset(
    {"permit", "refer", "submit", "occur", "transfer", "cancel", "control", "unplug", "commit"}
)


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLED or _SHORT.fullmatch(base) else "") + "ed"


def to_participle(base: str) -> str:
    """The participle of a verb's base form: replaced, kept."""
    return _IRREGULAR[base].split()[1] if base in _IRREGULAR else _regular_past(base)


BASES = _REGULAR - _OBJECTS
#: Also those that are as often nouns.
ALL_BASES = _REGULAR
THIRD_PERSONS = frozenset(map(_third_person, _REGULAR)) - _NOUNS
#: Verbs where a determiner follows (repairs the roof), nouns elsewhere (repairs are due).
UNSURE_THIRD_PERSONS = frozenset(map(_third_person, _REGULAR)) & _NOUNS
PASTS = frozenset(
    _IRREGULAR[base].split()[0] if base in _IRREGULAR else _regular_past(base) for base in _REGULAR
) - {"put", "shut", "run", "lay", "found", "left", "felt"}
#: Words that a predicate may begin with.
FINITE = AUXILIARIES | PASTS | THIRD_PERSONS | UNSURE_THIRD_PERSONS
PARTICIPLES = frozenset(
    _IRREGULAR[base].split()[1] if base in _IRREGULAR else _regular_past(base) for base in _REGULAR
) - {"become", "run", "left"}
#: Pasts that form no passive: "was born and died" is no "was died".
INTRANSITIVES = _words(
    "appeared arrived became began belonged consisted declined died differed disappeared existed"
    " expired failed fell happened lasted lay occurred remained resigned responded rose sat stayed"
    " stood succeeded traveled travelled went"
)
