"""A tombstone checked offline, as a receipt is: a signed and logged statement that content is gone.

It is a bundle like a receipt's (docs/reference/receipts.md) around an ``erasure`` statement.
A forged one would excuse what somebody hides, so nothing of it is believed before (2) to (5) and
(8) of ``spanproof.receipt.check.receipt``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import EvidenceError, MalformedReceiptError
from spanproof.receipt.check.content import LoggedErasure
from spanproof.receipt.check.receipt import check_head_key, check_logged, check_trust_age, find_key
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.dsse import open_envelope
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import Erasure

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.receipt.keys.trust_file import TrustFile


def check_tombstone(raw: bytes, trust: TrustFile, *, now: datetime) -> LoggedErasure:
    """The erasure that a bundle proves.

    Raises MalformedReceiptError or MalformedNoteError for what is no such bundle, EvidenceError
    where a signature, the proof or a key does not hold.
    """
    bundle = parse_bundle(raw)
    check_trust_age(trust, now)
    payload = open_envelope(bundle.envelope, find_key(bundle, trust))
    signers = check_logged(bundle, find_key(bundle, trust), trust)
    event = parse_event(payload)
    if not isinstance(event, Erasure):
        msg = f"Expected the statement of an erasure, got one of kind {event.KIND!r}."
        raise MalformedReceiptError(msg, hint="Give what 'spanproof erase --tombstone' wrote.")
    leaf = bundle.included.leaf
    if event.origin != leaf.origin:
        msg = f"Expected a tombstone of the log {leaf.origin!r}, got one of {event.origin!r}."
        raise EvidenceError(msg, hint="Give the tombstone as it was issued.")
    check_head_key(signers, trust, event.time)
    trust.require_signing_key(
        bundle.key_id, moment=event.time, origin=leaf.origin, index=leaf.index
    )
    return LoggedErasure(event=event, index=leaf.index)
