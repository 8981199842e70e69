"""Who issues receipts into a log on a disk, and who remembers what was acknowledged.

A receipt counts as acknowledged once its line is in the ledger, which is written after the log has
answered and which no fault touches. After each fault the ledger is held against the store.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import uuid
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError
from spanproof.core.log.merkle import EMPTY_ROOT, hash_children, hash_leaf
from spanproof.receipt.check.receipt import check_receipt
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.log_entry import write_entry
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.keys.trust_file import parse_trust
from spanproof.store.log import TransparencyLog
from spanproof.store.log.failpoints import hit
from spanproof.store.log.fsck import FsckChecks, fsck_log
from spanproof.store.log.records import LogStatement, NewLog, NewReceipt
from tests.receipt.samples import (
    Issuer,
    MemoryLog,
    make_entry_key,
    make_log_key,
    to_bytes,
    to_trust_bytes,
)
from tests.receipt.statements import MOMENT, make_result, make_statement

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.log.checkpoint import (
        Checkpoint,
        CheckpointSigner,
        IncludedLeaf,
        LoggedLeaf,
    )
    from spanproof.receipt.forms.dsse import Envelope
    from spanproof.store import Store
    from spanproof.store.log.failpoints import Reach
    from spanproof.store.log.reading import LogReader
    from tests.faults.report import Tally

ORIGIN = "log.example.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """A receipt that was answered: its name, its leaf, its head and the digest of its bytes."""

    name: str
    index: int
    size: int
    root: bytes
    sha256: str

    def to_line(self) -> bytes:
        """One line of the ledger."""
        root = base64.b64encode(self.root).decode()
        fields = [self.name, self.index, self.size, root, self.sha256]
        return json.dumps(fields).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Acknowledged:
        """Read a line."""
        name, index, size, root, sha256 = json.loads(line)
        found = base64.b64decode(root)
        return cls(name=name, index=index, size=size, root=found, sha256=sha256)


def open_log(
    store: Store,
    mark: Path,
    *,
    signer: CheckpointSigner | None = None,
    reach: Reach = hit,
) -> TransparencyLog:
    """The log of a store, as a service opens it."""
    key = make_log_key(1, ORIGIN) if signer is None else signer
    return TransparencyLog.open(
        store.database, key, mark, new=NewLog(opened_at=MOMENT), reach=reach
    )


def issue(log: TransparencyLog, name: str) -> Acknowledged:
    """What a verification does: an intake leaf, the result leaf behind it, and the receipt."""
    name = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    issuer = Issuer(key=make_entry_key(1), log=MemoryLog(key=make_log_key(1, ORIGIN)))
    words = make_statement("urn:spanproof:attestation:intake:v1", {"verification_id": name})
    envelope = issuer.sign(words)
    intake = log.append(
        write_entry(envelope, issuer.key.public_key), _to_statement("intake", name, envelope)
    )
    result = issuer.sign(make_result(intake, verification_id=name))
    entry = write_entry(result, issuer.key.public_key)
    kept: list[bytes] = []

    def write(included: IncludedLeaf) -> bytes:
        kept.append(to_bytes(issuer.wrap(result, entry, included)))
        return kept[-1]

    included = log.include(
        entry,
        _to_statement("result", name, result, intake),
        NewReceipt(verification_id=name, write=write),
    )
    return Acknowledged(
        name=name,
        index=included.leaf.index,
        size=included.checkpoint.size,
        root=included.checkpoint.root,
        sha256=hashlib.sha256(kept[-1]).hexdigest(),
    )


def write_line(ledger: int, found: Acknowledged) -> None:
    """Add to the ledger, in one write that a kill cannot divide."""
    os.write(ledger, found.to_line())


def read_ledger(path: Path) -> list[Acknowledged]:
    """Everything that was acknowledged so far."""
    return [Acknowledged.from_line(line) for line in path.read_bytes().splitlines()]


def check_store(
    store: Store, log: LogReader, known: list[Acknowledged], tally: Tally, *, since: int = 0
) -> None:
    """Hold the ledger against the store; ``since``: those before it were checked offline before.

    Every acknowledged receipt is kept byte for byte, and a stranger accepts it; the indices are
    dense; every head that was signed is the beginning of what is there; fsck is green.
    """
    trust = parse_trust(to_trust_bytes(Issuer(log=MemoryLog(key=make_log_key(1, ORIGIN)))))
    kept = {each.verification_id: each for each in store.receipts.list(log.origin)}
    for number, each in enumerate(known):
        found = kept.get(each.name)
        if found is None or hashlib.sha256(found.bundle).hexdigest() != each.sha256:
            tally.violations.append(f"receipt {each.name} was acknowledged and is not there")
        elif number >= since:
            report = check_receipt(found.bundle, trust, now=MOMENT)
            tally.demand(report.outcome == 0, f"receipt {each.name} does not verify")
            tally.demand(found.index == each.index, f"receipt {each.name} has another index")
    check_heads(log, {each.size: each.root for each in known}, tally)
    # What a fault left half done, and nobody has, the next start of a service finishes: an intake
    # without an answer, and a result without a receipt.
    told = {each.index for each in known}
    checks = FsckChecks(note=check_kept_note, is_superseded=lambda each: each.index not in told)
    audit = fsck_log(store.database, log, checks)
    opened = {("INTAKE", f"leaf {index}") for index in audit.open_intakes}
    for fault in audit.faults:
        tally.demand((fault.kind, fault.place) in opened, f"fsck: {fault.kind} {fault.place}")
    with store.database.reading() as session:
        connection = session.connection()
        if connection.dialect.name == "sqlite":
            answer = connection.exec_driver_sql("PRAGMA integrity_check").scalar()
            tally.demand(answer == "ok", f"integrity_check: {answer}")


def check_heads(log: LogReader, issued: dict[int, bytes], tally: Tally) -> None:
    """Every signed head, kept or only remembered, begins what is there; no index is missing."""
    head = log.head()
    hashes = [hash_leaf(entry) for entry in log.entries(0, head.size)]
    tally.demand(len(hashes) == head.size, f"{head.size} leaves by the head, {len(hashes)} kept")
    roots = _roots(hashes)
    tally.demand(head.root == roots[head.size], f"the head of {head.size} has another root")
    keys = [make_log_key(1, log.origin).verifier]
    for checkpoint, note in log.checkpoints():
        parsed = parse_note(note)
        check_note(parsed, keys)
        same = parse_checkpoint(parsed.text) == checkpoint
        tally.demand(same, f"the note of {checkpoint.size} says something else")
        tally.demand(roots[checkpoint.size] == checkpoint.root, f"fork at {checkpoint.size}")
    for size, root in issued.items():
        consistent = size <= head.size and roots[size] == root
        tally.demand(consistent, f"the head of {size} that was issued is of another history")


def check_kept_note(checkpoint: Checkpoint, note: str) -> str | None:
    """What fsck says of a note that is another head's; raise MalformedNoteError for a false one."""
    parsed = parse_note(note)
    check_note(parsed, [make_log_key(1, checkpoint.origin).verifier])
    return None if parse_checkpoint(parsed.text) == checkpoint else "another head"


def describe(error: BaseException) -> str:
    """An error as a violation names it: typed, or how it got out."""
    kind = "typed" if isinstance(error, SpanproofError) else "UNTYPED"
    return f"{kind} {type(error).__name__}: {error}"


def _roots(hashes: list[bytes]) -> list[bytes]:
    """The root at every size: RFC 6962 by complete subtrees, apart from the code under test."""
    peaks: list[tuple[int, bytes]] = []
    roots = [EMPTY_ROOT]
    for each in hashes:
        level, node = 0, each
        while peaks and peaks[-1][0] == level:
            node = hash_children(peaks.pop()[1], node)
            level += 1
        peaks.append((level, node))
        roots.append(reduce(lambda right, left: hash_children(left[1], right), peaks[-2::-1], node))
    return roots


def _to_statement(
    kind: str, subject: str, envelope: Envelope, intake: LoggedLeaf | None = None
) -> LogStatement:
    return LogStatement(
        kind=kind,
        subject=subject,
        payload=envelope.payload,
        signature=envelope.signature,
        payload_type=envelope.payload_type,
        intake_index=None if intake is None else intake.index,
    )
