"""A grammar of citation tokens, and one token of it in prose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import regex

    from spanproof.core.span import Span

#: The values of one reference: ``("3",)`` of ``[3]``, ``(doc_id, chunk_id)`` of a chunk citation.
Reference = tuple[str, ...]
#: The name under which blocks of sources are tokens too; they come with the grammar ``ref``.
SOURCES = "sources"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One reference in the prose. References in one bracket share the bracket's span.

    ``values`` are as the grammar reads them: percent signs decoded where it encodes.
    """

    grammar: str
    span: Span
    values: Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """One way to write a reference: how it is found, read and written.

    ``read`` gives the references of one match, ``write`` the token of some; one is the other's
    inverse. ``pattern`` matches no line end and no back-tick, and reads each character a bounded
    number of times. ``joins`` says whether one token may hold several references. ``example`` is a
    token of two different values where it can be, for prompts and docs.
    """

    name: str
    pattern: regex.Pattern[str]
    read: Callable[[regex.Match[str]], tuple[Reference, ...]]
    write: Callable[[Sequence[Reference]], str]
    example: str
    width: int
    joins: bool = False
