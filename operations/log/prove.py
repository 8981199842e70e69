"""What bounds a receipt's time by other people's clocks: files for ``audit verify --witness``.

1. The proof of its leaf under the first head above it that a witness cosigned: it was there then.
2. The last head below it that a witness cosigned, and the proof that the receipt's own head grew
   out of that one: it came after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import NotFoundError
from spanproof.operations.log.cosign import join_cosignatures
from spanproof.receipt.forms.bundle import parse_bundle
from spanproof.receipt.forms.log_proof import LogProof, write_log_proof
from spanproof.receipt.witness.cosigning import CosignRequest, write_request
from spanproof.store.log.cosignatures import Cosignatures
from spanproof.store.log.reading import LogReader

if TYPE_CHECKING:
    from spanproof.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeProof:
    """The files' contents; ``older`` and ``growth`` are None where no earlier head was cosigned.

    ``by_size`` and ``after_size`` are the sizes of the two cosigned heads.
    """

    index: int
    proof: str
    by_size: int
    older: str | None = None
    growth: bytes | None = None
    after_size: int | None = None


def prove_time(store: Store, verification_id: str) -> TimeProof:
    """The proofs for a verification's receipt.

    Raises ReceiptNotFoundError for an unknown one, NotFoundError where no head above its leaf was
    cosigned.
    """
    found = store.receipts.load(verification_id)
    log = LogReader.find(store.database, found.origin)
    kept = Cosignatures(store.database, log.log_id)
    sizes = kept.list_sizes()

    def read_note(size: int) -> str:
        return join_cosignatures(log.note(size), kept.list(size))

    above = next((size for size in sizes if size > found.index), None)
    if above is None:
        msg = f"Expected a cosigned head above leaf {found.index}, got none."
        raise NotFoundError(msg, hint="Ask the witnesses first: 'spanproof log cosign'.")
    inclusion = log.prove_inclusion(found.index, above)
    proof = LogProof(index=found.index, hashes=inclusion.hashes, note=read_note(above))
    whole = TimeProof(index=found.index, proof=write_log_proof(proof), by_size=above)
    below = max((size for size in sizes if 0 < size <= found.index), default=None)
    if below is None:
        return whole
    own = parse_bundle(found.bundle).included
    request = CosignRequest(
        old_size=below,
        hashes=log.prove_consistency(below, own.checkpoint.size).hashes,
        note=own.note,
    )
    return TimeProof(
        index=found.index,
        proof=whole.proof,
        by_size=above,
        older=read_note(below),
        growth=write_request(request),
        after_size=below,
    )
