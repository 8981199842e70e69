"""Private keys as files: PKCS#8 in PEM, one key a file, readable by their owner alone.

A file appears whole or not at all, and never in place of another. With a passphrase its content is
encrypted (PBES2); without one the file's mode is the only guard.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from spanproof.core.errors import KeyUnavailableError

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

#: An encrypted P-256 key has about 400 bytes.
MAX_KEY_BYTES = 1 << 14
_OWNER_ONLY = 0o600
_RESTORE = "Restore the file from a backup of the keys, or give a key of that kind."


def write_private_key(
    path: Path, private: ec.EllipticCurvePrivateKey | Ed25519PrivateKey, passphrase: str | None
) -> None:
    """Write a new file, durable when this returns; FileExistsError where there is one."""
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase is not None:
        encryption = serialization.BestAvailableEncryption(passphrase.encode("utf-8"))
    content = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
    )
    create_file(path, content)


def load_entry_private(path: Path, passphrase: str | None) -> ec.EllipticCurvePrivateKey:
    """Read a P-256 key; raise KeyUnavailableError if it cannot be used."""
    private = _load(path, passphrase)
    if isinstance(private, ec.EllipticCurvePrivateKey) and isinstance(private.curve, ec.SECP256R1):
        return private
    msg = f"Expected a P-256 private key in {path.name!r}, got a key of another kind."
    raise KeyUnavailableError(msg, hint=_RESTORE)


def load_log_private(path: Path, passphrase: str | None) -> Ed25519PrivateKey:
    """Read an Ed25519 key; raise KeyUnavailableError if it cannot be used."""
    private = _load(path, passphrase)
    if isinstance(private, Ed25519PrivateKey):
        return private
    msg = f"Expected an Ed25519 private key in {path.name!r}, got a key of another kind."
    raise KeyUnavailableError(msg, hint=_RESTORE)


def create_file(path: Path, content: bytes, *, mode: int = _OWNER_ONLY) -> None:
    """Make a file that is whole and durable once it is there; FileExistsError where one is."""
    part = _write_part(path, content, mode)
    try:
        # Unlike a rename, a link never takes the place of what is there.
        os.link(part, path)
    finally:
        part.unlink()
    sync_folder(path.parent)


def replace_file(path: Path, content: bytes, *, mode: int = _OWNER_ONLY) -> None:
    """Put a file in the place of another; a reader, and a crash, finds the one or the other."""
    part = _write_part(path, content, mode)
    try:
        part.replace(path)
    except OSError:
        part.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a folder's entries durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_part(path: Path, content: bytes, mode: int) -> Path:
    # Another process has another name; one that was left by a crash is written again.
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        part.unlink()
        raise
    return part


def _load(path: Path, passphrase: str | None) -> PrivateKeyTypes:
    content = _read_private(path)
    secret = None if passphrase is None else passphrase.encode("utf-8")
    try:
        return serialization.load_pem_private_key(content, secret)
    except TypeError as exc:
        # So the library says that a passphrase is missing, or is given for a key without.
        setting, nothing = "SPANPROOF_KEY_PASSPHRASE", "no passphrase"
        wanted, given = (setting, nothing) if secret is None else (nothing, setting)
        msg = f"Expected {wanted} for {path.name!r}, got {given}."
        hint = "Set or unset SPANPROOF_KEY_PASSPHRASE, or write the key again ('openssl pkcs8')."
        raise KeyUnavailableError(msg, hint=hint) from exc
    except (ValueError, UnsupportedAlgorithm) as exc:
        # A wrong passphrase looks like this too.
        msg = f"Expected a private key in {path.name!r}, got bytes that cannot be read as one."
        raise KeyUnavailableError(msg, hint=f"Check the passphrase. {_RESTORE}") from exc


def _read_private(path: Path) -> bytes:
    """The bytes of a file that only its owner can read; asked of the open file, not of its name."""
    try:
        # Opening a pipe would wait for somebody to write into it.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            _check_mode(path, os.fstat(descriptor).st_mode)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                content = file.read(MAX_KEY_BYTES + 1)
        finally:
            os.close(descriptor)
    except OSError as exc:
        msg = f"Expected a private key in {path.name!r}, got {exc.strerror or exc!r}."
        raise KeyUnavailableError(msg, hint=_RESTORE) from exc
    if len(content) > MAX_KEY_BYTES:
        msg = f"Expected at most {MAX_KEY_BYTES} bytes in {path.name!r}, got more."
        raise KeyUnavailableError(msg, hint=_RESTORE)
    return content


def _check_mode(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        msg = f"Expected a file {path.name!r}, got something else."
        raise KeyUnavailableError(msg, hint=_RESTORE)
    if mode & 0o077:
        msg = f"Expected the mode 600 of the private key {path.name!r}, got {mode & 0o777:o}."
        hint = "Others may have read it: rotate it ('spanproof log rotate-key'), or chmod 600."
        raise KeyUnavailableError(msg, hint=hint)
