"""The types of what callers hand to the library: said at the door, in the words of the door."""

from __future__ import annotations


def check_type(name: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise TypeError for a value of none of these kinds; the message says what is expected."""
    if not isinstance(value, kinds):
        msg = f"{name}: expected {expected}, got {type(value).__name__}"
        raise TypeError(msg)
