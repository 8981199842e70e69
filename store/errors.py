"""Errors of the store that no other package can meet.

SpanproofError (spanproof.core.errors)
└── StoreUnavailableError            nothing is wrong with the data: a disk or a database did
    ├── StoreFullError               not serve: it has no room
    └── ObjectStoreUnavailableError  or an object store did not serve
"""

from __future__ import annotations

from spanproof.core.errors import SpanproofError


class StoreUnavailableError(SpanproofError):
    """The disk or the database refused the work; nothing of the request was done."""

    code = "STORE_UNAVAILABLE"


class StoreFullError(StoreUnavailableError):
    """The disk has no room: the transaction was rolled back whole, and another may be tried."""


class ObjectStoreUnavailableError(StoreUnavailableError):
    """The object store did not serve: its content cannot be read, nor be called damaged."""
