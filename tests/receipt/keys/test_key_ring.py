from __future__ import annotations

import hashlib
import json
import multiprocessing
import stat
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import KeyUnavailableError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.receipt.forms.signed_note import check_note, parse_note
from spanproof.receipt.keys import key_ring
from spanproof.receipt.keys.key_list import KeyList, parse_key_list, write_key_list
from spanproof.receipt.keys.key_ring import LIST_NAME, OVERLAP, KeyRing
from spanproof.receipt.keys.signing_keys import LocalEntryKey, LocalLogKey
from spanproof.receipt.keys.trust_file import Revocation, parse_trust, write_trust
from spanproof.receipt.keys.trusted_root import ValidFor
from tests.receipt.samples import ORIGIN
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LATER = MOMENT + timedelta(days=1)
PHRASE = "one two three"
HEAD = Checkpoint(origin=ORIGIN, size=1, root=b"1" * 32)


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    """A folder with its first keys."""
    ring = KeyRing(tmp_path / "keys")
    ring.prepare(ORIGIN, now=MOMENT)
    return ring


def make_log_key() -> LocalLogKey:
    return LocalLogKey.generate(ORIGIN)


def test_the_first_use_makes_a_key_for_statements_and_one_for_the_log(ring: KeyRing) -> None:
    assert [each.valid_for for each in ring.keys.keys] == [ValidFor(start=MOMENT)] * 2
    assert ring.find_entry_key().key_id == ring.keys.entry_keys[0].key_id
    (key,) = ring.find_log_keys(ORIGIN)
    assert key.verifier == ring.keys.log_keys(ORIGIN)[0].key
    assert stat.S_IMODE(ring.folder.stat().st_mode) == 0o700
    for path in ring.folder.iterdir():
        mode = 0o644 if path.name == LIST_NAME else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == mode, path.name
    assert "PRIVATE" not in (ring.folder / LIST_NAME).read_text()


def test_keys_are_made_once(ring: KeyRing) -> None:
    before = (ring.folder / LIST_NAME).read_bytes()
    ring.prepare(ORIGIN, now=LATER)
    assert (ring.folder / LIST_NAME).read_bytes() == before
    assert KeyRing(ring.folder).find_entry_key().key_id == ring.find_entry_key().key_id


def test_without_a_log_only_a_key_for_statements_is_made(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    ring.prepare(None, now=MOMENT)
    assert len(ring.keys.keys) == 1
    with pytest.raises(KeyUnavailableError, match=f"the log '{ORIGIN}'"):
        ring.find_log_keys(ORIGIN)


def test_another_log_gets_a_key_of_its_own(ring: KeyRing) -> None:
    ring.prepare("next.example.com", now=LATER)
    assert len(ring.keys.entry_keys) == 1
    assert len(ring.keys.log_keys("next.example.com")) == 1
    (first,), (second,) = (ring.find_log_keys(each) for each in (ORIGIN, "next.example.com"))
    assert first.verifier.public_key != second.verifier.public_key


def test_a_passphrase_is_needed_to_sign_and_not_to_list(tmp_path: Path) -> None:
    KeyRing(tmp_path / "keys", passphrase=PHRASE).prepare(ORIGIN, now=MOMENT)
    KeyRing(tmp_path / "keys", passphrase=PHRASE).find_entry_key()
    without = KeyRing(tmp_path / "keys")
    assert len(without.keys.keys) == 2
    with pytest.raises(KeyUnavailableError, match="SPANPROOF_KEY_PASSPHRASE"):
        without.find_entry_key()


def test_without_keys_nothing_is_signed(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    assert ring.keys == KeyList()
    with pytest.raises(KeyUnavailableError, match="a key for statements"):
        ring.find_entry_key()
    with pytest.raises(KeyUnavailableError, match="a key for the log"):
        ring.log_signer(ORIGIN).sign(HEAD)
    assert not (tmp_path / "keys").exists()


def test_a_staged_key_signs_nothing_and_is_taken_again(ring: KeyRing) -> None:
    old = ring.find_entry_key().key_id
    staged = ring.stage(LocalEntryKey.generate)
    assert ring.find_entry_key().key_id == old
    assert ring.stage(LocalEntryKey.generate) == staged
    assert ring.stage(make_log_key) != staged
    assert ring.stage(make_log_key) == ring.stage(make_log_key)
    assert ring.stage(lambda: LocalLogKey.generate("other.example.com")).file != staged.file
    assert staged.key_id not in {
        each.key.key_id for each in ring.keys.to_trust(ORIGIN).signing_keys
    }


def test_a_rotation_is_taken_up_by_whoever_has_the_folder_open(ring: KeyRing) -> None:
    service = KeyRing(ring.folder)
    old = service.find_entry_key().key_id
    staged = ring.stage(LocalEntryKey.generate)
    ring.replace_entry_key(old, staged.key_id, now=LATER)
    assert service.find_entry_key().key_id == staged.key_id
    windows = [each.valid_for for each in service.keys.entry_keys]
    assert windows == [
        ValidFor(start=MOMENT, end=LATER + OVERLAP),
        # What got its moment before the rotation and is signed after it counts too.
        ValidFor(start=LATER - OVERLAP),
    ]


def test_both_log_keys_sign_while_one_takes_over(ring: KeyRing) -> None:
    signer = ring.log_signer(ORIGIN)
    (old,) = ring.find_log_keys(ORIGIN)
    staged = ring.stage(make_log_key)
    assert len(parse_note(signer.sign(HEAD)).signatures) == 1
    ring.activate(staged.key_id, now=LATER)
    ring.activate(staged.key_id, now=LATER + OVERLAP)
    both = [each.verifier for each in ring.find_log_keys(ORIGIN)]
    assert check_note(parse_note(signer.sign(HEAD)), both) == tuple(both)
    assert signer.sign(HEAD) == signer.sign(HEAD)
    ring.retire(ring.keys.log_keys(ORIGIN)[0].key_id, now=LATER)
    note = parse_note(signer.sign(HEAD))
    assert [line.key_id for line in note.signatures] == [both[1].key_id]
    assert old.verifier == both[0]


def test_a_log_key_signs_no_other_log(ring: KeyRing) -> None:
    with pytest.raises(ValueError, match=r"'other\.example\.com'"):
        ring.log_signer(ORIGIN).sign(replace(HEAD, origin="other.example.com"))


def test_only_a_key_in_use_can_be_retired(ring: KeyRing) -> None:
    staged = ring.stage(LocalEntryKey.generate)
    key_id = ring.find_entry_key().key_id
    with pytest.raises(KeyUnavailableError, match="a key in use"):
        ring.retire(staged.key_id, now=LATER)
    ring.retire(key_id, now=MOMENT - OVERLAP - OVERLAP)
    assert ring.keys.entry_keys[0].valid_for == ValidFor(start=MOMENT, end=MOMENT)
    with pytest.raises(KeyUnavailableError, match="a key in use"):
        ring.retire(key_id, now=LATER)
    with pytest.raises(KeyUnavailableError, match="the id of a key"):
        ring.retire("other", now=LATER)


def test_the_trust_file_names_keys_that_were_ever_in_use(ring: KeyRing) -> None:
    staged = ring.stage(LocalEntryKey.generate)
    old = ring.find_entry_key().key_id
    ring.replace_entry_key(old, staged.key_id, now=LATER)
    revocation = Revocation(
        key_id=old, origin=ORIGIN, log_size=3, revoked_at=LATER, reason="stolen"
    )
    ring.change(lambda keys: keys.with_revocation(revocation))
    assert ring.keys.is_revoked(old)
    assert not ring.keys.is_revoked(staged.key_id)
    trust = ring.keys.to_trust(ORIGIN)
    assert parse_trust(write_trust(trust)) == trust
    assert [each.key.key_id for each in trust.signing_keys] == [old, staged.key_id]
    assert trust.revocations == (revocation,)
    assert trust.version == ring.keys.version
    with pytest.raises(KeyUnavailableError, match=r"the log 'other\.example\.com'"):
        ring.keys.to_trust("other.example.com")


def test_every_change_is_a_version(ring: KeyRing) -> None:
    first = ring.keys.version
    ring.stage(LocalEntryKey.generate)
    assert ring.keys.version == first + 1


def test_a_crash_before_the_first_list_loses_no_key(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    ring.prepare(ORIGIN, now=MOMENT)
    keys = {each.key_id for each in ring.keys.keys}
    (ring.folder / LIST_NAME).unlink()
    assert not ring.keys.keys
    again = KeyRing(ring.folder)
    again.prepare(ORIGIN, now=LATER)
    assert {each.key_id for each in again.keys.keys} == keys


def test_a_list_that_was_lost_is_not_begun_anew(ring: KeyRing) -> None:
    ring.stage(LocalEntryKey.generate)
    (ring.folder / LIST_NAME).unlink()
    with pytest.raises(KeyUnavailableError, match=r"keys\.json beside 2 private keys"):
        KeyRing(ring.folder).prepare(ORIGIN, now=LATER)


def test_a_private_key_that_is_missing_or_another_is_told(ring: KeyRing) -> None:
    first, second = ring.keys.keys
    (ring.folder / first.file).unlink()
    with pytest.raises(KeyUnavailableError, match="No such file"):
        KeyRing(ring.folder).find_entry_key()
    other = KeyRing(ring.folder.parent / "other")
    other.prepare(ORIGIN, now=MOMENT)
    (ring.folder / first.file).write_bytes(
        (other.folder / other.keys.entry_keys[0].file).read_bytes()
    )
    (ring.folder / first.file).chmod(0o600)
    with pytest.raises(KeyUnavailableError, match="got another"):
        KeyRing(ring.folder).find_entry_key()
    (ring.folder / second.file).chmod(0o644)
    with pytest.raises(KeyUnavailableError, match="the mode 600"):
        KeyRing(ring.folder).find_log_keys(ORIGIN)


def test_a_list_that_cannot_be_read_is_told(ring: KeyRing) -> None:
    (ring.folder / LIST_NAME).unlink()
    (ring.folder / LIST_NAME).mkdir()
    with pytest.raises(KeyUnavailableError, match="a list of keys in"):
        _ = KeyRing(ring.folder).keys


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "keys").write_bytes(b"")
    with pytest.raises(KeyUnavailableError, match="Not a directory"):
        KeyRing(tmp_path / "keys").prepare(ORIGIN, now=MOMENT)


def test_a_failed_change_leaves_the_list(ring: KeyRing, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ring.keys

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(key_ring, "replace_file", fail)
    with pytest.raises(KeyUnavailableError, match="No space"):
        ring.stage(LocalEntryKey.generate)
    monkeypatch.undo()
    assert KeyRing(ring.folder).keys == before


def prepare_in_a_process(folder: Path) -> None:
    KeyRing(folder).prepare(ORIGIN, now=MOMENT)


def test_processes_that_start_together_make_one_key(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    started = [
        context.Process(target=prepare_in_a_process, args=[tmp_path / "keys"]) for _ in range(3)
    ]
    for each in started:
        each.start()
    for each in started:
        each.join()
    assert [each.exitcode for each in started] == [0, 0, 0]
    assert len(KeyRing(tmp_path / "keys").keys.keys) == 2
    assert len(list((tmp_path / "keys").glob("*.pem"))) == 2


MALFORMED: dict[str, Callable[[Any], object]] = {
    "unknown_field": lambda v: v.update(extra=1),
    "version_zero": lambda v: v.update(version=0),
    "other_kind": lambda v: v["keys"][0].update(kind="witness"),
    "entry_key_with_an_origin": lambda v: v["keys"][0].update(origin=ORIGIN),
    "log_key_without_an_origin": lambda v: v["keys"][1].pop("origin"),
    "log_key_of_no_host": lambda v: v["keys"][1].update(origin="a/b"),
    "key_under_another_id": lambda v: v["keys"][0].update(key_id=v["keys"][1]["key_id"]),
    "key_twice": lambda v: v["keys"].append(v["keys"][0]),
    "key_of_another_kind": lambda v: v["keys"][0].update(spki_b64=v["keys"][1]["spki_b64"]),
    "log_key_of_another_kind": lambda v: v["keys"][1].update(spki_b64=v["keys"][0]["spki_b64"]),
    "file_elsewhere": lambda v: v["keys"][0].update(file="../entry.pem"),
    "file_of_another_kind": lambda v: v["keys"][0].update(file="entry"),
    "window_without_start": lambda v: v["keys"][0].update(valid_for={}),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_list_of_another_shape_is_refused(ring: KeyRing, case: str) -> None:
    value = json.loads((ring.folder / LIST_NAME).read_bytes())
    MALFORMED[case](value)
    with pytest.raises(KeyUnavailableError) as caught:
        parse_key_list(json.dumps(value).encode())
    assert caught.value.message.startswith("Expected ")


def test_a_list_that_was_written_is_read(ring: KeyRing) -> None:
    ring.stage(make_log_key)
    raw = (ring.folder / LIST_NAME).read_bytes()
    assert write_key_list(parse_key_list(raw)) == raw


def test_a_private_key_is_read_once(ring: KeyRing) -> None:
    first = ring.find_entry_key(), ring.find_log_keys(ORIGIN)
    for listed in ring.keys.keys:
        (ring.folder / listed.file).unlink()
    assert (ring.find_entry_key(), ring.find_log_keys(ORIGIN)) == first


def test_the_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "home" / "keys")
    ring.prepare(None, now=MOMENT)
    assert len(ring.keys.keys) == 1


def test_a_retired_key_counts_for_as_long_as_clocks_may_differ() -> None:
    assert timedelta(minutes=5) == OVERLAP


def test_a_private_key_lies_in_a_file_of_its_kind_and_its_digest(ring: KeyRing) -> None:
    for listed, kind in zip(ring.keys.keys, ("entry", "log"), strict=True):
        digits = hashlib.sha256(listed.spki).hexdigest()[:16]
        assert listed.file == f"{kind}-{digits}.pem"
