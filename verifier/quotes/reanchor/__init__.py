"""Re-anchoring: the place of a span's words in another extraction, if they have one there.

Two channels are asked, and both are recorded. *Text*: where the very same words, up to safe folds,
stand in the target. *Geometry*, where both extractions are of the same bytes: what the target reads
at the glyphs' places. In the order in which it is carried out:

1. SAME: the same extraction, or the same canonical text; the offsets stay.
2. Every place of the words is searched. One place is enough only if the words stood in one place
   before (one copy that is left does not show where a deleted copy went), and if the old
   neighbours do not stand around other words now (then those words replaced the span).
3. Among several, the page decides where a page of the very same text holds the span, else the words
   around it, where exactly one place has them on both sides.
4. Geometry, where it can be asked, must read the words at a place that the text channel found too.
   It decides among several; where it reads other words, or nothing, nothing is accepted (CONFLICT).
5. Words that stand nowhere so, but whose lines the target has in another order (``line_order``),
   are accepted if there is one way to read them and geometry, where asked, agrees.
6. The existence ladder describes all the rest: ALTERED (with the difference), REORDERED (in
   pieces), AMBIGUOUS, GONE, UNVERIFIABLE. These are never accepted, even if they are similar.

The old span is never overwritten: the result is a new row beside it.
"""

from spanproof.core.verdicts.reanchoring import (
    ACCEPTED,
    ALGORITHM,
    Channels,
    Reanchored,
    ReanchorStatus,
)
from spanproof.verifier.quotes.reanchor.search import reanchor

__all__ = ["ACCEPTED", "ALGORITHM", "Channels", "ReanchorStatus", "Reanchored", "reanchor"]
