"""Two heads of a log: the newer extends the older, or the report says what speaks against it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import MalformedNoteError
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import (
    EMPTY_ROOT,
    HASH_SIZE,
    ConsistencyProof,
    check_consistency,
    hash_children,
    hash_leaf,
    prove_consistency,
    read_root,
)
from spanproof.core.log.tiles import TILE_WIDTH, Tile
from spanproof.receipt.check.consistency import ConsistencyReport, check_heads, parse_proof
from spanproof.receipt.check.log import SavedNote
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.keys.trust_file import parse_trust
from tests.receipt.check.proofs import write_proof
from tests.receipt.samples import Issuer, make_entry_key, make_log_key, make_trust

if TYPE_CHECKING:
    from spanproof.receipt.keys.signing_keys import LocalLogKey

LOG = make_log_key()
TRUST = parse_trust(json.dumps(make_trust([make_entry_key()], [LOG])).encode())
#: Past the border of a tile, so that a proof needs two levels of them.
MOST = 600


class Tree:
    """A history: its heads, and its tiles as a log serves them."""

    def __init__(self, *, like: int = MOST, word: str = "fork", size: int = MOST) -> None:
        row = [hash_leaf(f"{'leaf' if at < like else word} {at}".encode()) for at in range(size)]
        self._rows = [row]
        while len(row) > 1:
            row = [hash_children(*row[at : at + 2]) for at in range(0, len(row) - 1, 2)]
            self._rows.append(row)

    def read(self, level: int, index: int) -> bytes:
        return self._rows[level][index]

    def head(self, size: int, key: LocalLogKey = LOG) -> SavedNote:
        head = Checkpoint(origin=key.origin, size=size, root=read_root(self.read, size))
        return SavedNote(name=f"{size}.txt", text=key.sign(head))

    def find(self, tile: Tile) -> bytes | None:
        row = self._rows[8 * (tile.level or 0)]
        hashes = row[tile.index * TILE_WIDTH :][: tile.width]
        return b"".join(hashes) if len(hashes) == tile.width else None

    def prove(self, old: int, new: int) -> tuple[bytes, ...]:
        return prove_consistency(self.read, old, new).hashes


TREE = Tree()


def test_the_json_names_both_heads_and_the_proof() -> None:
    report = check_heads(TREE.head(3), TREE.head(5), TRUST, find=TREE.find)
    heads = [
        {"origin": LOG.origin, "size": size, "root": read_root(TREE.read, size).hex()}
        for size in (3, 5)
    ]
    assert report.to_json() == {
        "outcome": "OK",
        "code": report.code,
        "words": report.words,
        "old": heads[0],
        "new": heads[1],
        "proof": [encode_base64(each) for each in TREE.prove(3, 5)],
    }


def test_a_proof_is_as_long_as_it_may_be_and_no_longer() -> None:
    line = encode_base64(bytes(32)).encode() + b"\n"
    assert len(parse_proof(line * 63)) == 63
    with pytest.raises(MalformedNoteError, match="at most 63 lines"):
        parse_proof(line * 64)


def assert_fails(report: ConsistencyReport, code: str) -> None:
    assert (report.status, report.code) == (LineStatus.FAILED, code)
    assert report.words
    assert report.proof is None


@given(data=st.data())
def test_a_log_that_grew_is_consistent_by_proof_and_by_tiles(data: st.DataObject) -> None:
    new = data.draw(st.integers(1, MOST))
    old = data.draw(st.integers(1, new))
    heads = TREE.head(old), TREE.head(new)
    by_proof = check_heads(*heads, TRUST, hashes=TREE.prove(old, new))
    by_tiles = check_heads(*heads, TRUST, find=TREE.find)
    assert by_proof == by_tiles
    assert by_proof.status is LineStatus.OK
    if old < new:
        assert by_tiles.proof is not None
        roots = [read_root(TREE.read, size) for size in (old, new)]
        assert check_consistency(by_tiles.proof, *roots)
        assert parse_proof(write_proof(by_tiles.proof).encode()) == by_tiles.proof.hashes
        assert by_tiles.to_json()["proof"] == write_proof(by_tiles.proof).split()
    else:
        assert by_tiles.to_json()["proof"] is None


def test_an_empty_tree_is_the_beginning_of_every_other() -> None:
    for size in (0, 1, MOST):
        report = check_heads(TREE.head(0), TREE.head(size), TRUST)
        assert report.status is LineStatus.OK
        assert report.to_json()["old"]["root"] == EMPTY_ROOT.hex()
    odd = SavedNote(
        name="odd", text=LOG.sign(Checkpoint(origin=LOG.origin, size=0, root=bytes(32)))
    )
    assert_fails(check_heads(odd, TREE.head(5), TRUST), "ROOT_MISMATCH")
    assert_fails(check_heads(TREE.head(0), odd, TRUST), "ROOT_MISMATCH")
    assert_fails(check_heads(odd, odd, TRUST), "ROOT_MISMATCH")


@pytest.mark.parametrize("size", range(1, 65))
def test_a_fork_at_every_size_fails(size: int) -> None:
    """THREATS 3: two histories that part at this leaf, told apart by tiles of either and proofs."""
    fork = Tree(like=size - 1, size=80)
    usual = Tree(size=80)
    assert_fails(check_heads(usual.head(size), fork.head(size), TRUST), "LOG_FORKED")
    for new in (size + 1, size + 8):
        heads = usual.head(size), fork.head(new)
        assert_fails(check_heads(*heads, TRUST, find=fork.find), "LOG_FORKED")
        assert_fails(check_heads(*heads, TRUST, find=usual.find), "ROOT_MISMATCH")
        for other in (fork, usual):
            report = check_heads(*heads, TRUST, hashes=other.prove(size, new))
            assert_fails(report, "PROOF_FALSE")


def test_a_log_that_got_smaller_fails() -> None:
    report = check_heads(TREE.head(6), TREE.head(5), TRUST, find=TREE.find)
    assert_fails(report, "LOG_SHRUNK")
    assert "5.txt has 5 leaves, 6.txt had 6" in report.words


def test_a_head_that_the_log_did_not_sign_fails() -> None:
    stranger = make_log_key(2)
    for heads in (
        (TREE.head(3, stranger), TREE.head(5)),
        (TREE.head(3), TREE.head(5, stranger)),
        (TREE.head(3, stranger), TREE.head(5, stranger)),
    ):
        assert_fails(check_heads(*heads, TRUST, find=TREE.find), "CHECKPOINT_SIGNATURE")


def test_heads_of_two_logs_fail() -> None:
    other = make_log_key(2, "other.example.com")
    both = make_trust([make_entry_key()], [LOG, other])
    trust = parse_trust(json.dumps(both).encode())
    report = check_heads(TREE.head(3), TREE.head(5, other), trust, find=TREE.find)
    assert_fails(report, "CHECKPOINT_ORIGIN")
    assert report.old is None
    assert report.to_json()["old"] is None
    assert check_heads(TREE.head(3, other), TREE.head(5, other), trust, find=TREE.find).new
    # A log that the trust file does not name signs nothing that counts.
    assert_fails(
        check_heads(TREE.head(3, other), TREE.head(5, other), TRUST, find=TREE.find),
        "CHECKPOINT_SIGNATURE",
    )


def test_without_proof_and_tiles_nothing_was_checked() -> None:
    report = check_heads(TREE.head(3), TREE.head(5), TRUST)
    assert (report.status, report.code) == (LineStatus.NOT_CHECKED, "PROOF_MISSING")


@pytest.mark.parametrize("gone", ["tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2"])
def test_a_missing_tile_is_not_checked(gone: str) -> None:
    def find(tile: Tile) -> bytes | None:
        return None if tile.path == gone else TREE.find(tile)

    report = check_heads(TREE.head(300), TREE.head(MOST), TRUST, find=find)
    assert (report.status, report.code) == (LineStatus.NOT_CHECKED, "TILE_MISSING")
    assert gone in report.words


def test_a_partial_tile_that_is_gone_is_cut_from_the_whole_one() -> None:
    def find(tile: Tile) -> bytes | None:
        return TREE.find(tile) if tile.width == TILE_WIDTH else None

    assert check_heads(TREE.head(100), TREE.head(200), TRUST, find=find).status is LineStatus.OK


def test_a_tile_of_another_length_or_with_a_flipped_bit_fails() -> None:
    def flip(tile: Tile) -> bytes | None:
        content = TREE.find(tile)
        return None if content is None else bytes([content[0] ^ 1]) + content[1:]

    def cut(tile: Tile) -> bytes | None:
        content = TREE.find(tile)
        return None if content is None else content[:-1]

    for old in (100, 300):
        heads = TREE.head(old), TREE.head(MOST)
        assert_fails(check_heads(*heads, TRUST, find=cut), "TILE_MALFORMED")
        # A false tile is no evidence of a fork.
        assert_fails(check_heads(*heads, TRUST, find=flip), "ROOT_MISMATCH")


@pytest.mark.parametrize("path", ["tile/0/000", "tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2"])
def test_no_false_tile_accuses_the_log_of_a_fork(path: str) -> None:
    for old in (1, 100, 255, 256, 257, 300, 512, 513, 599):
        for at in (0, 40, 255):

            def flip(tile: Tile, at: int = at) -> bytes | None:
                content = bytearray(TREE.find(tile) or b"")
                if tile.path == path:
                    content[at * HASH_SIZE % len(content)] ^= 1
                return bytes(content) or None

            report = check_heads(TREE.head(old), TREE.head(MOST), TRUST, find=flip)
            assert report.code in {None, "ROOT_MISMATCH"}


def test_a_head_that_is_none_is_malformed() -> None:
    odd = SavedNote(name="odd", text="no head\n")
    for heads in ((odd, TREE.head(5)), (TREE.head(5), odd)):
        with pytest.raises(MalformedNoteError):
            check_heads(*heads, TRUST)


@pytest.mark.parametrize(
    "raw",
    [b"x", b"x\n", b"AAAA\n", b"\n", b"\xff\n", b"AA==", (b"A" * 43 + b"=\n") * 64, b"A" * 10_000],
)
def test_nothing_else_is_a_proof(raw: bytes) -> None:
    with pytest.raises(MalformedNoteError, match="Expected"):
        parse_proof(raw)


@given(hashes=st.lists(st.binary(min_size=HASH_SIZE, max_size=HASH_SIZE), max_size=63).map(tuple))
def test_proofs_go_there_and_back(hashes: tuple[bytes, ...]) -> None:
    proof = ConsistencyProof(old_size=1, new_size=2, hashes=hashes)
    assert parse_proof(write_proof(proof).encode()) == hashes


def test_the_heads_of_an_issuer_are_consistent() -> None:
    issuer = Issuer()
    for _ in range(3):
        issuer.issue()
    log = issuer.log
    older, newer = (SavedNote(name=str(size), text=log.note(size)) for size in (2, 6))
    find = Tree(size=1).find
    assert check_heads(older, older, TRUST, find=find).status is LineStatus.OK
    assert_fails(check_heads(older, newer, TRUST, hashes=(bytes(32),)), "PROOF_FALSE")


@given(raw=st.one_of(st.binary(min_size=1), st.text("A=\n", min_size=1).map(str.encode)))
def test_whatever_is_given_is_a_proof_or_malformed(raw: bytes) -> None:
    with pytest.raises(MalformedNoteError):
        parse_proof(raw)
