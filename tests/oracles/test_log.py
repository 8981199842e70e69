"""Go's sumdb reads our log as files: its tiles, its entries, its older heads, its proofs."""

from __future__ import annotations

import base64
import itertools
from typing import TYPE_CHECKING

import pytest

from spanproof.core.log.merkle import prove_consistency
from spanproof.core.log.tiles import TILE_WIDTH, TileReader
from spanproof.receipt.forms.log_proof import make_log_proof, write_log_proof
from tests.oracles.log_folder import LogFolder
from tests.oracles.tamperings.scene import trust_in
from tests.oracles.verifiers import SUMDB, run_judge
from tests.receipt.samples import Issuer, MemoryLog, make_log_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import TypeAlias

    from tests.oracles.verifiers import Judgement

    Judge: TypeAlias = Callable[..., Judgement]

pytestmark = pytest.mark.usefixtures("sumdb")

KEY = make_log_key()
#: A full row of tiles, and one with a part; above it 256 and one.
SIZE = TILE_WIDTH * TILE_WIDTH + TILE_WIDTH + 5
OLDS = (1, 2, 255, 256, 257, 1000, 65_535, 65_536, 65_537, SIZE)


@pytest.fixture(scope="session")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Asks the Go program about one thing."""
    vkeys = tmp_path_factory.mktemp("trust") / "log.vkey"
    vkeys.write_text(trust_in(Issuer()).vkeys[0] + "\n", encoding="utf-8")

    def ask(verb: str, *files: Path) -> Judgement:
        command = [str(SUMDB), "-vkeys", str(vkeys), verb, *map(str, files)]
        (judgement,) = run_judge(command).values()
        return judgement

    return ask


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> LogFolder:
    """A log of three levels of tiles."""
    folder = LogFolder(
        tmp_path_factory.mktemp("large"), [b"entry %d" % n for n in range(SIZE)], KEY
    )
    folder.write()
    for old in OLDS:
        (folder.folder / f"{old}.checkpoint").write_text(folder.head(old), encoding="utf-8")
    return folder


@pytest.fixture
def small(tmp_path: Path) -> LogFolder:
    """A log of two levels that a test may damage, with a head from before."""
    folder = LogFolder(tmp_path, [b"entry %d" % n for n in range(600)], KEY)
    folder.write()
    (tmp_path / "old").write_text(folder.head(300), encoding="utf-8")
    return folder


def test_a_large_log_is_accepted_with_all_its_older_heads(judge: Judge, large: LogFolder) -> None:
    olds = [large.folder / f"{old}.checkpoint" for old in OLDS]
    judgement = judge("tiles", large.folder, *olds)
    assert judgement.accepted, judgement.reason


@pytest.mark.parametrize(("old", "new"), [*itertools.combinations_with_replacement(OLDS, 2)])
def test_our_consistency_proofs_are_accepted(
    judge: Judge, large: LogFolder, tmp_path: Path, old: int, new: int
) -> None:
    proof = prove_consistency(TileReader(large.read, new), old, new)
    path = write_hashes(tmp_path, proof.hashes)
    judgement = judge("consistency", head_of(large, old), head_of(large, new), path)
    assert judgement.accepted, judgement.reason


@pytest.mark.parametrize(
    "change",
    [
        lambda hashes: (bytes([hashes[0][0] ^ 1]) + hashes[0][1:], *hashes[1:]),
        lambda hashes: hashes[:-1],
        lambda hashes: hashes[1:],
        lambda hashes: (*hashes, hashes[-1]),
        lambda hashes: tuple(reversed(hashes)),
        lambda _: (),
    ],
    ids=["bit_flipped", "last_gone", "first_gone", "one_more", "reversed", "none"],
)
def test_a_consistency_proof_that_was_tampered_with_is_refused(
    judge: Judge,
    large: LogFolder,
    tmp_path: Path,
    change: Callable[[tuple[bytes, ...]], tuple[bytes, ...]],
) -> None:
    hashes = prove_consistency(TileReader(large.read, SIZE), 1000, SIZE).hashes
    path = write_hashes(tmp_path, change(hashes))
    assert not judge("consistency", head_of(large, 1000), head_of(large, SIZE), path).accepted


def test_another_history_is_refused(judge: Judge, large: LogFolder, tmp_path: Path) -> None:
    fork = LogFolder(tmp_path, [b"entry %d" % (n + (n == 999)) for n in range(1000)], KEY)
    old = tmp_path / "old"
    old.write_text(fork.head(), encoding="utf-8")
    hashes = prove_consistency(TileReader(large.read, SIZE), 1000, SIZE).hashes
    proof = write_hashes(tmp_path, hashes)
    assert not judge("consistency", old, head_of(large, SIZE), proof).accepted
    assert not judge("tiles", large.folder, old).accepted


def test_a_log_that_shrank_is_refused(judge: Judge, large: LogFolder, tmp_path: Path) -> None:
    hashes = prove_consistency(TileReader(large.read, SIZE), 1000, SIZE).hashes
    proof = write_hashes(tmp_path, hashes)
    assert not judge("consistency", head_of(large, SIZE), head_of(large, 1000), proof).accepted


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 600])
def test_small_logs_are_accepted(judge: Judge, tmp_path: Path, size: int) -> None:
    LogFolder(tmp_path, [b"" if n == 0 else b"entry %d" % n for n in range(size)], KEY).write()
    judgement = judge("tiles", tmp_path)
    assert judgement.accepted, judgement.reason


def test_the_longest_entry_is_accepted(judge: Judge, tmp_path: Path) -> None:
    LogFolder(tmp_path, [b"x" * 65_535, b"y"], KEY).write()
    judgement = judge("tiles", tmp_path)
    assert judgement.accepted, judgement.reason


@pytest.mark.parametrize(
    "name",
    [
        "checkpoint",
        "tile/0/000",
        "tile/0/001",
        "tile/0/002.p/88",
        "tile/1/000.p/2",
        "tile/entries/000",
        "tile/entries/002.p/88",
    ],
)
@pytest.mark.parametrize("damage", ["bit_flipped", "cut_short", "longer", "gone", "empty"])
def test_a_damaged_log_is_refused(judge: Judge, small: LogFolder, name: str, damage: str) -> None:
    assert judge("tiles", small.folder, small.folder / "old").accepted
    path = small.folder / name
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        flipped = bytearray(content)
        flipped[40] ^= 1
        longer = content + content[-32:]
        path.write_bytes(
            {"bit_flipped": bytes(flipped), "cut_short": content[:-1], "longer": longer}.get(
                damage, b""
            )
        )
    assert not judge("tiles", small.folder, small.folder / "old").accepted


def test_a_log_proof_is_accepted_and_its_tampering_refused(judge: Judge, tmp_path: Path) -> None:
    log = MemoryLog(key=KEY, entries=[b"entry %d" % n for n in range(11)])
    entry, proof = tmp_path / "entry", tmp_path / "proof"
    entry.write_bytes(log.entries[6])
    text = write_log_proof(make_log_proof(log.prove(6)))
    proof.write_text(text, encoding="utf-8")
    judgement = judge("proof", entry, proof)
    assert judgement.accepted, judgement.reason

    lines = text.splitlines(keepends=True)
    for changed in (
        text.replace("index 6\n", "index 7\n"),
        "".join(lines[:2] + lines[3:]),
        "".join([*lines[:2], lines[3], lines[2], *lines[4:]]),
        text.replace("\n11\n", "\n12\n"),
        text.replace("@v1", "@v2"),
    ):
        assert changed != text
        proof.write_text(changed, encoding="utf-8")
        assert not judge("proof", entry, proof).accepted
    proof.write_text(text, encoding="utf-8")
    entry.write_bytes(log.entries[7])
    assert not judge("proof", entry, proof).accepted


def head_of(folder: LogFolder, size: int) -> Path:
    """The file of a head."""
    return folder.folder / f"{size}.checkpoint"


def write_hashes(folder: Path, hashes: tuple[bytes, ...]) -> Path:
    """The proof as the Go program reads it."""
    path = folder / "proof"
    lines = [base64.b64encode(each).decode() + "\n" for each in hashes]
    path.write_text("".join(lines), encoding="utf-8")
    return path
