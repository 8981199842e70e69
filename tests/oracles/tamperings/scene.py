"""What is tampered with: an honest receipt, the log that it stands in, and those who would."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.verdicts.status import Outcome
from spanproof.receipt.forms.bundle import bundle_to_json
from tests.oracles.verifiers import Trust
from tests.receipt.samples import Issuer, MemoryLog, make_entry_key, make_log_key, make_trust
from tests.receipt.statements import make_document, make_summary, make_verdict

if TYPE_CHECKING:
    from spanproof.receipt.forms.bundle import Receipt

Bundle = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """An issuer and its log; a receipt of a verification that failed, and another one.

    The stranger uses the log's name with keys of its own; elsewhere is a log of another name.
    """

    issuer: Issuer
    receipt: Receipt
    other: Receipt
    stranger: Issuer
    elsewhere: Issuer

    @classmethod
    def build(cls) -> Scene:
        """Everything is the same on every run."""
        issuer = Issuer()
        before = [issuer.issue() for _ in range(3)]
        # Not ASCII alone: lengths must be counted in bytes.
        issued = issuer.issue(**make_fields(Outcome.FAIL, doc_id="Prüfregeln №7 😀"))
        for _ in range(3):
            issuer.issue()
        # Under a later head, so that the proof has hashes on both sides.
        included = issuer.log.prove(issued.included.leaf.index)
        return cls(
            issuer=issuer,
            receipt=issuer.wrap(issued.envelope, issued.entry, included),
            other=before[1],
            stranger=Issuer(key=make_entry_key(2), log=MemoryLog(key=make_log_key(2))),
            elsewhere=Issuer(log=MemoryLog(key=make_log_key(3, "log.example.org"))),
        )

    @property
    def bundle(self) -> Bundle:
        """The honest receipt, as an object of its own."""
        return bundle_to_json(self.receipt)

    @property
    def trust(self) -> Trust:
        """What an auditor of the issuer was given."""
        return trust_in(self.issuer)


def make_fields(result: Outcome, *, doc_id: str = "rules") -> dict[str, Any]:
    """Fields of a predicate: one verdict that comes to this, on a document of this name."""
    counts = {"verdicts": 1} | {each.value: int(each is result) for each in Outcome}
    return {
        "documents": [make_document() | {"doc_ids": [doc_id]}],
        "verdicts": [make_verdict() | {"outcome": result.value}],
        "summary": make_summary() | {"result": result.value, "counts": counts},
    }


def trust_in(issuer: Issuer) -> Trust:
    """What an auditor of this issuer was given."""
    trust = make_trust([issuer.key], [issuer.log.key], origin=issuer.log.origin)
    key = issuer.log.key.verifier
    public = base64.b64encode(b"\x01" + key.public_key).decode()
    return Trust(
        trusted_root=json.dumps(trust["trusted_root"]),
        keys=(issuer.key.public_key,),
        vkeys=(f"{key.name}+{key.key_id.hex()}+{public}",),
    )
