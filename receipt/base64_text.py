"""Base64 as signed formats mean it: one spelling for the same bytes (RFC 4648, sections 3.5, 4)."""

from __future__ import annotations

import base64
import binascii


def encode_base64(content: bytes) -> str:
    """The standard alphabet, padded."""
    return base64.b64encode(content).decode("ascii")


def decode_base64(text: str) -> bytes | None:
    """The bytes; None for anything but what ``encode_base64`` writes of them.

    A lenient decoder skips foreign characters and ignores the bits behind the last byte, so that
    the same signature could be written in several ways.
    """
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return content if encode_base64(content) == text else None
