"""Base64 as signed formats mean it: one spelling for the same bytes (RFC 4648, sections 3.5, 4)."""

from __future__ import annotations

import binascii


def encode_base64(content: bytes) -> str:
    """The standard alphabet, padded."""
    return binascii.b2a_base64(content, newline=False).decode("ascii")


def decode_base64(text: str) -> bytes | None:
    """The bytes; None for anything but what ``encode_base64`` writes of them.

    A lenient decoder skips foreign characters and ignores the bits behind the last byte, so that
    the same signature could be written in several ways.
    """
    try:
        content = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    return content if encode_base64(content) == text else None
