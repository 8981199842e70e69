"""A witness's list of all that it cosigned of one log, in order: nothing can be held back from it.

The first line is the log's origin. Each other line is a head's size, a space, and the base64 of the
8 bytes of time and 64 of signature that the cosignature line has.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from spanproof.core.errors import MalformedNoteError
from spanproof.core.json_reader.base64_text import decode_base64, encode_base64
from spanproof.receipt.witness.cosignature import read_timestamp

#: A line an hour for eighty years.
MAX_LIST_BYTES = 1 << 26
_LINE = re.compile(r"(?P<size>0|[1-9][0-9]{0,18}) (?P<content>\S{96})")
_CONTENT_BYTES = 72
_HINT = "Ask the witness for GET /<SHA-256 of the log's origin>/cosigned."


@dataclass(frozen=True, slots=True)
class CosignedHead:
    """A head by its size, and the time and signature below it."""

    size: int
    content: bytes


@dataclass(frozen=True, slots=True)
class CosignedList:
    """What a witness cosigned of the log ``origin``, the first head first."""

    origin: str
    heads: tuple[CosignedHead, ...]

    def find_first_above(self, index: int) -> CosignedHead | None:
        """The first head that the witness cosigned above a leaf; None: none yet."""
        at = bisect_right(self.heads, index, key=lambda each: each.size)
        return self.heads[at] if at < len(self.heads) else None


def write_head(head: CosignedHead) -> str:
    """The line of a head."""
    return f"{head.size} {encode_base64(head.content)}\n"


def parse_list(raw: bytes) -> CosignedList:
    """Read a list; raise MalformedNoteError for anything else, and for one out of order."""
    try:
        origin, *lines = raw.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        msg = "Expected a witness's list in UTF-8, got other bytes."
        raise MalformedNoteError(msg, hint=_HINT) from error
    heads = tuple(_parse_head(line, number) for number, line in enumerate(lines, start=2))
    order = [(each.size, read_timestamp(each.content)) for each in heads]
    # Neither ever goes back: a witness cosigns only what extends the last head, and only later.
    if any(one[0] > two[0] or one[1] > two[1] for one, two in pairwise(order)):
        msg = "Expected heads that only grow, and later times, got others."
        raise MalformedNoteError(msg, hint=_HINT)
    return CosignedList(origin, heads)


def _parse_head(line: str, number: int) -> CosignedHead:
    found = _LINE.fullmatch(line)
    content = None if found is None else decode_base64(found["content"])
    if found is None or content is None or len(content) != _CONTENT_BYTES:
        msg = f"Expected a size and a signature in base64, got something else in line {number}."
        raise MalformedNoteError(msg, hint=_HINT)
    return CosignedHead(int(found["size"]), content)
