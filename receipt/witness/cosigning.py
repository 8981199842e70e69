"""What a witness does (C2SP tlog-witness, ``add-checkpoint``): request, rules, answer.

1. The request is an old size, a proof, and a signed head. Else 400.
2. The head is of a log that the witness knows. Else 404.
3. The log signed it, and no line of a known key is false. Else 403.
4. The old size is at most the head's. Else 400.
5. The old size is that of the head that was cosigned last, 0 where none was. Else 409, with it.
6. The empty tree has its root; nothing is proved from an empty tree; a tree of the same size has
   the same root; a larger one is shown to begin with the one before. Else 422.
7. The head is kept, then answered with a cosignature: 200.

Steps 5 to 7 happen under a lock of the log: else an older request could
overtake a newer one, and the witness would roll back what it has seen.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from spanproof.core.errors import LogDamagedError, MalformedNoteError, NoteSignatureError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64
from spanproof.core.log.merkle import HASH_SIZE, MAX_SIZE, ConsistencyProof, check_consistency
from spanproof.receipt.forms.checkpoint_note import is_empty_tree, parse_checkpoint
from spanproof.receipt.forms.signed_note import (
    MAX_NOTE_BYTES,
    Note,
    check_note,
    parse_lines,
    parse_note,
    verify_lines,
    write_line,
    write_note,
)
from spanproof.receipt.witness.cosignature import find_cosignatures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.receipt.forms.signed_note import NoteKey, Signature
    from spanproof.receipt.witness.cosignature import CosignerKey, LocalCosigner

MAX_PROOF_LINES = 63
MAX_REQUEST_BYTES = MAX_NOTE_BYTES + 4096
TEXT_TYPE = "text/plain; charset=utf-8"
#: What an answer with the known size must be called.
SIZE_TYPE = "text/x.tlog.size"
_OLD = re.compile(r"old (?P<size>0|[1-9][0-9]{0,18})")
_HINT = "Send what C2SP tlog-witness describes for add-checkpoint."
_RESTORE = "Start the witness with its own key and folder; without them it has seen nothing."


@dataclass(frozen=True, slots=True, kw_only=True)
class CosignRequest:
    """A head to cosign, and the proof that it grew out of the tree of ``old_size`` leaves.

    ``note`` is the signed head as it was sent.
    """

    old_size: int
    hashes: tuple[bytes, ...]
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessAnswer:
    """An HTTP answer: the status, the body and its type."""

    status: int
    media_type: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenHead:
    """The head of one log that was cosigned last: its checkpoint, its text and lines, and when."""

    checkpoint: Checkpoint
    note: str
    timestamp: int


class LockedHead(Protocol):
    """The last head of one log, locked."""

    @property
    def seen(self) -> SeenHead | None:
        """None where the witness never cosigned a head of this log."""

    def save(self, head: SeenHead) -> None:
        """Make this the last head, durably; after an error nothing was cosigned."""


class WitnessStore(Protocol):
    """Where a witness keeps the last head of every log."""

    def lock_log(self, origin: str) -> AbstractContextManager[LockedHead]:
        """Shut everybody else out of this log until the context ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A key to cosign with, the keys of the logs that it watches by their origin, and its store.

    ``clock`` gives seconds since 1970.
    """

    cosigner: LocalCosigner
    logs: Mapping[str, Sequence[NoteKey]]
    store: WitnessStore
    clock: Callable[[], int]

    def add_checkpoint(self, raw: bytes) -> WitnessAnswer:
        """Answer a request; an error of the store passes through, and nothing was cosigned."""
        try:
            request = parse_request(raw)  # (1)
            note = parse_note(request.note)
            checkpoint = parse_checkpoint(note.text, takes_extensions=True)
        except MalformedNoteError as error:
            return _refuse(400, error.message)
        keys = self.logs.get(checkpoint.origin)
        if keys is None:  # (2)
            return _refuse(404, "Expected the head of a log that this witness knows.")
        try:
            check_note(note, keys)  # (3)
        except NoteSignatureError as error:
            return _refuse(403, error.message)
        if request.old_size > checkpoint.size:  # (4)
            msg = f"Expected an old size of at most {checkpoint.size}, got {request.old_size}."
            return _refuse(400, msg)
        with self.store.lock_log(checkpoint.origin) as held:
            known = held.seen.checkpoint.size if held.seen else 0
            if request.old_size != known:  # (5)
                return WitnessAnswer(
                    status=409, media_type=SIZE_TYPE, body=f"{known}\n".encode("ascii")
                )
            fault = _find_fault(request, checkpoint, held.seen)
            if fault is not None:  # (6)
                return _refuse(422, fault)
            return self._cosign(note, checkpoint, keys, held)  # (7)

    def _cosign(
        self, note: Note, checkpoint: Checkpoint, keys: Sequence[NoteKey], held: LockedHead
    ) -> WitnessAnswer:
        now = self.clock()
        if held.seen is not None and now < held.seen.timestamp:
            # A later head with an earlier time would contradict what was signed before.
            return _refuse(503, "Expected a clock that only goes forward; ask again later.")
        line = self.cosigner.cosign(note.text, now)
        # The log's own lines and ours: what others have signed is theirs to serve.
        own = [each for each in note.signatures if _is_by(keys, each.name, each.key_id)]
        kept = write_note(note.text, [*own, line])
        held.save(SeenHead(checkpoint=checkpoint, note=kept, timestamp=now))
        body = write_line(line).encode("utf-8")
        return WitnessAnswer(status=200, media_type=TEXT_TYPE, body=body)


def read_seen(raw: bytes, key: CosignerKey) -> SeenHead:
    """The head that a store kept; raise LogDamagedError where it is not one that we cosigned."""
    try:
        note = parse_note(raw)
        checkpoint = parse_checkpoint(note.text, takes_extensions=True)
        found = find_cosignatures(note, [key])
    except (MalformedNoteError, NoteSignatureError) as error:
        msg = f"Expected a head that {key.name!r} cosigned, got: {error.message}"
        raise LogDamagedError(msg, hint=_RESTORE) from error
    if not found:
        msg = f"Expected a head that {key.name!r} cosigned, got one without its line."
        raise LogDamagedError(msg, hint=_RESTORE)
    return SeenHead(checkpoint=checkpoint, note=raw.decode("utf-8"), timestamp=found[-1].timestamp)


def read_answer(body: bytes, note: Note, key: CosignerKey) -> Signature:
    """The line of a witness in its answer to a request with this note; lines of others are left.

    Raises MalformedNoteError for anything but an answer, NoteSignatureError if none of its lines
    is the witness's, or one of them does not verify.
    """
    try:
        lines = parse_lines(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        msg = "Expected signature lines in UTF-8, got other bytes."
        raise MalformedNoteError(msg, hint="Ask another witness.") from error
    found = verify_lines(Note(text=note.text, signatures=lines), [key])
    if not found:
        msg = f"Expected a cosignature of {key.name!r}, got none."
        raise NoteSignatureError(msg, hint="Compare the verifier key with what the witness prints.")
    return found[-1][1]


def write_request(request: CosignRequest) -> bytes:
    """The body of a request."""
    lines = [f"old {request.old_size}", *(encode_base64(each) for each in request.hashes)]
    return ("\n".join(lines) + f"\n\n{request.note}").encode("utf-8")


def parse_request(raw: bytes) -> CosignRequest:
    """Read the body of a request; raise MalformedNoteError for anything else."""
    if len(raw) > MAX_REQUEST_BYTES:
        msg = f"Expected a request of at most {MAX_REQUEST_BYTES} bytes, got {len(raw)}."
        raise MalformedNoteError(msg, hint=_HINT)
    try:
        head, found, note = raw.decode("utf-8").partition("\n\n")
    except UnicodeDecodeError as error:
        msg = "Expected a request in UTF-8, got other bytes."
        raise MalformedNoteError(msg, hint=_HINT) from error
    first, *lines = head.split("\n")
    old = _OLD.fullmatch(first)
    if not found or old is None or int(old["size"]) > MAX_SIZE or len(lines) > MAX_PROOF_LINES:
        msg = f"Expected 'old SIZE' and at most {MAX_PROOF_LINES} hashes above an empty line."
        raise MalformedNoteError(msg, hint=_HINT)
    hashes = tuple(each for each in map(decode_base64, lines) if each and len(each) == HASH_SIZE)
    if len(hashes) < len(lines):
        msg = f"Expected {HASH_SIZE} bytes of base64 in each line of the proof, got another line."
        raise MalformedNoteError(msg, hint=_HINT)
    return CosignRequest(old_size=int(old["size"]), hashes=hashes, note=note)


def _find_fault(
    request: CosignRequest, checkpoint: Checkpoint, seen: SeenHead | None
) -> str | None:
    """What keeps the head from being an extension of the last; its size is the request's old."""
    if checkpoint.size == 0 and not is_empty_tree(checkpoint):
        return "Expected the root of the empty tree above no leaves, got another."
    if seen is None or request.old_size == 0:
        return "Expected no proof from an empty tree, got one." if request.hashes else None
    # Without a proof the same size must have the same root: check_consistency sees to both.
    proof = ConsistencyProof(
        old_size=request.old_size, new_size=checkpoint.size, hashes=request.hashes
    )
    if check_consistency(proof, seen.checkpoint.root, checkpoint.root):
        return None
    if checkpoint.size == request.old_size and not hmac.compare_digest(
        checkpoint.root, seen.checkpoint.root
    ):
        return f"Expected the root that was cosigned for {checkpoint.size} leaves, got another."
    return f"Expected a proof from {request.old_size} leaves to {checkpoint.size}, got none."


def _is_by(keys: Sequence[NoteKey], name: str, key_id: bytes) -> bool:
    return any((key.name, key.key_id) == (name, key_id) for key in keys)


def _refuse(status: int, message: str) -> WitnessAnswer:
    return WitnessAnswer(
        status=status, media_type=TEXT_TYPE, body=f"{message}\n".encode("utf-8", "replace")
    )
