"""Compares a second reading of the same bytes with the first: same words, same places?"""

from spanproof.ingest.cross_check.check import (
    MOST_MOVED,
    MOST_UNREAD,
    Comparison,
    check_span,
    compare,
)

__all__ = ["MOST_MOVED", "MOST_UNREAD", "Comparison", "check_span", "compare"]
