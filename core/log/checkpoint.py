"""A log's promise: so many leaves, and this root above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from spanproof.core.log.merkle import HASH_SIZE, MAX_SIZE

if TYPE_CHECKING:
    from spanproof.core.log.merkle import InclusionProof


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The tree of ``size`` leaves of the log ``origin``, by its root."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        if not 0 <= self.size <= MAX_SIZE or len(self.root) != HASH_SIZE:
            msg = f"Expected a size and a root of {HASH_SIZE} bytes, got {self!r}."
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedLeaf:
    """A leaf that is durable in a log, though no signature may cover it yet."""

    origin: str
    index: int
    leaf_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class IncludedLeaf:
    """A leaf, the checkpoint that covers it as it was signed, and the proof from one to the other.

    ``note`` is the signed checkpoint (C2SP signed-note), ``checkpoint`` what it says.
    """

    leaf: LoggedLeaf
    checkpoint: Checkpoint
    note: str
    proof: InclusionProof


class CheckpointSigner(Protocol):
    """Signs the heads of one log; the same checkpoint gives the same bytes (Ed25519)."""

    @property
    def origin(self) -> str:
        """The log's name, which is its key's name too."""

    def sign(self, checkpoint: Checkpoint) -> str:
        """The signed note."""
