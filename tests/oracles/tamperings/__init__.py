"""Receipts that somebody tampered with, and who must notice.

Every function changes an honest receipt; its docstring says how. Named beside it are the verifiers
that must refuse the outcome. Those that are not named do not look at the place: that they accept it
is part of the table, since an auditor must know what a tool's yes does not cover.
"""

from tests.oracles.tamperings import checkpoint, leaf, outside, payload, proof, signature, signer

__all__ = ["ALL"]

#: In the order of the documentation's table.
ALL = tuple(
    tampering
    for part in (payload, signature, signer, leaf, proof, checkpoint, outside)
    for tampering in part.TAMPERINGS
)
