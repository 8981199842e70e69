"""Log proofs (C2SP tlog-proof v1): an entry's index, its path to the root, and the signed head.

A text that a person can keep beside what was logged; ``receipt.check.timing`` checks it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import MalformedNoteError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64
from spanproof.core.log.merkle import HASH_SIZE, MAX_SIZE
from spanproof.receipt.forms.checkpoint_note import parse_checkpoint
from spanproof.receipt.forms.signed_note import MAX_NOTE_BYTES, parse_note

if TYPE_CHECKING:
    from spanproof.core.log.checkpoint import IncludedLeaf

HEADER = "c2sp.org/tlog-proof@v1"
#: A path of a tree below 2**63 leaves has no more.
MAX_HASHES = 63
MAX_EXTRA_BYTES = 65_536
#: A note, an extra, 63 hashes, each in base64 or shorter.
MAX_PROOF_BYTES = MAX_NOTE_BYTES + 2 * MAX_EXTRA_BYTES
_INDEX = re.compile(r"index (?P<index>0|[1-9][0-9]{0,18})")
_EXTRA = "extra "
_HINT = "Give the .tlog-proof as the log served it, byte for byte."


@dataclass(frozen=True, slots=True, kw_only=True)
class LogProof:
    """The fields of a proof, unchecked.

    ``note`` is the signed head as it was served; no signature covers ``extra``, which is
    empty without an ``extra`` line.
    """

    index: int
    hashes: tuple[bytes, ...]
    note: str
    extra: bytes = b""


def make_log_proof(included: IncludedLeaf) -> LogProof:
    """The proof of a leaf that is in a signed tree."""
    return LogProof(index=included.leaf.index, hashes=included.proof.hashes, note=included.note)


def write_log_proof(proof: LogProof) -> str:
    """The text of a ``.tlog-proof`` file; ValueError for what cannot appear in one."""
    if not 0 <= proof.index < MAX_SIZE or len(proof.hashes) > MAX_HASHES:
        msg = f"Expected an index below 2**63 and at most {MAX_HASHES} hashes, got {proof!r}."
        raise ValueError(msg)
    lines = [HEADER]
    if proof.extra:
        lines.append(_EXTRA + encode_base64(proof.extra))
    lines.append(f"index {proof.index}")
    lines += [encode_base64(each) for each in proof.hashes]
    return "\n".join(lines) + f"\n\n{proof.note}"


def parse_log_proof(raw: str | bytes) -> LogProof:
    """Read a ``.tlog-proof`` file; raise MalformedNoteError for anything else."""
    if len(raw) > MAX_PROOF_BYTES:
        msg = f"Expected a log proof of at most {MAX_PROOF_BYTES} bytes, got {len(raw)}."
        raise MalformedNoteError(msg, hint=_HINT)
    try:
        text = raw.decode("utf-8") if isinstance(raw, bytes) else raw
    except UnicodeDecodeError as error:
        msg = "Expected a log proof in UTF-8, got other bytes."
        raise MalformedNoteError(msg, hint=_HINT) from error
    head, found, note = text.partition("\n\n")
    lines = head.split("\n")
    if not found or lines.pop(0) != HEADER or not lines:
        msg = f"Expected {HEADER!r}, an index, a path and a note, got something else."
        raise MalformedNoteError(msg, hint=_HINT)
    extra = _parse_extra(lines.pop(0)) if lines[0].startswith("extra") else b""
    index = _INDEX.fullmatch(lines.pop(0)) if lines else None
    hashes = tuple(decode_base64(line) for line in lines)
    if index is None or len(hashes) > MAX_HASHES or int(index["index"]) >= MAX_SIZE:
        msg = f"Expected an index below 2**63 and at most {MAX_HASHES} hashes, got something else."
        raise MalformedNoteError(msg, hint=_HINT)
    whole = tuple(each for each in hashes if each is not None and len(each) == HASH_SIZE)
    if len(whole) < len(hashes):
        msg = f"Expected {HASH_SIZE} bytes of base64 in each line of the path, got another line."
        raise MalformedNoteError(msg, hint=_HINT)
    parse_checkpoint(parse_note(note).text)
    return LogProof(index=int(index["index"]), hashes=whole, note=note, extra=extra)


def _parse_extra(line: str) -> bytes:
    extra = decode_base64(line.removeprefix(_EXTRA)) if line.startswith(_EXTRA) else None
    if not extra or len(extra) > MAX_EXTRA_BYTES:
        msg = f"Expected 'extra' and 1 to {MAX_EXTRA_BYTES} bytes in base64, got another line."
        raise MalformedNoteError(msg, hint=_HINT)
    return extra
