"""A witness's folder: its key, its heads, and that nothing is cosigned that is not on the disk."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import (
    KeyUnavailableError,
    LogDamagedError,
    LogStoppedError,
    MalformedTrustError,
    SettingsError,
)
from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.operations.errors import UnreadableFileError
from spanproof.operations.log.witness import WitnessFolder, name_log, read_watched_logs
from spanproof.receipt.forms.signed_note import parse_note
from spanproof.receipt.keys.key_files import write_private_key
from spanproof.receipt.keys.verifier_key import format_log_key
from spanproof.receipt.witness.cosignature import (
    LocalCosigner,
    find_cosignatures,
    parse_cosigner_key,
)
from spanproof.receipt.witness.cosigned_list import parse_list
from spanproof.receipt.witness.cosigning import CosignRequest, Witness, write_request
from tests.receipt.samples import Issuer, MemoryLog, make_log_key, to_trust_bytes

if TYPE_CHECKING:
    from pathlib import Path

NAME = "witness.example/one"
NOW = 1_700_000_000
WORDS = "correct horse"


def open_folder(
    path: Path, name: str | None = NAME, passphrase: str | None = None
) -> WitnessFolder:
    return WitnessFolder.open(path, name=name, passphrase=passphrase)


def make_log(size: int, origin: str = "log.example.com") -> MemoryLog:
    return MemoryLog(
        key=make_log_key(1, origin), entries=[b"entry %d" % number for number in range(size)]
    )


def ask(folder: WitnessFolder, log: MemoryLog, old: int, new: int) -> int:
    witness = Witness(
        cosigner=folder.cosigner,
        logs={log.origin: [log.key.verifier]},
        store=folder,
        clock=lambda: NOW,
    )
    if old:
        request = log.prove_growth(old, new).encode()
    else:
        request = write_request(CosignRequest(old_size=0, hashes=(), note=log.note(new)))
    return witness.add_checkpoint(request).status


def test_the_first_start_makes_a_key_and_later_ones_use_it(tmp_path: Path) -> None:
    place = tmp_path / "far" / "witness"
    with open_folder(place) as folder:
        vkey = folder.vkey
        assert parse_cosigner_key(vkey) == folder.cosigner.verifier
    assert (place / "witness.vkey").read_text() == f"{vkey}\n"
    assert stat.S_IMODE((place / "witness.pem").stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    for name in (NAME, None):
        with open_folder(place, name) as folder:
            assert folder.vkey == vkey


@pytest.mark.parametrize("name", [None, "", "a b", "a+b"])
def test_a_new_witness_needs_a_name(tmp_path: Path, name: str | None) -> None:
    with pytest.raises(SettingsError, match="Expected a name"):
        open_folder(tmp_path / "w", name)
    # Nothing was made under another name, and the lock is free.
    open_folder(tmp_path / "w").close()


def test_another_name_needs_another_folder(tmp_path: Path) -> None:
    open_folder(tmp_path / "w").close()
    with pytest.raises(SettingsError, match=r"Expected the name 'witness\.example/one'"):
        open_folder(tmp_path / "w", "else")


def test_two_witnesses_do_not_share_a_folder(tmp_path: Path) -> None:
    with open_folder(tmp_path / "w"), pytest.raises(SettingsError, match="the only witness"):
        open_folder(tmp_path / "w")
    open_folder(tmp_path / "w").close()


def test_a_passphrase_guards_the_key(tmp_path: Path) -> None:
    open_folder(tmp_path / "w", passphrase=WORDS).close()
    assert "ENCRYPTED" in (tmp_path / "w" / "witness.pem").read_text()
    with pytest.raises(KeyUnavailableError):
        open_folder(tmp_path / "w")
    open_folder(tmp_path / "w", passphrase=WORDS).close()


def test_what_was_cosigned_is_known_after_a_restart(tmp_path: Path) -> None:
    log = make_log(9)
    with open_folder(tmp_path / "w") as folder:
        assert folder.find_note(name_log(log.origin)) is None
        assert ask(folder, log, 0, 5) == 200
        kept = folder.find_note(name_log(log.origin))
    with open_folder(tmp_path / "w") as folder:
        assert folder.find_note(name_log(log.origin)) == kept
        assert ask(folder, log, 0, 9) == 409
        assert ask(folder, log, 5, 9) == 200
        note = folder.find_note(name_log(log.origin))
        assert note is not None
        key = folder.cosigner.verifier
        (found,) = find_cosignatures(parse_note(note), [key])
        assert found.timestamp == NOW


def test_the_list_of_what_was_cosigned_survives_restarts_and_a_crash(tmp_path: Path) -> None:
    log, name = make_log(9), name_log(make_log(9).origin)
    path = tmp_path / "w" / "cosigned" / name
    with open_folder(tmp_path / "w") as folder:
        assert folder.find_list(name) is None
        assert ask(folder, log, 0, 5) == 200
        before = path.read_bytes()
        assert ask(folder, log, 5, 9) == 200
        listed = folder.find_list(name)
        assert listed is not None
        assert [each.size for each in parse_list(listed).heads] == [5, 9]
    for kept in (listed, before):
        # A kill between the two writes leaves the last head out, and the next start adds it.
        path.write_bytes(kept)
        with open_folder(tmp_path / "w") as folder:
            assert folder.find_list(name) == listed
    # A witness of an earlier version had no lists: they begin with what it cosigned last.
    path.unlink()
    with open_folder(tmp_path / "w") as folder:
        begun = folder.find_list(name)
        assert begun is not None
        assert [each.size for each in parse_list(begun).heads] == [9]


def test_a_part_that_a_crash_left_is_no_head(tmp_path: Path) -> None:
    open_folder(tmp_path / "w").close()
    (tmp_path / "w" / "heads" / f".{name_log('log.example.com')}.77.part").write_bytes(b"torn")
    with open_folder(tmp_path / "w") as folder:
        assert ask(folder, make_log(3), 0, 3) == 200


@pytest.mark.parametrize("damage", ["torn", "empty", "renamed", "foreign", "unsigned"])
def test_a_head_that_is_not_what_was_cosigned_stops_the_start(tmp_path: Path, damage: str) -> None:
    log = make_log(5)
    with open_folder(tmp_path / "w") as folder:
        assert ask(folder, log, 0, 5) == 200
    path = tmp_path / "w" / "heads" / name_log(log.origin)
    if damage == "renamed":
        path.rename(path.with_name(name_log("else.example.com")))
    elif damage == "foreign":
        with open_folder(tmp_path / "other") as folder:
            assert ask(folder, log, 0, 5) == 200
        path.write_bytes((tmp_path / "other" / "heads" / path.name).read_bytes())
    else:
        content = path.read_bytes()
        path.write_bytes(
            {"torn": content[:-9], "empty": b"", "unsigned": log.note(5).encode()}[damage]
        )
    with pytest.raises(LogDamagedError, match="Expected"):
        open_folder(tmp_path / "w")


def test_a_lost_key_is_not_replaced_while_there_are_heads(tmp_path: Path) -> None:
    with open_folder(tmp_path / "w") as folder:
        assert ask(folder, make_log(3), 0, 3) == 200
    (tmp_path / "w" / "witness.vkey").unlink()
    with pytest.raises(KeyUnavailableError, match=r"beside the heads that were cosigned"):
        open_folder(tmp_path / "w")


def test_a_key_of_another_is_not_used(tmp_path: Path) -> None:
    open_folder(tmp_path / "w").close()
    path = tmp_path / "w" / "witness.pem"
    path.unlink()
    with pytest.raises(KeyUnavailableError):
        open_folder(tmp_path / "w")
    write_private_key(path, LocalCosigner.generate("x").private, None)
    with pytest.raises(KeyUnavailableError, match="got another"):
        open_folder(tmp_path / "w")


@pytest.mark.parametrize("content", [b"", b"x\n", b"\xff"])
def test_a_verifier_key_that_is_none_stops_the_start(tmp_path: Path, content: bytes) -> None:
    open_folder(tmp_path / "w").close()
    (tmp_path / "w" / "witness.vkey").write_bytes(content)
    with pytest.raises(KeyUnavailableError, match="verifier key"):
        open_folder(tmp_path / "w")


def test_a_first_start_that_was_cut_off_goes_on_with_its_key(tmp_path: Path) -> None:
    with open_folder(tmp_path / "w") as folder:
        vkey = folder.vkey
    (tmp_path / "w" / "witness.vkey").unlink()
    with open_folder(tmp_path / "w") as folder:
        assert folder.vkey == vkey


def test_after_a_failed_write_nothing_is_cosigned_until_the_next_start(tmp_path: Path) -> None:
    log, other = make_log(5), make_log(5, "other.example.com")
    with open_folder(tmp_path / "w") as folder:
        assert ask(folder, log, 0, 3) == 200
        # What stands in the way of the rename is a real failure of the disk.
        path = tmp_path / "w" / "heads" / name_log(log.origin)
        kept = path.read_bytes()
        path.unlink()
        path.mkdir()
        for asked in (log, other, log):
            with pytest.raises(LogStoppedError, match="Expected to"):
                ask(folder, asked, 3 if asked is log else 0, 5)
        path.rmdir()
        with pytest.raises(LogStoppedError):
            ask(folder, log, 3, 5)
    path.write_bytes(kept)
    with open_folder(tmp_path / "w") as folder:
        assert ask(folder, log, 3, 5) == 200


def test_no_smaller_head_takes_the_place_of_a_larger_one(tmp_path: Path) -> None:
    log = make_log(5)
    with open_folder(tmp_path / "w") as folder:
        assert ask(folder, log, 0, 3) == 200
        with folder.lock_log(log.origin) as held:
            small = held.seen
        assert ask(folder, log, 3, 5) == 200
        assert small is not None
        with (
            folder.lock_log(log.origin) as held,
            pytest.raises(ValueError, match="Expected at least 5 leaves, got 3"),
        ):
            held.save(small)


def test_logs_are_watched_by_keys_policies_and_trust_files(tmp_path: Path) -> None:
    first, second = make_log_key(1), make_log_key(2, "second.example.com")
    renewed = make_log_key(3)
    policy, trust = tmp_path / "policy", tmp_path / "trust.json"
    policy.write_text(f"log {format_log_key(second.verifier)}\nquorum none\n")
    trust.write_bytes(to_trust_bytes(Issuer()))
    found = read_watched_logs(
        vkeys=[format_log_key(each.verifier) for each in (first, renewed)],
        policy=policy,
        trust=trust,
    )
    assert found == {
        "log.example.com": (first.verifier, renewed.verifier),
        "second.example.com": (second.verifier,),
    }


def test_a_log_whose_keys_are_all_revoked_is_not_watched(tmp_path: Path) -> None:
    issuer = Issuer()
    revoked = {
        "key_id": encode_base64(issuer.log.key.verifier.log_id),
        "origin": issuer.log.origin,
        "log_size": 5,
        "revoked_at": "2026-11-20T14:00:00.000Z",
        "reason": "stolen",
    }
    trust = tmp_path / "trust.json"
    trust.write_bytes(to_trust_bytes(issuer, revocations=[revoked]))
    with pytest.raises(SettingsError, match="Expected a log to watch, got none"):
        read_watched_logs(vkeys=[], policy=None, trust=trust)


def test_nothing_to_watch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Expected a log to watch, got none"):
        read_watched_logs(vkeys=[], policy=None, trust=None)
    with pytest.raises(MalformedTrustError):
        read_watched_logs(vkeys=["nonsense"], policy=None, trust=None)
    missing = tmp_path / "none"
    with pytest.raises(UnreadableFileError, match="Expected a witness policy at"):
        read_watched_logs(vkeys=[], policy=missing, trust=None)
    with pytest.raises(UnreadableFileError, match="Expected a trust file at"):
        read_watched_logs(vkeys=[], policy=None, trust=missing)
