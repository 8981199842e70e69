"""The grammars that come with the product.

Every id is bounded and cannot hold a bracket, a back-tick or a line end, so one failed token never
costs a second look at the same characters. Where a grammar's own marks may stand in an id, they
are percent-encoded by the writer and decoded by the reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import regex

from spanproof.verifier.formats.grammars.token import Grammar, Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Most characters of one id and of one URL: they bound what a stream must hold back.
_LONGEST_ID = 256
_LONGEST_URL = 2000
#: Marks that begin and end other tokens: no token stands in another.
_OTHERS = "【】\ue200-\ue202"
_GAP = r"[ \t]{0,8}+"
#: Between two numbers of a list, and between the ends of a range.
_BETWEEN_NUMBERS = regex.compile(r"[,;]")
_DASH = regex.compile(r"[-‐‑–—−]")
#: Numbers that one mark names; a longer range is a stretch of years or an interval.
_MOST_NUMBERS = 100
_LINES = regex.compile(r"L[0-9]++(?:-L[0-9]++)?")


def _identifier(*ends: str) -> str:
    """An id: no bracket, back-tick or line end, none of ``ends``, single blanks inside only."""
    letter = rf"[^\s\[\]`{_OTHERS}{''.join(ends)}]"
    return rf"{letter}(?:{letter}|[ ](?={letter})){{0,{_LONGEST_ID - 1}}}+"


def encode_id(text: str, *ends: str) -> str:
    """The id as a token carries it: marks that would end it, and percent signs, are encoded."""
    doubtful = rf"[\[\]`%{_OTHERS}{''.join(ends)}]|[^\S ]|^ | (?= )| $"
    return str(regex.sub(doubtful, lambda match: quote(match[0], safe=""), text))


def _read_numbers(match: regex.Match[str]) -> tuple[Reference, ...]:
    """The numbers of a list and its ranges; none if a range runs backwards or is no range."""
    numbers: list[int] = []
    for part in _BETWEEN_NUMBERS.split(match[1]):
        first, *last = (int(end) for end in _DASH.split(part))
        end = last[0] if last else first
        if not first <= end < first + _MOST_NUMBERS:
            return ()
        numbers += range(first, end + 1)
    distinct = tuple((str(number),) for number in dict.fromkeys(numbers))
    return distinct if len(distinct) <= _MOST_NUMBERS else ()


def _write_numbers(references: Sequence[Reference]) -> str:
    return f"[{', '.join(number for (number,) in references)}]"


def _read_link(match: regex.Match[str]) -> tuple[Reference, ...]:
    return ((str(int(match[1] or match[2])), match[3]),)


def _write_link(references: Sequence[Reference]) -> str:
    ((number, url),) = references
    if _LINK.fullmatch(f"[{number}]({url})"):
        return f"[{number}]({url})"
    safe = regex.sub(rf"""[\s()\[\]<>"`{_OTHERS}]""", lambda match: quote(match[0], safe=""), url)
    return f"[{number}]({safe})"


def _read_chunks(match: regex.Match[str]) -> tuple[Reference, ...]:
    parts = (part.strip().split(":", 2) for part in match[0][1:-1].split(","))
    return tuple(dict.fromkeys((unquote(name), unquote(chunk)) for _, name, chunk in parts))


def _write_chunks(references: Sequence[Reference]) -> str:
    parts = (f"citation:{encode_id(d, ',', ':')}:{encode_id(c, ',')}" for d, c in references)
    return f"[{', '.join(parts)}]"


def _read_pair(match: regex.Match[str]) -> tuple[Reference, ...]:
    return (tuple(unquote(value) for value in match.groups()),)


def _write_reference(references: Sequence[Reference]) -> str:
    ((name,),) = references
    return f"[[REF:{encode_id(name)}]]"


def _write_field(references: Sequence[Reference]) -> str:
    ((prefix, field),) = references
    return f"[[{prefix}:{encode_id(field)}]]"


def _read_fullwidth(match: regex.Match[str]) -> tuple[Reference, ...]:
    return ((match[1] or "", match[2], match[3]),)


def _write_fullwidth(references: Sequence[Reference]) -> str:
    ((turn, source, label),) = references
    return f"【{turn}{':' if turn else ''}{source}†{label}】"


def _read_private(match: regex.Match[str]) -> tuple[Reference, ...]:
    *names, last = match[2].split("\ue202")[1:]
    if not (names and _LINES.fullmatch(last)):
        names, last = [*names, last], ""
    return tuple((match[1], name, last) for name in dict.fromkeys(names))


def _write_private(references: Sequence[Reference]) -> str:
    family, _, lines = references[0]
    parts = [family, *(name for _, name, _ in references), *([lines] if lines else [])]
    return f"\ue200{chr(0xE202).join(parts)}\ue201"


# A number, or a range of them: its ends have three digits at most, so that years are left out.
_ONE_NUMBER = rf"(?:[0-9]{{1,3}}{_GAP}{_DASH.pattern}{_GAP}[0-9]{{1,3}}(?![0-9])|[0-9]{{1,4}})"
_ONE_CHUNK = f"citation:{_identifier(',', ':')}:{_identifier(',')}"
_URL_CHARACTER = rf"""[^\s()\[\]<>"`{_OTHERS}]"""

_LINK = regex.compile(
    r"\[(?:\[([0-9]{1,4})\]|([0-9]{1,4}))\]"
    rf"\(((?:{_URL_CHARACTER}|\({_URL_CHARACTER}{{0,200}}+\)){{1,{_LONGEST_URL}}}+)"
    r"""(?:[ \t]{1,8}+"[^"\[\]\n`【】\ue200-\ue202]{0,200}+")?\)"""
)

BUILT_IN = (
    # Before the bare number: "[1](…)" is one token.
    Grammar(
        name="link",
        pattern=_LINK,
        read=_read_link,
        write=_write_link,
        example="[1](https://example.org/policy)",
        width=2,
    ),
    # Digits are ASCII: U+0661 is not an anchor number. Four digits keep "[20241]" prose.
    Grammar(
        name="numbered",
        pattern=regex.compile(
            rf"\[{_GAP}({_ONE_NUMBER}(?:{_GAP}{_BETWEEN_NUMBERS.pattern}{_GAP}{_ONE_NUMBER})"
            rf"{{0,99}}+){_GAP}\]"
        ),
        read=_read_numbers,
        write=_write_numbers,
        example="[1]",
        width=1,
        joins=True,
    ),
    Grammar(
        name="chunk",
        pattern=regex.compile(rf"\[{_ONE_CHUNK}(?:{_GAP},{_GAP}{_ONE_CHUNK}){{0,31}}+\]"),
        read=_read_chunks,
        write=_write_chunks,
        example="[citation:handbook:p4-2]",
        width=2,
        joins=True,
    ),
    # Before the field marker, of which it would be the prefix "REF".
    Grammar(
        name="ref",
        pattern=regex.compile(rf"\[\[(?i:REF):({_identifier()})\]\]"),
        read=_read_pair,
        write=_write_reference,
        example="[[REF:s1]]",
        width=1,
    ),
    Grammar(
        name="field",
        pattern=regex.compile(rf"\[\[([A-Za-z][A-Za-z0-9_-]{{0,63}}+):({_identifier()})\]\]"),
        read=_read_pair,
        write=_write_field,
        example="[[TOOL:temperature]]",
        width=2,
    ),
    Grammar(
        name="fullwidth",
        pattern=regex.compile(
            r"【(?:([0-9]{1,4}+):)?([0-9]{1,4}+)†([^【】\ue200-\ue202\[\]\n\r`]{0,256}+)】"
        ),
        read=_read_fullwidth,
        write=_write_fullwidth,
        example="【6:0†source】",
        width=3,
    ),
    # Characters of private use, as a provider's guide to citing asks its models to write them.
    Grammar(
        name="private-use",
        pattern=regex.compile(
            r"\ue200([A-Za-z0-9_-]{1,64}+)((?:\ue202[A-Za-z0-9_-]{1,128}+){1,32}+)\ue201"
        ),
        read=_read_private,
        write=_write_private,
        example="\ue200cite\ue202turn0file0\ue202L8-L13\ue201",
        width=3,
        joins=True,
    ),
)
