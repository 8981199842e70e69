"""A consistency proof as the file that ``audit consistency --proof`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.json_reader.base64_text import encode_base64

if TYPE_CHECKING:
    from spanproof.core.log.merkle import ConsistencyProof


def write_proof(proof: ConsistencyProof) -> str:
    """The lines that ``parse_proof`` reads."""
    return "".join(f"{encode_base64(each)}\n" for each in proof.hashes)
