"""The way from the leaf to the root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracles.tamperings.register import (
    CHECKPOINT,
    LEAF,
    NOBODY,
    Register,
    decode,
    encode,
    entry_of,
    flip,
    proof_of,
)

if TYPE_CHECKING:
    from tests.oracles.tamperings.scene import Bundle, Scene

_REGISTER = Register()
TAMPERINGS = _REGISTER.tamperings


@_REGISTER.refused_by(LEAF)
def proof_bit_flipped(_: Scene, bundle: Bundle) -> None:
    """One changed bit of a sibling hash."""
    hashes = proof_of(bundle)["hashes"]
    content = bytearray(decode(hashes[1]))
    content[7] ^= 1
    hashes[1] = encode(bytes(content))


@_REGISTER.refused_by(LEAF)
def proof_without_its_last_hash(_: Scene, bundle: Bundle) -> None:
    """The proof ends a level too early."""
    del proof_of(bundle)["hashes"][-1]


@_REGISTER.refused_by(LEAF)
def proof_with_a_hash_more(_: Scene, bundle: Bundle) -> None:
    """The proof goes on after the root."""
    hashes = proof_of(bundle)["hashes"]
    hashes.append(hashes[-1])


@_REGISTER.refused_by(LEAF)
def proof_hashes_swapped(_: Scene, bundle: Bundle) -> None:
    """Two sibling hashes exchanged."""
    hashes = proof_of(bundle)["hashes"]
    hashes[0], hashes[1] = hashes[1], hashes[0]


@_REGISTER.refused_by(LEAF)
def proof_without_hashes(_: Scene, bundle: Bundle) -> None:
    """An empty proof, as only the one leaf of a log has it."""
    proof_of(bundle)["hashes"] = []


@_REGISTER.refused_by(LEAF)
def proof_hash_too_short(_: Scene, bundle: Bundle) -> None:
    """A sibling hash of 31 bytes."""
    hashes = proof_of(bundle)["hashes"]
    hashes[0] = encode(decode(hashes[0])[:-1])


@_REGISTER.refused_by(CHECKPOINT)
def proof_missing(_: Scene, bundle: Bundle) -> None:
    """No inclusion proof and no checkpoint."""
    del entry_of(bundle)["inclusionProof"]


@_REGISTER.refused_by(LEAF)
def index_of_the_neighbour(_: Scene, bundle: Bundle) -> None:
    """The index one too high."""
    index = str(int(proof_of(bundle)["logIndex"]) + 1)
    proof_of(bundle)["logIndex"] = entry_of(bundle)["logIndex"] = index


@_REGISTER.refused_by(LEAF)
def index_beyond_the_tree(_: Scene, bundle: Bundle) -> None:
    """An index after the last leaf."""
    proof_of(bundle)["logIndex"] = entry_of(bundle)["logIndex"] = proof_of(bundle)["treeSize"]


@_REGISTER.refused_by(LEAF)
def index_negative(_: Scene, bundle: Bundle) -> None:
    """An index before the first leaf."""
    proof_of(bundle)["logIndex"] = entry_of(bundle)["logIndex"] = "-1"


@_REGISTER.refused_by(NOBODY)
def index_of_the_entry_alone(_: Scene, bundle: Bundle) -> None:
    """The entry's index is another than the proof's."""
    entry_of(bundle)["logIndex"] = str(int(proof_of(bundle)["logIndex"]) + 1)


@_REGISTER.refused_by(NOBODY)
def tree_size_other(_: Scene, bundle: Bundle) -> None:
    """The proof's tree size is another than the checkpoint's."""
    proof_of(bundle)["treeSize"] = str(int(proof_of(bundle)["treeSize"]) + 1)


@_REGISTER.refused_by(NOBODY)
def root_hash_other(_: Scene, bundle: Bundle) -> None:
    """The proof's root is another than the checkpoint's."""
    flip(proof_of(bundle), "rootHash")


@_REGISTER.refused_by(CHECKPOINT)
def entries_none(_: Scene, bundle: Bundle) -> None:
    """No log entry."""
    bundle["verificationMaterial"]["tlogEntries"] = []


@_REGISTER.refused_by(CHECKPOINT)
def entries_two(_: Scene, bundle: Bundle) -> None:
    """The log entry twice."""
    bundle["verificationMaterial"]["tlogEntries"] *= 2
