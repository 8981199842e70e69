"""Texts and values as messages, notes and lists show them: never long."""

from __future__ import annotations


def shorten(text: str, most: int = 80) -> str:
    """The text, or its beginning and ``...``, in at most so many characters."""
    return text if len(text) <= most else text[: most - 3] + "..."


def show_value(value: object) -> str:
    """The value as Python writes it, shortened."""
    return shorten(repr(value))


def show_ascii(value: object, most: int = 60) -> str:
    """Any value from outside in printable form: its beginning and ``…``."""
    shown = ascii(value) if isinstance(value, str) else repr(value)
    return shown if len(shown) <= most else f"{shown[:most]}…"


def show_count(count: int, noun: str) -> str:
    """The number and its noun: ``1 page``, ``2 pages``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_words(text: str, most: int = 80) -> str:
    """The beginning of a text on one line, with ``…`` in place of what does not fit."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
