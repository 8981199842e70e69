"""A log on a throw-away store: its key is the same on every run, its signer can be made to fail."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.log.merkle import check_consistency, check_inclusion, compute_root, hash_leaf
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.store.log import TransparencyLog
from spanproof.store.log.failpoints import hit
from spanproof.store.log.records import LogStatement, NewLeaf, NewLog, NewReceipt
from spanproof.store.log.shards import OldLog, open_shard
from tests.receipt.samples import make_log_key
from tests.store.examples import NOON

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.log.checkpoint import Checkpoint, IncludedLeaf
    from spanproof.receipt.keys.signing_keys import LocalLogKey
    from spanproof.store import Store
    from spanproof.store.log.failpoints import Failpoint, Reach

ORIGIN = "log.example.com"
NEXT_ORIGIN = "log-2.example.com"


def find_mark(store: Store) -> Path:
    """Where the mark of a store's log stands: beside the home, on another volume so to say."""
    return store.home.parent / "outside" / "mark"


def open_log(store: Store, origin: str = ORIGIN, reach: Reach = hit) -> TransparencyLog:
    """The log of a store, open for leaves."""
    key = make_log_key(1, origin)
    mark = find_mark(store)
    return TransparencyLog.open(store.database, key, mark, new=NewLog(opened_at=NOON), reach=reach)


def open_next(store: Store, origin: str = NEXT_ORIGIN, reach: Reach = hit) -> TransparencyLog:
    """The log after the newest, which is closed."""
    key = make_log_key(1, origin)
    return open_shard(
        store.database,
        key,
        find_mark(store),
        reason="restored",
        write_leaf=write_shard_leaf,
        new=NewLog(opened_at=NOON),
        reach=reach,
    )


def write_shard_leaf(old: OldLog) -> NewLeaf:
    """A leaf that names the old log."""
    return NewLeaf(
        entry=f"after {old.head.origin} {old.head.size}".encode(),
        statement=make_statement("shard", old.head.origin),
    )


def make_statement(
    kind: str = "result", subject: str = "v1", *, intake: int | None = None
) -> LogStatement:
    """A statement that nobody signed: the store does not look."""
    return LogStatement(
        kind=kind,
        subject=subject,
        payload=f'{{"{kind}":"{subject}"}}'.encode(),
        signature=b"signature",
        intake_index=intake,
    )


def make_receipt(verification_id: str = "v1") -> NewReceipt:
    """A bundle that says under which head its leaf stands."""
    return NewReceipt(
        verification_id=verification_id,
        write=lambda found: f"{found.leaf.index} of {found.checkpoint.size}".encode(),
    )


def make_leaf(number: int) -> NewLeaf:
    """A result with its receipt."""
    return NewLeaf(
        entry=b"entry %d" % number,
        statement=make_statement(subject=f"v{number}"),
        receipt=make_receipt(f"v{number}"),
    )


def check_included(found: IncludedLeaf, entry: bytes) -> None:
    """Raise unless proof, checkpoint and note of a leaf hold, as a stranger would see it."""
    assert found.leaf.leaf_hash == hash_leaf(entry)
    check_signed(found.checkpoint, found.note)
    assert found.proof.index == found.leaf.index
    assert found.proof.size == found.checkpoint.size
    assert check_inclusion(found.proof, found.leaf.leaf_hash, found.checkpoint.root)


def check_signed(checkpoint: Checkpoint, note: str) -> None:
    """Raise unless the log's key signed the checkpoint."""
    parsed = parse_note(note)
    assert parse_checkpoint(parsed.text) == checkpoint
    assert check_note(parsed, [make_log_key(1, checkpoint.origin).verifier])


def check_whole(log: TransparencyLog) -> None:
    """Raise unless every signed head is the beginning of what the entries come to."""
    head = log.head()
    hashes = [hash_leaf(entry) for entry in log.entries(0, head.size)]
    assert compute_root(hashes) == head.root
    sizes = []
    for checkpoint, note in log.checkpoints():
        check_signed(checkpoint, note)
        assert compute_root(hashes[: checkpoint.size]) == checkpoint.root
        if checkpoint.size:
            proof = log.prove_consistency(checkpoint.size, head.size)
            assert check_consistency(proof, checkpoint.root, head.root)
        sizes.append(checkpoint.size)
    assert sizes == sorted(set(sizes))


@dataclass(slots=True, eq=False)
class WatchedKey:
    """A log's key that counts what it signs, and raises what it is told to."""

    key: LocalLogKey
    signed: list[Checkpoint] = field(default_factory=list)
    failure: Exception | None = None

    @property
    def origin(self) -> str:
        """The log's name."""
        return self.key.origin

    def sign(self, checkpoint: Checkpoint) -> str:
        """The signed note, unless it is to fail."""
        if self.failure is not None:
            raise self.failure
        self.signed.append(checkpoint)
        return self.key.sign(checkpoint)


@dataclass(slots=True, eq=False)
class Saboteur:
    """Raises at one point, once."""

    point: Failpoint
    failure: BaseException
    is_armed: bool = True
    reached: list[Failpoint] = field(default_factory=list)

    def __call__(self, point: Failpoint) -> None:
        self.reached.append(point)
        if self.is_armed and point is self.point:
            self.is_armed = False
            raise self.failure
