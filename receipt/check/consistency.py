"""Two signed heads of a log: does the newer only add to the older?

1. Both are signed by a trusted key of the same log.
2. The newer has at least as many leaves.
3. Heads of one size have one root; an empty tree is the beginning of every other.
4. Else a proof leads from the root of the one to the root of the other: a given one, or one that
   is computed from the log's tiles, which are believed only where they come to the newer root.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import MalformedNoteError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64
from spanproof.core.log.merkle import (
    HASH_SIZE,
    ConsistencyProof,
    check_consistency,
    prove_consistency,
    read_root,
)
from spanproof.core.log.tiles import Tile, TileReader
from spanproof.receipt.check.finding import Findings
from spanproof.receipt.check.log import read_head
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.forms.checkpoint_note import is_empty_tree, parse_checkpoint
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.receipt.witness.cosigning import MAX_PROOF_LINES

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.receipt.check.log import SavedNote
    from spanproof.receipt.check.tree import FindTile
    from spanproof.receipt.keys.trust_file import TrustFile

MAX_PROOF_BYTES = 1 << 13


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyReport:
    """The answer, in words for a person; ``code`` says what failed.

    A head is None where nothing could be believed of it; ``proof`` is what led from one to the
    other.
    """

    status: LineStatus
    words: str
    code: str | None = None
    old: Checkpoint | None = None
    new: Checkpoint | None = None
    proof: ConsistencyProof | None = None

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        hashes = self.proof.hashes if self.proof else None
        return {
            "outcome": self.status.value,
            "code": self.code,
            "words": self.words,
            "old": _to_json(self.old),
            "new": _to_json(self.new),
            "proof": None if hashes is None else [encode_base64(each) for each in hashes],
        }


class _TileMissingError(Exception):
    """A tile that the tree of the newer head has, and the log has not."""


def check_heads(
    old: SavedNote,
    new: SavedNote,
    trust: TrustFile,
    *,
    find: FindTile | None = None,
    hashes: tuple[bytes, ...] | None = None,
) -> ConsistencyReport:
    """Check that ``new`` extends ``old``, by the given proof or by the tiles that ``find`` reads.

    Raises MalformedNoteError if one of the two is not a checkpoint. The errors of ``find`` (the log
    does not answer) pass through.
    """
    origin = parse_checkpoint(parse_note(new.text).text).origin
    findings = Findings()
    older, _ = read_head(old, origin, trust, findings=findings)
    newer, _ = read_head(new, origin, trust, findings=findings)  # (1)
    if older is None or newer is None:
        first = next(iter(findings))
        return _fail(first.code, f"{first.place}: {first.message}", older, newer)
    if newer.size < older.size:  # (2)
        words = f"{new.name} has {newer.size} leaves, {old.name} had {older.size}"
        return _fail("LOG_SHRUNK", words, older, newer)
    if older.size in {0, newer.size}:  # (3)
        return _compare_roots(older, newer)
    if hashes is not None:  # (4)
        return _check_proof(older, newer, hashes)
    if find is None:
        words = "neither a proof nor the log's tiles were given"
        return ConsistencyReport(
            status=LineStatus.NOT_CHECKED, words=words, old=older, new=newer, code="PROOF_MISSING"
        )
    return _check_tiles(older, newer, find)


def parse_proof(raw: bytes) -> tuple[bytes, ...]:
    """Read a proof: one hash a line in base64; raise MalformedNoteError for anything else."""
    lines = raw.decode("utf-8", "replace").split("\n") if len(raw) <= MAX_PROOF_BYTES else ["?"]
    if lines.pop() or len(lines) > MAX_PROOF_LINES:
        msg = f"Expected at most {MAX_PROOF_LINES} lines that end in a newline, got another text."
        raise MalformedNoteError(msg, hint="Give the hashes of the proof, one a line, in base64.")
    hashes = tuple(each for each in map(decode_base64, lines) if each and len(each) == HASH_SIZE)
    if len(hashes) < len(lines):
        msg = f"Expected {HASH_SIZE} bytes of base64 in each line of the proof, got another line."
        raise MalformedNoteError(msg, hint="Give the hashes of the proof, one a line, in base64.")
    return hashes


def _compare_roots(older: Checkpoint, newer: Checkpoint) -> ConsistencyReport:
    empty = [each for each in (older, newer) if each.size == 0]
    if not all(map(is_empty_tree, empty)):
        return _fail("ROOT_MISMATCH", "a head of no leaves has a root of some", older, newer)
    if older.size == newer.size and not hmac.compare_digest(older.root, newer.root):
        words = f"two roots are signed for {newer.size} leaves: the log has two histories"
        return _fail("LOG_FORKED", words, older, newer)
    return _pass(older, newer, None)


def _check_proof(
    older: Checkpoint, newer: Checkpoint, hashes: tuple[bytes, ...]
) -> ConsistencyReport:
    proof = ConsistencyProof(old_size=older.size, new_size=newer.size, hashes=hashes)
    if not check_consistency(proof, older.root, newer.root):
        words = f"the proof does not lead from {older.size} leaves to {newer.size}"
        return _fail("PROOF_FALSE", words, older, newer)
    return _pass(older, newer, proof)


def _check_tiles(older: Checkpoint, newer: Checkpoint, find: FindTile) -> ConsistencyReport:
    def read(tile: Tile) -> bytes:
        content = find(tile)
        if content is None:
            # A log that grew may have only the whole tile left (tlog-tiles, partial tiles).
            whole = find(Tile(level=tile.level, index=tile.index))
            content = None if whole is None else whole[: tile.width * HASH_SIZE]
        if content is None:
            raise _TileMissingError(tile.path)
        return content

    reader = TileReader(read, newer.size)
    try:
        old_root = read_root(reader, older.size)
        proof = prove_consistency(reader, older.size, newer.size)
    except _TileMissingError as error:
        return ConsistencyReport(
            status=LineStatus.NOT_CHECKED,
            words=f"the log has no {error}",
            code="TILE_MISSING",
            old=older,
            new=newer,
        )
    except ValueError as error:
        return _fail("TILE_MALFORMED", str(error), older, newer)
    # Only a path to the signed root shows that the tiles are the log's own. Without it they prove
    # nothing against the log.
    if not check_consistency(proof, old_root, newer.root):
        words = f"the log's tiles do not come to the root that was signed for {newer.size} leaves"
        return _fail("ROOT_MISMATCH", words, older, newer)
    if not hmac.compare_digest(old_root, older.root):
        words = (
            f"the newer history has the root {old_root.hex()} above {older.size} leaves, and "
            f"{older.root.hex()} was signed"
        )
        return _fail("LOG_FORKED", words, older, newer)
    return _pass(older, newer, proof)


def _pass(
    older: Checkpoint, newer: Checkpoint, proof: ConsistencyProof | None
) -> ConsistencyReport:
    words = f"{newer.origin}: {newer.size} leaves begin with the {older.size} signed before"
    return ConsistencyReport(status=LineStatus.OK, words=words, old=older, new=newer, proof=proof)


def _fail(
    code: str, words: str, older: Checkpoint | None, newer: Checkpoint | None
) -> ConsistencyReport:
    return ConsistencyReport(status=LineStatus.FAILED, words=words, code=code, old=older, new=newer)


def _to_json(head: Checkpoint | None) -> dict[str, Any] | None:
    if head is None:
        return None
    return {"origin": head.origin, "size": head.size, "root": head.root.hex()}
