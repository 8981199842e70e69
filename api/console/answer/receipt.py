"""The receipt of an answer, as its page shows it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import IntegrityError

if TYPE_CHECKING:
    from spanproof.api.console.links import Links
    from spanproof.store.receipts import Receipts

LOG = logging.getLogger("spanproof.console")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptView:
    """``problem``: why a stored receipt cannot be shown; ``url`` None: no receipt."""

    url: str | None
    origin: str | None = None
    index: int | None = None
    problem: str | None = None


def make_receipt_view(receipts: Receipts, verification_id: str, links: Links) -> ReceiptView:
    """The view of a verification's receipt, or of its absence."""
    try:
        found = receipts.find(verification_id)
    except IntegrityError as error:
        # An unreadable receipt must not hide the verification.
        LOG.exception("%s", error.code)
        return ReceiptView(url=None, problem=str(error))
    if found is None:
        return ReceiptView(url=None)
    return ReceiptView(url=links.receipt(verification_id), origin=found.origin, index=found.index)
