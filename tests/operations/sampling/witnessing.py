"""A witness of a context's log, and asking it as ``spanproof log cosign`` does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx

from spanproof.operations.log.cosign import cosign_head
from spanproof.receipt.witness.cosignature import format_cosigner_key
from spanproof.receipt.witness.cosigning import Witness
from spanproof.receipt.witness.policy import parse_policy
from tests.receipt.witnesses import COSIGNER, NOW, MemoryStore

if TYPE_CHECKING:
    from spanproof.operations.context import Context

WITNESS = format_cosigner_key(COSIGNER.verifier)
DRAW: dict[str, Any] = {"draw": {"source": "witness", "witness": WITNESS}}


class LogWitness:
    """Cosigns the heads of one log; each time a second later."""

    def __init__(self) -> None:
        self._store = MemoryStore()
        self._now = NOW

    def cosign(self, context: Context) -> int:
        """Sign a head above all leaves and let the witness cosign it; its size."""
        context.log.publish()
        origin = context.log.origin
        keys = [each.key for each in context.issuer.keys.keys.log_keys(origin)]
        self._now += 1
        witness = Witness(
            cosigner=COSIGNER, logs={origin: keys}, store=self._store, clock=lambda: self._now
        )

        def answer(request: httpx.Request) -> httpx.Response:
            found = witness.add_checkpoint(request.read())
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
