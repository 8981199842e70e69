"""An inclusion proof as a picture and a table: the path from a leaf to the signed root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import NotFoundError
from spanproof.core.log.merkle import check_inclusion, list_steps

if TYPE_CHECKING:
    from spanproof.store.log.reading import LogReader

#: Distances in the picture, in pixels: sideways from a node to its parent, and from row to row.
_ASIDE, _DOWN, _MARGIN = 14, 26, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Two hashes under one node, and which of them the proof gives; places in the picture."""

    left: str
    right: str
    is_left_given: bool
    own: tuple[int, int]
    given: tuple[int, int]
    parent: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofView:
    """The steps from the leaf up, and whether they lead to the root of the signed head."""

    size: int
    root: str
    holds: bool
    steps: tuple[Step, ...]
    leaf: tuple[int, int]
    top: tuple[int, int]
    view_box: str


def make_proof_view(reader: LogReader, index: int, leaf_hash: bytes) -> ProofView | None:
    """The proof of a leaf in the newest signed head; None where that does not cover it yet."""
    try:
        head, _ = reader.latest()
        proof = reader.prove_inclusion(index, head.size)
    except NotFoundError:
        return None
    found = list_steps(proof, leaf_hash)
    x, y = 0, len(found) * _DOWN
    leaf, steps = (x, y), []
    for left, right, is_left in found:
        aside = -_ASIDE if is_left else _ASIDE
        own, given, parent = (x, y), (x + 2 * aside, y), (x + aside, y - _DOWN)
        steps.append(
            Step(
                left=left.hex(),
                right=right.hex(),
                is_left_given=is_left,
                own=own,
                given=given,
                parent=parent,
            )
        )
        x, y = parent
    across = [each for step in steps for each in (step.own[0], step.given[0])] or [0]
    start, width = min(across) - _MARGIN, max(across) - min(across) + 2 * _MARGIN
    return ProofView(
        size=head.size,
        root=head.root.hex(),
        holds=check_inclusion(proof, leaf_hash, head.root),
        steps=tuple(steps),
        leaf=leaf,
        top=(x, y),
        view_box=f"{start} {-_MARGIN} {width} {len(found) * _DOWN + 2 * _MARGIN}",
    )
