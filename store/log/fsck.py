"""The rows of a log, computed again: entries, hashes, tiles, heads, notes, statements, receipts.

1. Every index from 0 to the head has its leaf, whose hash is that of its entry.
2. Every tile holds the hashes that these leaves come to, and every tile that a head needs is there.
3. Every head, signed or not, has the root that these leaves come to; the caller checks the notes.
4. Every statement is the one its leaf digests (the caller checks it); every intake is answered
   once.
5. Every receipt has the digest under which it was kept, and every result has one.

A leaf that is wrong is named, and the tree continues with the hash of its tile, so that one
wrong leaf does not hide another. The log is read in pages: memory does not grow with it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import HASH_SIZE
from spanproof.core.log.tiles import TILE_WIDTH, Tile, list_new_tiles
from spanproof.store.log import fsck_rows, rows
from spanproof.store.log.frontier import Frontier

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.store.database.session import Database
    from spanproof.store.log.fsck_rows import Page
    from spanproof.store.log.reading import LogReader
    from spanproof.store.log.records import StoredStatement

#: So many faults are listed; the others are counted.
MAX_FAULTS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFault:
    """Something that does not belong together: a stable kind, where, and in words."""

    kind: str
    place: str
    message: str


def _accept(*_: object) -> None:
    """Nothing is asked of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FsckChecks:
    """Checks that need keys or formats unknown to the store: each returns its finding, or None.

    ``statement`` is given the entry of its leaf too. ``results`` are the kinds of statements that
    have a receipt, ``intakes`` those that must be answered.
    """

    note: Callable[[Checkpoint, str], str | None] = _accept
    statement: Callable[[StoredStatement, bytes], str | None] = _accept
    receipt: Callable[[str, bytes], str | None] = _accept
    advance: Callable[[int], None] = _accept
    #: Whether a result without a receipt is one that another result of its subject replaces.
    is_superseded: Callable[[StoredStatement], bool] = lambda _: False
    needs_statements: bool = False
    intakes: tuple[str, ...] = ("intake",)
    results: tuple[str, ...] = ("result",)


@dataclass(slots=True, kw_only=True)
class LogAudit:
    """What was computed again, and every fault; ``open_intakes`` are among the faults too."""

    head: Checkpoint
    leaves: int = 0
    tiles: int = 0
    trees: int = 0
    checkpoints: int = 0
    statements: int = 0
    receipts: int = 0
    superseded: int = 0
    faults: list[LogFault] = field(default_factory=list)
    fault_count: int = 0
    open_intakes: tuple[int, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found wrong."""
        return self.fault_count == 0

    def add(self, kind: str, place: str, message: str) -> None:
        """Count a fault, and list it while there is room."""
        self.fault_count += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(LogFault(kind=kind, place=place, message=message))


def fsck_log(database: Database, log: LogReader, checks: FsckChecks | None = None) -> LogAudit:
    """Recompute a log up to its head; leave later leaves for the next run."""
    return _Fsck(database, log, checks or FsckChecks()).run()


class _Fsck:
    """One run: the tree so far, the tiles that its heads need, and the findings."""

    def __init__(self, database: Database, log: LogReader, checks: FsckChecks) -> None:
        self._database = database
        self._log_id = log.log_id
        self._checks = checks
        self._audit = LogAudit(head=log.head())
        self._frontier = Frontier()
        self._last_head = 0
        self._is_off = False
        #: Of each tile at the edge, the widths that the heads so far needed.
        self._wanted: dict[tuple[int, int], set[int]] = {}

    def run(self) -> LogAudit:
        """(1)-(5), page by page."""
        audit = self._audit
        self._check_heads(self._read_page(0, 0), 0)
        for first in range(0, audit.head.size, fsck_rows.PAGE):
            end = min(first + fsck_rows.PAGE, audit.head.size)
            self._check_page(self._read_page(first, end))
            self._checks.advance(end)
        self._check_edges()
        self._check_answers()
        self._check_receipts()
        return audit

    def _read_page(self, first: int, end: int) -> Page:
        with self._database.reading() as session:
            return fsck_rows.read_page(session, self._log_id, first, end)

    def _check_page(self, page: Page) -> None:
        """(1) The leaves of a page, and the roots and heads at their sizes."""
        for index in range(page.first, page.end):
            leaf = page.leaves.get(index)
            stored = page.find_tile_hash(index)
            if leaf is None:
                self._audit.add("LEAF", f"leaf {index}", "The leaf is missing.")
            else:
                self._audit.leaves += 1
                stored = self._check_leaf(index, *leaf, stored)
                self._check_statement(page, index, leaf[1])
            # Without any hash the root is off from here on, which the next head says.
            self._frontier.add(stored or bytes(HASH_SIZE))
            if index + 1 in page.roots or index + 1 in page.notes:
                self._check_heads(page, index + 1)
        for tile, hashes in self._frontier.pop_complete():
            self._check_tiles(tile, hashes, page)

    def _check_leaf(
        self, index: int, leaf_hash: bytes, entry: bytes, stored: bytes | None
    ) -> bytes:
        """The hash to continue with: the tile's, else the row's."""
        found = hashlib.sha256(b"\x00" + entry).digest()
        if found != leaf_hash:
            message = f"Expected an entry of hash {leaf_hash.hex()}, got {found.hex()}."
            self._audit.add("LEAF", f"leaf {index}", message)
        if stored is not None and stored != leaf_hash:
            message = f"Expected the hash {stored.hex()} of its tile, got {leaf_hash.hex()}."
            self._audit.add("LEAF", f"leaf {index}", message)
        return leaf_hash if stored is None else stored

    def _check_statement(self, page: Page, index: int, entry: bytes) -> None:
        """(4) The statement behind a leaf."""
        statement = page.statements.get(index)
        message: str | None = None
        if statement is not None:
            self._audit.statements += 1
            message = self._checks.statement(statement, entry)
        elif self._checks.needs_statements:
            message = "No statement of this leaf is kept."
        if message is not None:
            self._audit.add("STATEMENT", f"leaf {index}", message)

    def _check_heads(self, page: Page, size: int) -> None:
        """(3) The heads at this size, and (2) which tiles they need."""
        root = self._frontier.root
        place = f"size {size}"
        found = page.roots.get(size)
        if found is None:
            self._audit.add("TREE", place, "A checkpoint was signed of a head that is missing.")
        else:
            self._audit.trees += 1
            if found != root and not self._is_off:
                message = (
                    f"Expected the root {root.hex()} that the leaves come to, got {found.hex()}:"
                    f" a leaf of [{self._last_head}, {size}) is not what it was, or the head."
                )
                self._audit.add("TREE", place, message)
            self._is_off = found != root
            for tile in list_new_tiles(self._last_head, size):
                if tile.level and tile.width < TILE_WIDTH:
                    self._wanted.setdefault((tile.level, tile.index), set()).add(tile.width)
            self._last_head = size
        note = page.notes.get(size)
        if note is None:
            return
        self._audit.checkpoints += 1
        checkpoint = Checkpoint(origin=self._audit.head.origin, size=size, root=note[0])
        wrong = self._checks.note(checkpoint, note[1])
        if note[0] != root and note[0] != found:
            wrong = f"Expected the root {root.hex()}, got {note[0].hex()}."
        if wrong is not None:
            self._audit.add("CHECKPOINT", place, wrong)

    def _check_tiles(self, tile: Tile, hashes: bytes, page: Page) -> None:
        """(2) A tile that is whole now, and each part of it that a head needed."""
        level = tile.level or 0
        if level == 0:
            found = page.tiles.get(tile.index)
            kept = {} if found is None else {TILE_WIDTH: found}
        else:
            kept = self._read_tiles(level, tile.index)
        wanted = self._wanted.pop((level, tile.index), set()) | {TILE_WIDTH}
        self._compare_tiles(tile, hashes, kept, wanted)

    def _check_edges(self) -> None:
        """(2) The tiles that are not whole yet."""
        for (level, index), wanted in sorted(self._wanted.items()):
            edge = self._frontier.edge(level)
            width = len(edge) // HASH_SIZE
            kept = self._read_tiles(level, index)
            kept = {each: hashes for each, hashes in kept.items() if each <= width}
            self._compare_tiles(Tile(level=level, index=index, width=width), edge, kept, wanted)

    def _read_tiles(self, level: int, index: int) -> dict[int, bytes]:
        with self._database.reading() as session:
            return fsck_rows.read_tiles(session, self._log_id, level, index)

    def _compare_tiles(
        self, tile: Tile, hashes: bytes, kept: dict[int, bytes], wanted: set[int]
    ) -> None:
        for width in sorted(kept.keys() | wanted):
            place = Tile(level=tile.level, index=tile.index, width=width).path
            found = kept.get(width)
            self._audit.tiles += found is not None
            if found is None:
                self._audit.add("TILE", place, "The tile is missing.")
            elif width not in wanted:
                self._audit.add("TILE", place, "No head needs this tile.")
            elif found != hashes[: width * HASH_SIZE]:
                self._audit.add("TILE", place, "Its hashes are not those that the leaves come to.")

    def _check_answers(self) -> None:
        """(4) Unanswered intakes and wrong answers, (5) missing receipts, rows beyond the heads."""
        audit, log_id, size = self._audit, self._log_id, self._audit.head.size
        intakes, results = self._checks.intakes, self._checks.results
        with self._database.reading() as session:
            for message in fsck_rows.find_surplus(session, log_id, size, audit.tiles):
                audit.add("ROWS", f"log {audit.head.origin}", message)
            opened = rows.list_open(session, log_id, size, intakes)
            audit.open_intakes = tuple(each.index for each in opened)
            for index in audit.open_intakes:
                audit.add("INTAKE", f"leaf {index}", "Nothing has answered this intake.")
            for index, message in fsck_rows.find_misdirected(session, log_id, size, intakes):
                audit.add("INTAKE", f"leaf {index}", message)
            unreceipted = rows.list_unreceipted(session, log_id, size, results)
        for result in unreceipted:
            if self._checks.is_superseded(result):
                audit.superseded += 1
            else:
                message = "No receipt of this result is kept."
                audit.add("RECEIPT", f"leaf {result.index}", message)

    def _check_receipts(self) -> None:
        """(5) Every bundle that is kept, some at a time."""
        after = -1
        while True:
            with self._database.reading() as session:
                page = fsck_rows.read_receipts(session, self._log_id, after)
            for receipt in page:
                self._audit.receipts += 1
                after = receipt.idx
                if str(Digest.of(receipt.bundle)) != receipt.bundle_sha256:
                    wrong: str | None = "Its bytes are not those that were kept."
                else:
                    wrong = self._checks.receipt(receipt.verification_id, receipt.bundle)
                if wrong is not None:
                    self._audit.add("RECEIPT", f"leaf {receipt.idx}", wrong)
            if not page:
                return
