from __future__ import annotations

import base64
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from spanproof.core.errors import KeyUnavailableError
from spanproof.receipt.keys.key_files import (
    MAX_KEY_BYTES,
    create_file,
    load_entry_private,
    load_log_private,
    replace_file,
    sync_folder,
    write_private_key,
)
from tests.receipt.samples import make_entry_key, make_log_key

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRY = make_entry_key().private
LOG = make_log_key().private


def read_number(private: ec.EllipticCurvePrivateKey) -> int:
    """What a P-256 key is."""
    return private.private_numbers().private_value


def list_names(folder: Path) -> list[str]:
    """What is in a folder, hidden files too."""
    return sorted(each.name for each in folder.iterdir())


def count_open() -> int:
    """The files that this process has open."""
    return len(list_names(Path("/proc/self/fd")))


def write_pem(path: Path, private: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> None:
    """A file with any key, as its owner would have it."""
    content = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    create_file(path, content)


@pytest.mark.parametrize("passphrase", [None, "gué"])
def test_a_key_that_was_written_is_read(tmp_path: Path, passphrase: str | None) -> None:
    write_private_key(tmp_path / "entry.pem", ENTRY, passphrase)
    write_private_key(tmp_path / "log.pem", LOG, passphrase)
    assert read_number(load_entry_private(tmp_path / "entry.pem", passphrase)) == 1
    found = load_log_private(tmp_path / "log.pem", passphrase)
    assert found.private_bytes_raw() == LOG.private_bytes_raw()
    header = b"ENCRYPTED PRIVATE KEY" if passphrase else b"-----BEGIN PRIVATE KEY-----"
    assert header in (tmp_path / "entry.pem").read_bytes()


def test_only_the_owner_reads_a_key_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_private_key(tmp_path / "entry.pem", ENTRY, None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "entry.pem").stat().st_mode) == 0o600
    assert list_names(tmp_path) == ["entry.pem"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o610, 0o601])
def test_a_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "entry.pem"
    write_private_key(path, ENTRY, None)
    path.chmod(mode)
    with pytest.raises(KeyUnavailableError, match=rf"the mode 600 .*'entry\.pem', got {mode:o}"):
        load_entry_private(path, None)


def test_a_passphrase_that_is_missing_wrong_or_not_needed_is_told_apart(tmp_path: Path) -> None:
    write_private_key(tmp_path / "with.pem", ENTRY, "one")
    write_private_key(tmp_path / "without.pem", ENTRY, None)
    with pytest.raises(KeyUnavailableError, match=r"SPANPROOF_KEY_PASSPHRASE for .* got no pass"):
        load_entry_private(tmp_path / "with.pem", None)
    with pytest.raises(KeyUnavailableError, match="cannot be read as one"):
        load_entry_private(tmp_path / "with.pem", "two")
    with pytest.raises(KeyUnavailableError, match=r"no passphrase for .* got SPANPROOF_KEY"):
        load_entry_private(tmp_path / "without.pem", "one")


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    write_private_key(tmp_path / "entry.pem", ENTRY, None)
    write_private_key(tmp_path / "log.pem", LOG, None)
    write_pem(tmp_path / "p384.pem", ec.generate_private_key(ec.SECP384R1()))
    write_pem(tmp_path / "rsa.pem", rsa.generate_private_key(65537, 2048))
    for name in ("log.pem", "p384.pem", "rsa.pem"):
        with pytest.raises(KeyUnavailableError, match="a P-256 private key"):
            load_entry_private(tmp_path / name, None)
    for name in ("entry.pem", "rsa.pem"):
        with pytest.raises(KeyUnavailableError, match="an Ed25519 private key"):
            load_log_private(tmp_path / name, None)


@pytest.mark.parametrize("content", [b"", b"key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_bytes_that_are_no_key_are_refused(tmp_path: Path, content: bytes) -> None:
    create_file(tmp_path / "entry.pem", content)
    with pytest.raises(KeyUnavailableError, match="cannot be read as one"):
        load_entry_private(tmp_path / "entry.pem", None)


def test_what_is_no_file_of_a_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyUnavailableError, match="No such file"):
        load_entry_private(tmp_path / "entry.pem", None)
    (tmp_path / "folder.pem").mkdir()
    with pytest.raises(KeyUnavailableError, match="something else"):
        load_entry_private(tmp_path / "folder.pem", None)
    # Opening one for reading would wait for a writer.
    os.mkfifo(tmp_path / "pipe.pem", 0o600)
    with pytest.raises(KeyUnavailableError, match="something else"):
        load_entry_private(tmp_path / "pipe.pem", None)
    create_file(tmp_path / "huge.pem", b"-" * (MAX_KEY_BYTES + 1))
    with pytest.raises(KeyUnavailableError, match="at most 16384 bytes"):
        load_entry_private(tmp_path / "huge.pem", None)


def test_a_key_is_never_written_over_another(tmp_path: Path) -> None:
    write_private_key(tmp_path / "entry.pem", ENTRY, None)
    with pytest.raises(FileExistsError):
        write_private_key(tmp_path / "entry.pem", make_entry_key(2).private, None)
    assert read_number(load_entry_private(tmp_path / "entry.pem", None)) == 1
    assert list_names(tmp_path) == ["entry.pem"]


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "list"
    replace_file(path, b"one", mode=0o644)
    replace_file(path, b"two", mode=0o644)
    assert path.read_bytes() == b"two"
    assert list_names(tmp_path) == ["list"]


def test_what_a_crash_left_half_written_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / f".list.{os.getpid()}.part").write_bytes(b"half")
    replace_file(tmp_path / "list", b"one")
    assert (tmp_path / "list").read_bytes() == b"one"
    assert list_names(tmp_path) == ["list"]


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_file(tmp_path / "list", b"one")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device", descriptor)

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        replace_file(tmp_path / "list", b"two")
    assert (tmp_path / "list").read_bytes() == b"one"
    assert list_names(tmp_path) == ["list"]


def test_a_folder_in_the_way_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "list").mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_file(tmp_path / "list", b"one")
    assert list_names(tmp_path) == ["list"]


def test_no_file_of_a_key_stays_open(tmp_path: Path) -> None:
    write_private_key(tmp_path / "entry.pem", ENTRY, None)
    before = count_open()
    load_entry_private(tmp_path / "entry.pem", None)
    create_file(tmp_path / "open", b"", mode=0o644)
    with pytest.raises(KeyUnavailableError, match="mode 600"):
        load_entry_private(tmp_path / "open", None)
    assert count_open() == before


def test_only_a_folder_is_synchronised_as_one(tmp_path: Path) -> None:
    sync_folder(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        sync_folder(tmp_path / "file")


@pytest.mark.parametrize(
    ("size", "words"), [(MAX_KEY_BYTES, "cannot be read as one"), (MAX_KEY_BYTES + 1, "at most")]
)
def test_a_key_has_at_most_16_kibibytes(tmp_path: Path, size: int, words: str) -> None:
    assert MAX_KEY_BYTES == 16_384
    create_file(tmp_path / "entry.pem", bytes(size))
    with pytest.raises(KeyUnavailableError, match=words):
        load_entry_private(tmp_path / "entry.pem", None)


def test_a_curve_that_nobody_knows_is_told(tmp_path: Path) -> None:
    der = ENTRY.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    # The last number of secp256r1, 1.2.840.10045.3.1.7, is another.
    unknown = der.replace(bytes.fromhex("2a8648ce3d030107"), bytes.fromhex("2a8648ce3d03017e"))
    assert unknown != der
    text = base64.encodebytes(unknown).decode()
    pem = f"-----BEGIN PRIVATE KEY-----\n{text}-----END PRIVATE KEY-----\n".encode()
    create_file(tmp_path / "entry.pem", pem)
    with pytest.raises(KeyUnavailableError, match="cannot be read as one"):
        load_entry_private(tmp_path / "entry.pem", None)


@pytest.mark.parametrize("write", [create_file, replace_file])
def test_a_file_is_whole_and_its_folder_too_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, bytes], None]
) -> None:
    synchronised: list[tuple[bool, int]] = []
    really = os.fsync

    def note(descriptor: int) -> None:
        found = os.fstat(descriptor)
        synchronised.append((stat.S_ISDIR(found.st_mode), found.st_size))
        really(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    write(tmp_path / "list", b"content")
    (file, folder) = synchronised
    assert file == (False, 7)
    assert folder[0]
