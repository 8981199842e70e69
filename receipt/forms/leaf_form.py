"""How every leaf by one key is written: all but its digest and its signature is always the same.

Reading a leaf as the JSON that it is takes 50 times as long as comparing it with this form, which
counts where a log is read whole. What differs from every known form has to be read.
"""

from __future__ import annotations

import base64
import hashlib
import re

from spanproof.receipt.forms.dsse import Envelope
from spanproof.receipt.forms.log_entry import write_entry

#: Base64 without unused bits, of 32 bytes and of any number of them (not none).
_B64 = rb"[A-Za-z0-9+/]"
_DIGEST = _B64 + rb"{42}[AEIMQUYcgkosw048]="
_ANY = rb"(?=%b)(?:%b{4})*(?:%b{2}[AEIMQUYcgkosw048]=|%b[AQgw]==)?" % (_B64, _B64, _B64, _B64)


class LeafForm:
    """The form of the leaves by a key (SubjectPublicKeyInfo, DER)."""

    def __init__(self, public_key: bytes) -> None:
        empty = write_entry(Envelope(payload=b"", signature=b""), public_key)
        before, _, rest = empty.partition(b'"digest":"')
        _, _, rest = rest.partition(b'"')
        between, _, after = rest.partition(b'"content":"')
        self._before = before + b'"digest":"'
        self._between = b'"' + between + b'"content":"'
        self._after = after
        start, middle, end = map(re.escape, (self._before, self._between, self._after))
        self._pattern = re.compile(start + _DIGEST + middle + _ANY + end)

    def fits(self, entry: bytes) -> bool:
        """Whether the leaf is by this key, whatever it is of."""
        return self._pattern.fullmatch(entry) is not None

    def covers(self, entry: bytes, envelope: Envelope) -> bool:
        """Whether it is the leaf by this key of exactly this envelope, its signature included."""
        digest = base64.b64encode(hashlib.sha256(envelope.encoding).digest())
        signature = base64.b64encode(envelope.signature)
        return entry == self._before + digest + self._between + signature + self._after
