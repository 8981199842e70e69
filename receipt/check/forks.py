"""Receipts held against each other: do the signed heads above them belong to one history?

Every receipt proves its leaf under a head that the log signed. Two heads of one size and two roots
are a fork. So are two complete subtrees at one place with two hashes, whatever the sizes of the
heads above them: nothing that is added later changes a complete subtree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.log.merkle import list_complete_nodes

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import IncludedLeaf

_Node = tuple[str, int, int]


class ForkCheck:
    """Takes in leaves whose proofs and heads were checked; names those of two histories."""

    def __init__(self) -> None:
        self._roots: dict[tuple[str, int], tuple[bytes, str]] = {}
        self._nodes: dict[_Node, tuple[bytes, str]] = {}
        self._forked: dict[str, str] = {}

    @property
    def forked(self) -> dict[str, str]:
        """By the names of receipts that show a fork, the words that say with which."""
        return self._forked

    def add(self, name: str, included: IncludedLeaf) -> None:
        """Take in a receipt of this name."""
        origin, size = included.checkpoint.origin, included.checkpoint.size
        root = self._roots.setdefault((origin, size), (included.checkpoint.root, name))
        self._compare(name, root, included.checkpoint.root, f"of {size} leaves of {origin}")
        nodes = list_complete_nodes(included.proof, included.leaf.leaf_hash)
        for (level, index), found in nodes.items():
            known = self._nodes.setdefault((origin, level, index), (found, name))
            first = index << level
            where = f"of the leaves [{first}, {first + (1 << level)}) of {origin}"
            self._compare(name, known, found, where)

    def _compare(self, name: str, known: tuple[bytes, str], found: bytes, where: str) -> None:
        expected, other = known
        if found != expected:
            for one, another in ((name, other), (other, name)):
                self._forked.setdefault(one, f"another history {where} than in {another}")
