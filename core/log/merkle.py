"""Merkle trees over SHA-256 (RFC 6962, section 2.1): roots, inclusion and consistency proofs.

A tree is known by its size and its root. Nothing here reads or writes: who proves hands over a
function that gives the hash of a complete subtree, who checks needs the proof alone.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HASH_SIZE = 32
#: The root of a tree without leaves.
EMPTY_ROOT = hashlib.sha256(b"").digest()
#: More leaves than any log will have, and few enough for every proof to stay short.
MAX_SIZE = 2**63 - 1

#: ``(level, index)`` → the hash of the complete subtree of 2**level leaves that is number ``index``
#: of its level, from the left, from 0.
ReadNode = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class InclusionProof:
    """That a leaf appears at ``index`` of a tree of ``size`` leaves: siblings from the leaf up.

    Only the check says whether it does: a proof is what somebody claims.
    """

    index: int
    size: int
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyProof:
    """That the tree of ``old_size`` leaves is the beginning of the one of ``new_size``."""

    old_size: int
    new_size: int
    hashes: tuple[bytes, ...]


def hash_leaf(entry: bytes) -> bytes:
    """The hash of a leaf that holds these bytes."""
    return hashlib.sha256(b"\x00" + entry).digest()


def hash_children(left: bytes, right: bytes) -> bytes:
    """The hash of a node above two others."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def compute_root(leaves: Sequence[bytes]) -> bytes:
    """The root above these leaf hashes; EMPTY_ROOT above none."""
    if not leaves:
        return EMPTY_ROOT
    # A last node without a sibling moves up as it is: the split of RFC 6962 at the largest power
    # of two comes to the same tree.
    row = list(leaves)
    while len(row) > 1:
        paired = [hash_children(*row[at : at + 2]) for at in range(0, len(row) - 1, 2)]
        row = paired + row[len(row) - len(row) % 2 :]
    return row[0]


def compute_inclusion_root(proof: InclusionProof, leaf_hash: bytes) -> bytes | None:
    """The root that the proof leads to (RFC 9162, 2.1.3.2); None where it cannot be a proof."""
    if not 0 <= proof.index < proof.size <= MAX_SIZE or not _are_hashes(leaf_hash, *proof.hashes):
        return None
    index, last, found = proof.index, proof.size - 1, leaf_hash
    for sibling in proof.hashes:
        if last == 0:
            return None
        if index % 2 or index == last:
            found = hash_children(sibling, found)
            while not index % 2 and index:
                index, last = index >> 1, last >> 1
        else:
            found = hash_children(found, sibling)
        index, last = index >> 1, last >> 1
    return found if last == 0 else None


def list_steps(proof: InclusionProof, leaf_hash: bytes) -> list[tuple[bytes, bytes, bool]]:
    """Each step of a proof from the leaf up: left, right, and whether the sibling is the left.

    The hash of the last pair is the root (``compute_inclusion_root``); for a proof that holds.
    """
    steps = []
    index, last, found = proof.index, proof.size - 1, leaf_hash
    for sibling in proof.hashes:
        is_left = bool(index % 2) or index == last
        if is_left:
            while not index % 2 and index:
                index, last = index >> 1, last >> 1
        left, right = (sibling, found) if is_left else (found, sibling)
        steps.append((left, right, is_left))
        found = hash_children(left, right)
        index, last = index >> 1, last >> 1
    return steps


def check_inclusion(proof: InclusionProof, leaf_hash: bytes, root: bytes) -> bool:
    """Whether the proof shows the leaf under this root."""
    found = compute_inclusion_root(proof, leaf_hash)
    return found is not None and hmac.compare_digest(found, root)


def list_complete_nodes(proof: InclusionProof, leaf_hash: bytes) -> dict[tuple[int, int], bytes]:
    """The complete subtrees that a proof which holds names, by level and number (as ReadNode).

    What they are above is whole, so every later tree of the same history has the same hashes there.
    """
    level, index, last, found = 0, proof.index, proof.size - 1, leaf_hash
    nodes = {(0, index): leaf_hash}
    for sibling in proof.hashes:
        if index % 2 or index == last:
            while not index % 2 and index:
                level, index, last = level + 1, index >> 1, last >> 1
            nodes[level, index - 1] = sibling
            found = hash_children(sibling, found)
        else:
            if (index + 2) << level <= proof.size:
                nodes[level, index + 1] = sibling
            found = hash_children(found, sibling)
        level, index, last = level + 1, index >> 1, last >> 1
        if (index + 1) << level <= proof.size:
            nodes[level, index] = found
    return nodes


def check_consistency(proof: ConsistencyProof, old_root: bytes, new_root: bytes) -> bool:
    """Whether the proof shows that the new tree only added to the old (RFC 9162, 2.1.4.2).

    A tree of size 0 is the beginning of everything, so it proves nothing and is refused.
    """
    old, new, hashes = proof.old_size, proof.new_size, proof.hashes
    if not 0 < old <= new <= MAX_SIZE:
        return False
    if old == new:
        return not hashes and hmac.compare_digest(old_root, new_root)
    if not _are_hashes(old_root, *hashes):
        return False
    # A complete old tree is itself the first node of the path.
    path = list(hashes) if old & (old - 1) else [old_root, *hashes]
    if not path:
        return False
    index, last = old - 1, new - 1
    while index % 2:
        index, last = index >> 1, last >> 1
    old_found = new_found = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if index % 2 or index == last:
            old_found = hash_children(sibling, old_found)
            new_found = hash_children(sibling, new_found)
            while not index % 2 and index:
                index, last = index >> 1, last >> 1
        else:
            new_found = hash_children(new_found, sibling)
        index, last = index >> 1, last >> 1
    is_old = hmac.compare_digest(old_found, old_root)
    return last == 0 and is_old and hmac.compare_digest(new_found, new_root)


def read_root(read: ReadNode, size: int) -> bytes:
    """The root of the first ``size`` leaves; ValueError for a size that no tree has."""
    if not 0 <= size <= MAX_SIZE:
        msg = f"Expected a size in [0, {MAX_SIZE}], got {size}."
        raise ValueError(msg)
    return _read_range(read, 0, size) if size else EMPTY_ROOT


def prove_inclusion(read: ReadNode, index: int, size: int) -> InclusionProof:
    """The proof for the leaf at ``index`` in the tree of ``size``; ValueError outside of it."""
    if not 0 <= index < size <= MAX_SIZE:
        msg = f"Expected an index in [0, {size}) of at most {MAX_SIZE} leaves, got {index}."
        raise ValueError(msg)
    hashes = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            hashes.append(_read_range(read, middle, end))
            end = middle
        else:
            hashes.append(_read_range(read, start, middle))
            start = middle
    return InclusionProof(index=index, size=size, hashes=tuple(reversed(hashes)))


def prove_consistency(read: ReadNode, old_size: int, new_size: int) -> ConsistencyProof:
    """The proof that ``new_size`` leaves begin with ``old_size`` (RFC 6962, 2.1.2).

    ValueError unless 0 < old <= new <= MAX_SIZE: nothing can be proved of an empty tree.
    """
    if not 0 < old_size <= new_size <= MAX_SIZE:
        msg = f"Expected sizes 0 < old <= new <= {MAX_SIZE}, got {old_size} and {new_size}."
        raise ValueError(msg)
    hashes = []
    start, end = 0, new_size
    while old_size != end:
        middle = start + _split(end - start)
        if old_size <= middle:
            hashes.append(_read_range(read, middle, end))
            end = middle
        else:
            hashes.append(_read_range(read, start, middle))
            start = middle
    if start:
        hashes.append(_read_range(read, start, end))
    return ConsistencyProof(old_size=old_size, new_size=new_size, hashes=tuple(reversed(hashes)))


def _split(count: int) -> int:
    """The largest power of two below ``count`` (count > 1)."""
    return 1 << (count - 1).bit_length() - 1


def _read_range(read: ReadNode, start: int, end: int) -> bytes:
    """The hash above the leaves [start, end), where ``start`` is aligned as the tree splits."""
    count = end - start
    if not count & (count - 1):
        level = count.bit_length() - 1
        return read(level, start >> level)
    middle = start + _split(count)
    return hash_children(_read_range(read, start, middle), _read_range(read, middle, end))


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_SIZE for value in values)
