"""A log's histories, and a witness of them whose heads are kept in memory."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.errors import LogStoppedError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import compute_root, hash_leaf, prove_consistency, read_root
from spanproof.receipt.keys.signing_keys import LocalLogKey
from spanproof.receipt.witness.cosignature import LocalCosigner
from spanproof.receipt.witness.cosigning import (
    CosignRequest,
    SeenHead,
    Witness,
    WitnessAnswer,
    write_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOG = LocalLogKey.generate("log.example.com")
COSIGNER = LocalCosigner.generate("witness.example")
MOST = 80
NOW = 1_700_000_000


@dataclass(eq=False)
class MemoryStore:
    """The last heads in memory; ``fail`` stands for a disk that is full."""

    heads: dict[str, SeenHead] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    fail: bool = False

    @contextmanager
    def lock_log(self, origin: str) -> Iterator[MemoryHeld]:
        with self.lock:
            yield MemoryHeld(self, origin)


@dataclass(frozen=True, eq=False)
class MemoryHeld:
    store: MemoryStore
    origin: str

    @property
    def seen(self) -> SeenHead | None:
        return self.store.heads.get(self.origin)

    def save(self, head: SeenHead) -> None:
        if self.store.fail:
            raise LogStoppedError("Expected to keep it, got ENOSPC.", hint="Mend it.")
        self.store.heads[self.origin] = head


class History:
    """A log's leaves, its heads and its proofs."""

    def __init__(self, name: str = "leaf", *, like: int = 0, key: LocalLogKey = LOG) -> None:
        # The first ``like`` leaves are those of every history.
        words = [("leaf" if at < like else name, at) for at in range(MOST)]
        self.leaves = [hash_leaf(f"{word} {at}".encode()) for word, at in words]
        self.key = key
        self._nodes: dict[tuple[int, int], bytes] = {}

    def head(self, size: int) -> str:
        root = read_root(self._read, size)
        return self.key.sign(Checkpoint(origin=self.key.origin, size=size, root=root))

    def request(self, old: int, new: int) -> CosignRequest:
        hashes = prove_consistency(self._read, old, new).hashes if 0 < old <= new else ()
        return CosignRequest(old_size=old, hashes=hashes, note=self.head(new))

    def _read(self, level: int, at: int) -> bytes:
        if (level, at) not in self._nodes:
            self._nodes[level, at] = compute_root(self.leaves[at << level : (at + 1) << level])
        return self._nodes[level, at]


def make_witness(
    store: MemoryStore | None = None, clock: Callable[[], int] = lambda: NOW
) -> Witness:
    return Witness(
        cosigner=COSIGNER,
        logs={LOG.origin: [LOG.verifier]},
        store=store or MemoryStore(),
        clock=clock,
    )


def ask(witness: Witness, request: CosignRequest) -> WitnessAnswer:
    return witness.add_checkpoint(write_request(request))


def make_witness_at(size: int, store: MemoryStore | None = None) -> Witness:
    """A witness that has cosigned the first ``size`` leaves of the usual history."""
    witness = make_witness(store)
    if size:
        assert ask(witness, History().request(0, size)).status == 200
    return witness
