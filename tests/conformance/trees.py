"""Merkle proofs of transparency-dev/merkle, and the log of transparency-dev/tessera."""

from __future__ import annotations

import base64
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.core.log.merkle import (
    ConsistencyProof,
    InclusionProof,
    check_consistency,
    check_inclusion,
    hash_leaf,
    read_root,
)
from spanproof.core.log.tiles import Tile, TileReader, split_entries, split_hashes
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.keys.verifier_key import parse_log_key
from tests.conformance.vectors import LeftOut, Vector, VectorSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.core.log.checkpoint import Checkpoint

MERKLE = "merkle-rfc6962"
TESSERA = "tessera-tlog-tiles"
#: README of the repository, testdata/log.
_TESSERA_KEY = "example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx"


def load_merkle(folder: Path) -> Iterator[VectorSet]:
    """Inclusion and consistency."""
    questions: tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...] = (
        ("inclusion", _includes),
        ("consistency", _is_consistent),
    )
    for question, answer in questions:
        read = {
            str(path.relative_to(folder)): json.loads(path.read_text(encoding="utf-8"))
            for path in sorted((folder / "testdata" / question).rglob("*.json"))
        }
        yield VectorSet(
            folder=MERKLE,
            question=f"{question} proofs",
            ours=f"spanproof.core.log.merkle.check_{question}",
            vectors=tuple(
                Vector(name=name, comes_out=partial(_agrees, answer, raw))
                for name, raw in read.items()
            ),
            accepted=sum(not raw["wantErr"] for raw in read.values()),
        )


def load_tessera(folder: Path) -> Iterator[VectorSet]:
    """Checkpoints, tiles and entries of one log at every size."""
    log = folder / "testdata" / "log"
    heads = sorted(log.glob("checkpoint*"))
    yield VectorSet(
        folder=TESSERA,
        question="checkpoints",
        ours="spanproof.receipt.forms.signed_note.check_note,"
        " spanproof.receipt.forms.checkpoint_note.parse_checkpoint",
        vectors=tuple(
            Vector(name=path.name, comes_out=partial(_is_signed, path)) for path in heads
        ),
        accepted=len(heads),
    )
    tiles = sorted(log.glob("tile/0/*.p/*"))
    yield VectorSet(
        folder=TESSERA,
        question="tiles",
        ours="spanproof.core.log.tiles.TileReader, spanproof.core.log.merkle.read_root",
        vectors=tuple(
            Vector(name=str(path.relative_to(log)), comes_out=partial(_has_root, log, path))
            for path in tiles
        ),
    )
    bundles = sorted(log.glob("tile/entries/*.p/*"))
    yield VectorSet(
        folder=TESSERA,
        question="bundles of entries",
        ours="spanproof.core.log.tiles.split_entries, spanproof.core.log.merkle.hash_leaf",
        vectors=tuple(
            Vector(name=str(path.relative_to(log)), comes_out=partial(_are_leaves, log, path))
            for path in bundles
        ),
    )


def list_left_out(folder: Path) -> Iterator[LeftOut]:
    """Proofs of another kind."""
    found = [path for path in (folder / "testdata").rglob("*.json") if "subtree" in str(path)]
    reason = "proofs about subtrees, for Merkle Tree Certificates; our logs have none"
    yield LeftOut(folder=MERKLE, count=len(found), reason=reason)


def _agrees(answer: Callable[[dict[str, Any]], bool], vector: dict[str, Any]) -> bool:
    return answer(vector) is not vector["wantErr"]


def _includes(vector: dict[str, Any]) -> bool:
    proof = InclusionProof(
        index=vector["leafIdx"], size=vector["treeSize"], hashes=_decode_all(vector["proof"])
    )
    return check_inclusion(proof, _decode(vector["leafHash"]), _decode(vector["root"]))


def _is_consistent(vector: dict[str, Any]) -> bool:
    proof = ConsistencyProof(
        old_size=vector["size1"], new_size=vector["size2"], hashes=_decode_all(vector["proof"])
    )
    return check_consistency(proof, _decode(vector["root1"]), _decode(vector["root2"]))


def _read_head(path: Path) -> Checkpoint:
    note = parse_note(path.read_text(encoding="utf-8"))
    check_note(note, [parse_log_key(_TESSERA_KEY)])
    return parse_checkpoint(note.text)


def _is_signed(path: Path) -> bool:
    head = _read_head(path)
    # The name ends in the size, where it has one.
    return path.suffix in {"", f".{head.size}"}


def _has_root(log: Path, path: Path) -> bool:
    head = _read_head(log / f"checkpoint.{path.name}")

    def read(tile: Tile) -> bytes:
        return (log / tile.path).read_bytes()

    return read_root(TileReader(read, head.size), head.size) == head.root


def _are_leaves(log: Path, path: Path) -> bool:
    tile = Tile(level=0, index=0, width=int(path.name))
    leaves = split_hashes((log / tile.path).read_bytes(), tile.width)
    return tuple(map(hash_leaf, split_entries(path.read_bytes()))) == leaves


def _decode(text: str | None) -> bytes:
    return base64.b64decode(text or "")


def _decode_all(texts: list[str] | None) -> tuple[bytes, ...]:
    return tuple(_decode(text) for text in texts or ())
