"""A witness of a context's log, and asking it as ``spanproof log cosign`` does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx

from spanproof.operations.log.cosign import cosign_head
from spanproof.receipt.forms.signed_note import parse_lines
from spanproof.receipt.witness.cosignature import format_cosigner_key
from spanproof.receipt.witness.cosigned_list import CosignedHead, write_head
from spanproof.receipt.witness.cosigning import CosignRequest, Witness, write_request
from spanproof.receipt.witness.policy import parse_policy
from tests.receipt.witnesses import COSIGNER, NOW, MemoryStore

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.receipt.witness.cosigning import WitnessAnswer

WITNESS = format_cosigner_key(COSIGNER.verifier)
DRAW: dict[str, Any] = {"draw": {"source": "witness", "witness": WITNESS}}


class LogWitness:
    """Cosigns the heads of one log, each time a second later, and lists all that it cosigned.

    Asked over HTTP it shows the list, where ``shows_list``.
    """

    def __init__(self, *, shows_list: bool = True) -> None:
        self._store = MemoryStore()
        self._now = NOW
        self._shows_list = shows_list
        self.cosigned = b""

    def sign(self, context: Context) -> None:
        """Cosign a head above all leaves and never answer: the operator holds it back, say."""
        context.log.publish()
        seen = self._store.heads.get(context.log.origin)
        old, size = seen.checkpoint.size if seen else 0, context.log.latest()[0].size
        proof = context.log.prove_consistency(old, size).hashes if old else ()
        note = context.log.latest()[1]
        self._answer(context, write_request(CosignRequest(old_size=old, hashes=proof, note=note)))

    def cosign(self, context: Context) -> int:
        """Sign a head above all leaves and let the witness cosign it; its size."""
        context.log.publish()

        def answer(request: httpx.Request) -> httpx.Response:
            if request.method == "GET":
                return httpx.Response(200 if self._shows_list else 404, content=self.cosigned)
            found = self._answer(context, request.read())
            headers = {"content-type": found.media_type}
            return httpx.Response(found.status, content=found.body, headers=headers)

        policy = parse_policy(f"witness w {WITNESS} https://w.example/\nquorum w\n".encode())
        with httpx.Client(transport=httpx.MockTransport(answer)) as client:
            report = cosign_head(
                context.log,
                context.store.database,
                policy,
                client=client,
                clock=lambda: datetime.now(UTC),
            )
        assert report.is_witnessed, report.outcomes
        return report.checkpoint.size

    def _answer(self, context: Context, request: bytes) -> WitnessAnswer:
        origin = context.log.origin
        keys = [each.key for each in context.issuer.keys.keys.log_keys(origin)]
        self._now += 1
        witness = Witness(
            cosigner=COSIGNER, logs={origin: keys}, store=self._store, clock=lambda: self._now
        )
        found = witness.add_checkpoint(request)
        if found.status == 200:
            (line,) = parse_lines(found.body.decode())
            size = self._store.heads[origin].checkpoint.size
            self.cosigned = self.cosigned or f"{origin}\n".encode()
            self.cosigned += write_head(CosignedHead(size, line.content)).encode()
        return found
