"""Who put a leaf into a log: every leaf is one of ours, by a key that an auditor trusts for it.

A leaf by another key, or by a key after it was revoked, is what a thief or a careless operator
leaves behind; the log shows it to whoever looks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.errors import MalformedReceiptError
from core.merkle import MAX_SIZE
from receipt.dsse import Envelope
from receipt.entry import parse_entry, write_entry
from receipt.finding import Findings

if TYPE_CHECKING:
    from receipt.trust import TrustFile

#: Base64 without unused bits, of 32 bytes and of any number of them.
_B64 = rb"[A-Za-z0-9+/]"
_DIGEST = _B64 + rb"{42}[AEIMQUYcgkosw048]="
_ANY = rb"(?=%b)(?:%b{4})*(?:%b{2}[AEIMQUYcgkosw048]=|%b[AQgw]==)?" % (_B64, _B64, _B64, _B64)


class LeafCheck:
    """Looks at each leaf of one log; ``see`` is a ``receipt.tree_check.SeeEntry``."""

    def __init__(self, trust: TrustFile, origin: str) -> None:
        self.findings = Findings()
        self._limits = find_limits(trust, origin)
        # Reading a leaf as the JSON that it is takes 50 times as long as comparing it with the one
        # form in which a key's leaves are written. Whatever differs is read.
        self._forms = [
            _compile_form(key) for key, limit in self._limits.items() if limit == MAX_SIZE
        ]

    def see(self, index: int, entry: bytes) -> None:
        """Look at the entry of this index."""
        if any(form.fullmatch(entry) for form in self._forms):
            return
        try:
            public_key = parse_entry(entry).public_key
        except MalformedReceiptError as error:
            self.findings.add(code="ENTRY_MALFORMED", place=f"leaf {index}", message=error.message)
            return
        limit = self._limits.get(public_key)
        if limit is None:
            message = "Expected a leaf by a key of the trust file, got one by another key."
            self.findings.add(code="ENTRY_KEY_UNKNOWN", place=f"leaf {index}", message=message)
        elif index >= limit:
            message = f"Expected leaves of a revoked key below index {limit} only, got this one."
            self.findings.add(code="ENTRY_KEY_REVOKED", place=f"leaf {index}", message=message)


def find_limits(trust: TrustFile, origin: str) -> dict[bytes, int]:
    """By public key (DER), below which index of a log its leaves count."""
    limits = {}
    for each in trust.signing_keys:
        revoked = [one for one in trust.revocations if one.key_id == each.key.key_id]
        here = [one.log_size for one in revoked if one.origin == origin]
        limits[each.key.public_key] = min(here, default=0) if revoked else MAX_SIZE
    return limits


def _compile_form(public_key: bytes) -> re.Pattern[bytes]:
    """What every leaf by a key looks like, whatever its digest and its signature."""
    empty = write_entry(Envelope(payload=b"", signature=b""), public_key)
    before, _, rest = empty.partition(b'"digest":"')
    _, _, rest = rest.partition(b'"')
    between, _, after = rest.partition(b'"content":"')
    parts = (before + b'"digest":"', _DIGEST, b'"' + between + b'"content":"', _ANY, after)
    return re.compile(b"".join(re.escape(p) if p not in (_DIGEST, _ANY) else p for p in parts))
