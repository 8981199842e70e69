"""Checkpoints as signed notes (C2SP tlog-checkpoint): origin, size and root, a line each."""

from __future__ import annotations

import hmac
import re

from spanproof.core.errors import MalformedNoteError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT, HASH_SIZE, MAX_SIZE
from spanproof.receipt.forms.signed_note import is_key_name

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_HINT = "Give the checkpoint as the log served it, byte for byte."


def format_checkpoint(checkpoint: Checkpoint) -> str:
    """The text that a log signs; ValueError for an origin that no key can have as its name."""
    if not is_key_name(checkpoint.origin):
        msg = f"Expected an origin without white space or plus, got {checkpoint.origin!r}."
        raise ValueError(msg)
    return f"{checkpoint.origin}\n{checkpoint.size}\n{encode_base64(checkpoint.root)}\n"


def parse_checkpoint(text: str, *, takes_extensions: bool = False) -> Checkpoint:
    """Read a note's text; raise MalformedNoteError for anything else.

    Extension lines are refused unless ``takes_extensions``: our logs write none, and no monitor
    could audit them. A witness of other logs signs them unread, as tlog-cosignature has it.
    """
    lines = text.split("\n")
    has_room = len(lines) == 4 or (takes_extensions and len(lines) > 4)
    if not has_room or lines.pop() or not all(lines) or not _SIZE.fullmatch(lines[1]):
        msg = "Expected an origin, a size and a root, a line each, got something else."
        raise MalformedNoteError(msg, hint=_HINT)
    size, root = int(lines[1]), decode_base64(lines[2])
    if root is None or len(root) != HASH_SIZE or size > MAX_SIZE:
        msg = f"Expected a size below 2**63 and a root of {HASH_SIZE} bytes, got something else."
        raise MalformedNoteError(msg, hint=_HINT)
    return Checkpoint(origin=lines[0], size=size, root=root)


def is_empty_tree(checkpoint: Checkpoint) -> bool:
    """Whether it is of the tree without leaves, which has one root only."""
    return checkpoint.size == 0 and hmac.compare_digest(checkpoint.root, EMPTY_ROOT)
