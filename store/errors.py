"""Errors of the store that no other package can meet.

SpanproofError (core.errors)
└── StoreUnavailableError    nothing is wrong with the data: the disk or the database did not serve
"""

from __future__ import annotations

from core.errors import SpanproofError


class StoreUnavailableError(SpanproofError):
    """The disk or the database refused the work; what was asked for was not done."""

    code = "STORE_UNAVAILABLE"
