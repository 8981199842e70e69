"""What is attacked: a good receipt in the middle of a log, its trust file, a thief beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from tests.receipt.samples import (
    Issuer,
    MemoryLog,
    cosign,
    make_cosigner,
    make_entry_key,
    make_log_key,
    to_trust_bytes,
)
from tests.receipt.statements import MOMENT, make_result

if TYPE_CHECKING:
    from spanproof.receipt.forms.bundle import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """``other`` is another good receipt; the ``thief`` has keys of its own and a log of its own.

    ``second`` is another key that the trust file names.
    """

    issuer: Issuer
    second: Issuer
    receipt: Receipt
    other: Receipt
    thief: Issuer
    trust: bytes

    @classmethod
    def build(cls) -> Scene:
        """The same on every run; the good receipt's proof has hashes on both sides."""
        issuer = Issuer()
        other = issuer.issue()
        issuer.issue()
        receipt = issuer.issue()
        issuer.issue()
        second = Issuer(key=make_entry_key(2), log=issuer.log)
        return cls(
            issuer=issuer,
            second=second,
            receipt=prove(issuer, receipt),
            other=prove(issuer, other),
            thief=Issuer(key=make_entry_key(3), log=MemoryLog(key=make_log_key(3))),
            trust=to_trust_bytes(issuer, second, witnesses=[make_cosigner()]),
        )

    def cosign_head(self) -> str:
        """The newest head, as the witness of the trust file has seen it."""
        return cosign(self.issuer.log.note(), make_cosigner(), MOMENT)

    def fork(self, size: int) -> Issuer:
        """The same issuer and log, as they go on where only so many leaves were ever there."""
        log = self.issuer.log
        return Issuer(key=self.issuer.key, log=MemoryLog(key=log.key, entries=log.entries[:size]))

    def sign(self, payload: bytes) -> Receipt:
        """What the issuer's own key and log make of these bytes, whatever they are."""
        return self.issuer.include(self.issuer.sign(payload))

    def issue(self, **fields: Any) -> Receipt:
        """A receipt of the issuer that says this, logged as it should be."""
        return self.issuer.issue(**fields)

    def say(self, **fields: Any) -> dict[str, Any]:
        """The statement that the issuer would sign next, with these fields in the predicate."""
        return make_result(self.issuer.add_intake(), **fields)

    def sign_text(self, old: bytes, new: bytes) -> Receipt:
        """The next statement with some bytes of it replaced, signed and logged."""
        payload = canonical_json.dumps(self.say())
        assert old in payload
        return self.sign(payload.replace(old, new, 1))


def prove(issuer: Issuer, receipt: Receipt) -> Receipt:
    """The same receipt under the newest head."""
    included = issuer.log.prove(receipt.included.leaf.index)
    return issuer.wrap(receipt.envelope, receipt.entry, included)
