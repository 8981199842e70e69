"""Words that reverse what a sentence says when one stands for the other: data only, lower case.

A row holds two sides, every form of a word on its own; rows that share a word are joined.
"""

ENGLISH = (
    ("accept accepts accepted upheld upholds", "reject rejects rejected"),
    ("grant grants granted allow allowed allows", "deny denies denied refuse refused refuses"),
    (
        "approve approves approved",
        "reject rejects rejected disapproved refuse refuses refused",
    ),
    (
        "increase increases increased rise rises rose risen grew",
        "decrease decreases decreased fall falls fell fallen declined declines drop drops",
    ),
    ("before", "after"),
    ("above", "below"),
    ("minimum", "maximum"),
    ("more", "less fewer"),
    ("higher", "lower"),
    ("larger bigger", "smaller"),
    ("largest biggest", "smallest"),
    ("highest", "lowest"),
    ("longer", "shorter"),
    ("older", "younger"),
    ("oldest", "youngest"),
    ("earlier", "later"),
    ("include included includes including", "exclude excluded excludes excluding"),
    ("cover covers covered", "exclude excludes excluded"),
    (
        "permit permits permitted allow allows allowed",
        "prohibit prohibits prohibited forbid forbids forbade forbidden",
    ),
    ("safe", "unsafe"),
    ("lawful legal", "unlawful illegal"),
    ("valid", "invalid void"),
    ("won wins win", "lost loses lose"),
    ("gain gains gained", "lose loses lost"),
    ("succeeded", "failed"),
    ("guilty convicted", "acquitted innocent"),
    ("profit profits", "loss losses"),
    ("positive", "negative"),
    ("present", "absent"),
    ("refundable", "non-refundable nonrefundable"),
    ("always", "never"),
    ("everyone everybody", "nobody"),
    ("buyer purchaser", "seller"),
    ("tenant lessee", "landlord lessor"),
    ("plaintiff claimant", "defendant"),
    ("increasing rising growing", "decreasing falling shrinking declining"),
    ("high", "low"),
    ("greater", "smaller less"),
    ("longest", "shortest"),
    ("earliest", "latest"),
    ("better", "worse"),
    ("best", "worst"),
    ("gained", "lost"),
    ("north northern", "south southern"),
    ("east eastern", "west western"),
    ("up", "down"),
    ("inside indoors", "outside outdoors"),
    ("male", "female"),
    ("man men", "woman women"),
    ("boy boys", "girl girls"),
    ("husband", "wife"),
    ("father", "mother"),
    ("son", "daughter"),
    ("brother", "sister"),
    ("young", "old"),
    ("success", "failure"),
    ("successful", "unsuccessful failed"),
    ("improve improves improved", "worsen worsens worsened deteriorated"),
    ("reduce reduces reduced reducing", "increase increases increased increasing raise raised"),
    ("alive", "dead"),
    ("open opened opens", "closed closes shut"),
    ("start started starts began begins", "ended ends finished"),
    ("buy buys bought", "sell sells sold"),
    ("same", "different"),
    ("large big", "small"),
    ("strong stronger", "weak weaker"),
    ("early", "late"),
    ("first", "last"),
    ("left", "right"),
    ("hot", "cold"),
    ("import imports imported", "export exports exported"),
    ("support supports supported", "oppose opposes opposed"),
    ("inclusive including", "exclusive excluding"),
    ("public", "private"),
    ("mandatory compulsory", "optional voluntary"),
    ("maximal", "minimal"),
    ("lender creditor", "borrower debtor"),
    ("licensor", "licensee"),
    ("employer", "employee"),
    ("supplier", "customer"),
)

#: Of them, those that say the same when their two sides change places (A before B, B after A).
CONVERSES = (
    "before after above below more less fewer higher lower larger bigger greater smaller longer"
    " shorter older younger earlier later better worse stronger weaker faster slower heavier"
    " lighter north northern south southern east eastern west western left right buy buys bought"
    " sell sells sold lend lends lent borrow borrows borrowed win wins won lose loses lost import"
    " imports imported export exports exported employer employee lender creditor borrower debtor"
    " supplier customer licensor licensee landlord lessor tenant lessee buyer purchaser seller"
    " husband wife"
)
