"""Small words by what they do for the content of a sentence: data only, lower case."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words that carry nothing of their own: grammar, "one", which seldom counts, and words that make
#: the claim say less (it may, perhaps).
EMPTY = _words(
    "a an the of to in on at by for with from as is are was were be been being am do does did done "
    "has have had having it its this that these those and or but then so such he she they his her "
    "their them him who whom whose which what when where there here also into onto upon our we i "
    "you your my me us itself himself herself themselves than while would will shall should s t d "
    "ll re ve one own very just mr mrs ms within during through about out up down off over if how "
    "why both yes well since now thus among amongst amid amidst can could may might allegedly "
    "reportedly possibly perhaps maybe apparently per approximately roughly circa approx"
)
DENIALS = _words(
    "not no never none neither nor nobody nothing nowhere cannot without non hardly n't"
)
#: Plain denials: each says what the others say. "Never" and "nobody" say more.
PLAIN_DENIALS = _words("not no none neither nor cannot non n't")
#: Words that matter where they stand: other sentences of the source cannot lend them.
STRICT = _words(
    "including except excluding besides unless only solely exclusively first last final most least "
    "more less fewer all every always never no not none nobody nothing cannot without any each "
    "everyone everybody best worst better worse further before after"
)
#: A source that has one of these where the claim has nothing of the kind says less or the contrary.
OPERATORS = DENIALS | _words(
    "seem seems seemed appear appears appeared may might could would should refuse refuses refused "
    "deny denies denied reject rejects rejected fail fails failed unable allegedly reportedly "
    "supposedly possibly perhaps probably likely unlikely believed claimed alleged rumoured "
    "rumored proposed planned plans hoped hopes expected unless if except excluding rarely seldom "
    "barely almost nearly false untrue falsely wrongly rather instead nor few some sometimes "
    "occasionally attempted tried intended withdrawn cancelled canceled revoked lacks lacked"
)
#: Small words within a name.
LINKS = _words("of the and for in on")
#: A full stop after one of these ends no sentence.
ABBREVIATIONS = _words(
    "mr mrs ms dr prof st sr jr vs etc no fig inc ltd co corp approx dept gov sen rep gen col lt "
    "sgt capt jan feb mar apr jun jul aug sept sep oct nov dec al eg ie cf ca art sec para vol pp "
    "ed eds"
)
