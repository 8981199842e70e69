"""A witness on this machine: its key, the heads that it has cosigned, and the folder with both.

``witness.pem`` is the private key, ``witness.vkey`` its verifier key, ``heads/`` one signed head
for each log (named by the SHA-256 of its origin), ``cosigned/`` the list of all that was cosigned
of it, ``lock`` held while a witness runs.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from spanproof.core.errors import (
    KeyNotTrustedError,
    KeyUnavailableError,
    LogDamagedError,
    LogStoppedError,
    MalformedTrustError,
    SettingsError,
)
from spanproof.core.log.merkle import MAX_SIZE
from spanproof.operations.receipts.trust import load_trust
from spanproof.operations.small_file import read_small_file
from spanproof.receipt.forms.signed_note import MAX_NOTE_BYTES, is_key_name, parse_note
from spanproof.receipt.keys.key_files import (
    create_file,
    load_log_private,
    replace_file,
    write_private_key,
)
from spanproof.receipt.keys.verifier_key import parse_log_key
from spanproof.receipt.witness.cosignature import (
    LocalCosigner,
    format_cosigner_key,
    parse_cosigner_key,
)
from spanproof.receipt.witness.cosigned_list import (
    MAX_LIST_BYTES,
    CosignedHead,
    parse_list,
    write_head,
)
from spanproof.receipt.witness.cosigning import read_seen
from spanproof.receipt.witness.policy import MAX_POLICY_BYTES, parse_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from spanproof.receipt.keys.signing_keys import LogKey
    from spanproof.receipt.keys.trust_file import TrustFile
    from spanproof.receipt.witness.cosigned_list import CosignedList
    from spanproof.receipt.witness.cosigning import SeenHead
    from spanproof.receipt.witness.policy import WitnessPolicy

KEY_FILE = "witness.pem"
VKEY_FILE = "witness.vkey"
HEADS_FOLDER = "heads"
LISTS_FOLDER = "cosigned"
LOCK_FILE = "lock"
_OWNER_ONLY = 0o700


class WitnessFolder:
    """The key and the heads of one witness, which no other process has open; a WitnessStore.

    The disk holds exactly the cosigned heads: after a failed write the witness cosigns nothing
    until the next start.
    """

    def __init__(self, folder: Path, cosigner: LocalCosigner, lock: int) -> None:
        self._folder = folder / HEADS_FOLDER
        self._lists = folder / LISTS_FOLDER
        self._lock = lock
        self._guard = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}
        self._is_stopped = False
        self.cosigner = cosigner
        self._heads = _read_heads(self._folder, cosigner)
        for name, head in self._heads.items():
            # A crash may have come between the two writes.
            _list_head(self._lists / name, head)

    @classmethod
    def open(cls, folder: Path, *, name: str | None, passphrase: str | None) -> Self:
        """Open a folder; the first time, make a key under this name.

        Raises SettingsError for a name that is missing or another than the key's, and while
        another process has the folder; KeyUnavailableError where the key cannot be used;
        LogDamagedError where a head is not one that this key cosigned.
        """
        folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        lock = _lock(folder)
        try:
            for inner in (HEADS_FOLDER, LISTS_FOLDER):
                (folder / inner).mkdir(mode=_OWNER_ONLY, exist_ok=True)
            return cls(folder, _open_key(folder, name, passphrase), lock)
        except BaseException:
            os.close(lock)
            raise

    @property
    def vkey(self) -> str:
        """The verifier key, for the policies that trust this witness."""
        return format_cosigner_key(self.cosigner.verifier)

    def find_note(self, name: str) -> str | None:
        """The last cosigned head of the log whose origin has this SHA-256 in hex, if any."""
        head = self._heads.get(name)
        return None if head is None else head.note

    def find_list(self, name: str) -> bytes | None:
        """The list of all that was cosigned of the log of this name, if any."""
        path = self._lists / name
        return path.read_bytes() if name in self._heads else None

    @contextmanager
    def lock_log(self, origin: str) -> Iterator[_LockedLog]:
        """Shut everybody else out of this log until the context ends."""
        with self._guard:
            turn = self._turns.setdefault(origin, threading.Lock())
        with turn:
            yield _LockedLog(self, name_log(origin))

    def close(self) -> None:
        """Let another process have the folder."""
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find_head(self, name: str) -> SeenHead | None:
        """The head last cosigned of a log; raise LogStoppedError after a failed write."""
        if self._is_stopped:
            msg = "Expected to know the last cosigned head, got a write that failed."
            raise LogStoppedError(msg, hint="Repair the disk and start the witness again.")
        return self._heads.get(name)

    def save(self, name: str, head: SeenHead) -> None:
        """Replace the head of a log, durable on return."""
        known = self.find_head(name)
        if known is not None and head.checkpoint.size < known.checkpoint.size:
            msg = f"Expected at least {known.checkpoint.size} leaves, got {head.checkpoint.size}."
            raise ValueError(msg)
        try:
            replace_file(self._folder / name, head.note.encode("utf-8"))
            # Before it is answered: a signature that is out stands in the list.
            _list_head(self._lists / name, head)
        except OSError as error:
            # Whether the new head or the old one is on the disk is unknown from here on.
            self._is_stopped = True
            msg = f"Expected to keep the head of a log, got {error.strerror or error!r}."
            raise LogStoppedError(
                msg, hint="Repair the disk and start the witness again."
            ) from error
        self._heads[name] = head


class _LockedLog:
    """The last head of one log, in the hands of one thread."""

    def __init__(self, folder: WitnessFolder, name: str) -> None:
        self._folder = folder
        self._name = name
        self.seen = folder.find_head(name)

    def save(self, head: SeenHead) -> None:
        """Make this the last head, durably."""
        self._folder.save(self._name, head)
        self.seen = head


def name_log(origin: str) -> str:
    """The name of a log's file, and of its address at a witness."""
    return hashlib.sha256(origin.encode("utf-8")).hexdigest()


def _lock(folder: Path) -> int:
    descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        msg = f"Expected to be the only witness on {str(folder)!r}, got another one running."
        raise SettingsError(msg, hint="Stop it, or give another --folder.") from error
    return descriptor


def _open_key(folder: Path, name: str | None, passphrase: str | None) -> LocalCosigner:
    path = folder / VKEY_FILE
    if not path.exists():
        return _make_key(folder, name, passphrase)
    try:
        key = parse_cosigner_key(path.read_text(encoding="utf-8").removesuffix("\n"))
    except (MalformedTrustError, UnicodeDecodeError) as error:
        msg = f"Expected the witness's verifier key in {VKEY_FILE!r}, got something else."
        raise KeyUnavailableError(msg, hint="Restore the witness's folder.") from error
    if name is not None and name != key.name:
        msg = f"Expected the name {key.name!r} of the key in this folder, got {name!r}."
        raise SettingsError(msg, hint="Leave --name out, or give a new witness a new --folder.")
    cosigner = LocalCosigner(load_log_private(folder / KEY_FILE, passphrase), key.name)
    if cosigner.verifier != key:
        msg = f"Expected {KEY_FILE!r} to be the key of {VKEY_FILE!r}, got another."
        raise KeyUnavailableError(msg, hint="Restore the witness's folder.")
    return cosigner


def _make_key(folder: Path, name: str | None, passphrase: str | None) -> LocalCosigner:
    if any((folder / HEADS_FOLDER).iterdir()):
        msg = f"Expected {VKEY_FILE!r} beside the heads that were cosigned, got none."
        raise KeyUnavailableError(msg, hint="Restore the witness's folder.")
    if name is None or not is_key_name(name):
        msg = f"Expected a name without white space or plus for a new witness, got {name!r}."
        raise SettingsError(msg, hint="Give --name, such as witness.example.com/one.")
    path = folder / KEY_FILE
    if path.exists():
        # Of a first start that was cut off before it wrote the verifier key.
        cosigner = LocalCosigner(load_log_private(path, passphrase), name)
    else:
        cosigner = LocalCosigner.generate(name)
        write_private_key(path, cosigner.private, passphrase)
    vkey = format_cosigner_key(cosigner.verifier)
    create_file(folder / VKEY_FILE, f"{vkey}\n".encode(), mode=0o644)
    return cosigner


def _list_head(path: Path, head: SeenHead) -> None:
    """Add a head to its log's list, durably, unless it is the last one there."""
    # The witness's own line is the last: read_seen and the witness itself see to it.
    content = parse_note(head.note).signatures[-1].content
    line = write_head(CosignedHead(head.checkpoint.size, content)).encode("ascii")
    known = path.read_bytes() if path.exists() else f"{head.checkpoint.origin}\n".encode()
    if not known.endswith(b"\n" + line):
        replace_file(path, known + line)


def _read_heads(folder: Path, cosigner: LocalCosigner) -> dict[str, SeenHead]:
    heads = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue  # A part that a crash left; its head was never answered.
        with path.open("rb") as file:
            head = read_seen(file.read(MAX_NOTE_BYTES + 1), cosigner.verifier)
        if name_log(head.checkpoint.origin) != path.name:
            msg = f"Expected the head of one log in {path.name!r}, got that of another."
            raise LogDamagedError(msg, hint="Restore the witness's folder.")
        heads[path.name] = head
    return heads


def read_watched_logs(
    *, vkeys: Iterable[str], policy: Path | None, trust: Path | None
) -> Mapping[str, tuple[LogKey, ...]]:
    """The keys of each log by its origin, which is the name of its keys.

    Raises SettingsError without a log, MalformedTrustError for a key that it cannot read.
    """
    keys = [parse_log_key(each) for each in vkeys]
    if policy is not None:
        keys += [log.key for log in read_policy(policy).logs]
    if trust is not None:
        keys += _list_keys(load_trust(trust))
    if not keys:
        msg = "Expected a log to watch, got none."
        raise SettingsError(msg, hint="Give --log VKEY, --policy FILE or --trust FILE.")
    found: dict[str, tuple[LogKey, ...]] = {}
    for key in dict.fromkeys(keys):
        found[key.name] = (*found.get(key.name, ()), key)
    return found


def read_policy(path: Path) -> WitnessPolicy:
    """The witness policy at a path; raise MalformedTrustError or UnreadableFileError."""
    hint = "Give the path of a C2SP tlog-policy file."
    return parse_policy(
        read_small_file(path, "a witness policy", most_bytes=MAX_POLICY_BYTES, hint=hint)
    )


def read_cosigned(path: Path) -> CosignedList:
    """The witness's list at a path; raise MalformedNoteError or UnreadableFileError."""
    hint = "Ask the witness for it: GET …/cosigned."
    return parse_list(
        read_small_file(path, "a witness's list", most_bytes=MAX_LIST_BYTES, hint=hint)
    )


def _list_keys(trust: TrustFile) -> list[LogKey]:
    keys: list[LogKey] = []
    for origin in {log.key.name for log in trust.trusted_root.logs}:
        try:
            # A key that was revoked at any size signs nothing new.
            keys += trust.require_log_keys(origin, size=MAX_SIZE)
        except KeyNotTrustedError:
            continue
    return keys
