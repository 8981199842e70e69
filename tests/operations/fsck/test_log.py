"""Logs in folders and behind addresses, read whole; each damage is one named finding."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pytest

from spanproof.core.errors import MalformedNoteError
from spanproof.core.log.tiles import Tile
from spanproof.operations.errors import LogUnreachableError, UnreadableFileError
from spanproof.operations.fsck.place import check_place, open_place
from spanproof.operations.fsck.report import FsckOptions
from spanproof.operations.log.source import FolderLog, UrlLog, measure
from spanproof.receipt.check.log import SavedNote
from spanproof.receipt.keys.trust_file import parse_trust
from tests.operations.audited import codes, statuses
from tests.receipt.samples import Issuer, MemoryLog, make_log_key, to_trust_bytes
from tests.receipt.tiles import make_tiles, write_log

if TYPE_CHECKING:
    from pathlib import Path


def make_log(count: int = 300) -> Issuer:
    issuer = Issuer()
    issuer.issue()
    entry = issuer.log.entries[0]
    issuer.log.entries += [entry] * (count - 2)
    return issuer


def test_a_folder_of_tiles_is_checked_from_its_head_down(tmp_path: Path) -> None:
    issuer = make_log()
    write_log(tmp_path / "log", issuer.log)
    trust = parse_trust(to_trust_bytes(issuer))
    report = check_place(str(tmp_path / "log"), trust)
    assert statuses(report) == {
        "CHECKPOINT": "OK",
        "TREE": "OK",
        "KEYS": "OK",
        "HISTORY": "NOT ASKED",
    }
    assert report.outcome.value == "OK"
    assert report.to_json()["checkpoint"]["size"] == 300
    (tmp_path / "log" / "tile" / "0" / "000").unlink()
    report = check_place(str(tmp_path / "log"), trust)
    assert codes(report) == ["TILE_MISSING"]
    (tmp_path / "log" / "tile" / "entries" / "001.p" / "44").unlink()
    report = check_place(str(tmp_path / "log"), trust)
    assert codes(report) == ["TILE_MISSING"] * 2
    # Some leaves were not seen, so nothing is said of all their keys.
    assert statuses(report)["KEYS"] == "NOT CHECKED"


def test_what_is_no_log_is_malformed(tmp_path: Path) -> None:
    trust = parse_trust(to_trust_bytes(Issuer()))
    with pytest.raises(UnreadableFileError):
        check_place(str(tmp_path / "nowhere"), trust)
    with pytest.raises(UnreadableFileError):
        check_place(str(tmp_path), trust)
    (tmp_path / "checkpoint").write_bytes(b"\xff")
    with pytest.raises(MalformedNoteError):
        check_place(str(tmp_path), trust)
    (tmp_path / "checkpoint").write_bytes(b"words\n")
    with pytest.raises(MalformedNoteError):
        check_place(str(tmp_path), trust)


def test_a_head_that_nobody_trusted_signed_leaves_the_rest_unchecked(tmp_path: Path) -> None:
    issuer = make_log(4)
    write_log(tmp_path, issuer.log)
    stranger = Issuer(log=MemoryLog(key=make_log_key(5)))
    trust = parse_trust(to_trust_bytes(stranger))
    older = [SavedNote(name="saved", text=stranger.log.note(0))]
    report = check_place(str(tmp_path), trust, FsckOptions(older=older))
    assert statuses(report) == {
        "CHECKPOINT": "FAILED",
        "TREE": "NOT CHECKED",
        "KEYS": "NOT CHECKED",
        "HISTORY": "NOT CHECKED",
    }
    assert report.outcome.value == "FAILED"


def test_a_file_where_a_tile_should_be_a_folder_is_a_missing_tile(tmp_path: Path) -> None:
    source = FolderLog(tmp_path)
    (tmp_path / "tile").write_bytes(b"")
    assert source.find(Tile(level=0, index=0)) is None


def test_no_more_of_a_tile_is_read_than_it_can_have(tmp_path: Path) -> None:
    tile = Tile(level=0, index=0, width=2)
    path = tmp_path / tile.path
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(10_000))
    found = FolderLog(tmp_path).find(tile)
    assert found is not None
    assert len(found) == measure(tile) + 1 == 65


def serve(resources: dict[str, bytes], status: int = 200) -> httpx.Client:
    """A client whose server has these resources, below one address."""

    def answer(request: httpx.Request) -> httpx.Response:
        content = resources.get(request.url.path.removeprefix("/log/"))
        return httpx.Response(404) if content is None else httpx.Response(status, content=content)

    return httpx.Client(transport=httpx.MockTransport(answer))


def test_a_log_behind_an_address_is_read_as_it_is_served() -> None:
    issuer = make_log(5)
    resources = make_tiles(issuer.log.entries)
    resources["checkpoint"] = issuer.log.note().encode()
    source = UrlLog("http://log.example.com/log/", client=serve(resources))
    with closing(source):
        assert source.read_head().text == issuer.log.note()
        assert source.find(Tile(level=0, index=0, width=5)) == resources["tile/0/000.p/5"]
        assert source.find(Tile(level=0, index=1)) is None


def test_an_address_that_does_not_answer_is_not_checked() -> None:
    for client in (serve({"checkpoint": b""}, status=500), serve({})):
        source = UrlLog("http://log.example.com/log", client=client)
        with pytest.raises(LogUnreachableError):
            source.read_head()
    trust = parse_trust(to_trust_bytes(Issuer()))
    report = check_place("http://127.0.0.1:9", trust)
    assert statuses(report) == {"CHECKPOINT": "NOT CHECKED"}
    assert report.outcome.value == "NOT CHECKED"
    with pytest.raises(LogUnreachableError):
        UrlLog("http://[").read_head()


def test_an_answer_that_never_ends_is_cut_off() -> None:
    tile = Tile(level=0, index=0, width=1)
    source = UrlLog("http://log.example.com/log", client=serve({tile.path: bytes(1 << 20)}))
    found = source.find(tile)
    assert found is not None
    # More than a tile has, so that it is told as malformed.
    assert len(found) > measure(tile)


def test_addresses_and_folders_are_told_apart(tmp_path: Path) -> None:
    assert isinstance(open_place("https://log.example.com"), UrlLog)
    assert isinstance(open_place(str(tmp_path)), FolderLog)
