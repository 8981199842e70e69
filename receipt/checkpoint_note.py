"""Checkpoints as signed notes (C2SP tlog-checkpoint): origin, size and root, a line each."""

from __future__ import annotations

import base64
import binascii
import re

from core.checkpoint import Checkpoint
from core.errors import MalformedNoteError
from core.merkle import HASH_SIZE, MAX_SIZE

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_HINT = "Give the checkpoint as the log served it, byte for byte."


def format_checkpoint(checkpoint: Checkpoint) -> str:
    """The text that a log signs."""
    root = base64.b64encode(checkpoint.root).decode("ascii")
    return f"{checkpoint.origin}\n{checkpoint.size}\n{root}\n"


def parse_checkpoint(text: str) -> Checkpoint:
    """Read a note's text; raise MalformedNoteError for anything else.

    Extension lines are refused: no witness would see them, and our logs write none.
    """
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] or not lines[0] or not _SIZE.fullmatch(lines[1]):
        msg = "Expected an origin, a size and a root, a line each, got something else."
        raise MalformedNoteError(msg, hint=_HINT)
    try:
        root = base64.b64decode(lines[2], validate=True)
    except (binascii.Error, ValueError):
        root = b""
    if len(root) != HASH_SIZE or int(lines[1]) > MAX_SIZE:
        msg = f"Expected a size below 2**63 and a root of {HASH_SIZE} bytes, got something else."
        raise MalformedNoteError(msg, hint=_HINT)
    return Checkpoint(origin=lines[0], size=int(lines[1]), root=root)
