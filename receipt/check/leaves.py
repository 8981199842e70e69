"""Who put a leaf into a log: every leaf is one of ours, by a key that an auditor trusts for it.

A leaf by another key, or by a key after it was revoked, is what a thief or a careless operator
leaves behind; the log shows it to every auditor. A leaf that appeared in the log when its key was
revoked is only counted, where it proves nothing any more: it could not be taken out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import MalformedReceiptError
from spanproof.core.log.merkle import MAX_SIZE
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.forms.log_entry import LeafForm, parse_entry

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.receipt.forms.log_entry import Entry
    from spanproof.receipt.keys.trust_file import TrustFile


class LeafCheck:
    """Looks at each leaf of one log; ``visit`` is a ``spanproof.receipt.check.tree.VisitEntry``."""

    def __init__(
        self,
        trust: TrustFile,
        origin: str,
        *,
        with_signatures: bool = False,
        closed_at: datetime | None = None,
    ) -> None:
        """``with_signatures``: each leaf's signature is verified too, which takes the most time.

        ``closed_at``: when the log was closed, where it was.
        """
        self.findings = Findings()
        self.signatures = 0
        #: Leaves of revoked keys that were here by then: receipts of them no longer count.
        self.withdrawn = 0
        self._keys = {each.key.public_key: each.key for each in trust.signing_keys}
        self._with_signatures = with_signatures
        self._limits = find_limits(trust, origin)
        self._logged = find_limits(trust.as_logged(origin, closed_at=closed_at), origin)
        # Of a key that was revoked the index decides too.
        self._forms = [LeafForm(key) for key, limit in self._limits.items() if limit == MAX_SIZE]

    def visit(self, index: int, entry: bytes) -> None:
        """Look at the entry of this index."""
        if not self._with_signatures and any(form.fits(entry) for form in self._forms):
            return
        try:
            leaf = parse_entry(entry)
        except MalformedReceiptError as error:
            self.findings.add(code="ENTRY_MALFORMED", place=f"leaf {index}", message=error.message)
            return
        limit = self._limits.get(leaf.public_key)
        if limit is None:
            message = "Expected a leaf by a key of the trust file, got one by another key."
            self.findings.add(code="ENTRY_KEY_UNKNOWN", place=f"leaf {index}", message=message)
        elif index >= self._logged[leaf.public_key]:
            message = f"Expected leaves of a revoked key below index {limit} only, got this one."
            self.findings.add(code="ENTRY_KEY_REVOKED", place=f"leaf {index}", message=message)
        else:
            self._see_trusted(index, leaf, limit)

    def _see_trusted(self, index: int, leaf: Entry, limit: int) -> None:
        self.withdrawn += index >= limit
        if self._with_signatures:
            self.signatures += 1
            if not self._keys[leaf.public_key].verify_digest(leaf.digest, leaf.signature):
                message = "Expected a signature over the leaf's digest, got one that is not."
                self.findings.add(code="ENTRY_SIGNATURE", place=f"leaf {index}", message=message)


def find_limits(trust: TrustFile, origin: str) -> dict[bytes, int]:
    """By public key (DER), below which index of a log its leaves count."""
    limits = {}
    for each in trust.signing_keys:
        revoked = [one for one in trust.revocations if one.key_id == each.key.key_id]
        here = [one.log_size for one in revoked if one.origin == origin]
        limits[each.key.public_key] = min(here, default=0) if revoked else MAX_SIZE
    return limits
