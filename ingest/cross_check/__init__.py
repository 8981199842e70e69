"""A second reading of the same bytes held against the first: the same words at the same places?"""

from spanproof.ingest.cross_check.check import (
    MOST_MOVED,
    MOST_UNREAD,
    Comparison,
    check_span,
    compare,
)

__all__ = ["MOST_MOVED", "MOST_UNREAD", "Comparison", "check_span", "compare"]
