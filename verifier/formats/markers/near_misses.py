"""Near misses of the grammar of chunk citations: reported, never accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from spanproof.core.span import Span
from spanproof.verifier.formats.grammars.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Collection

#: How many of one kind are reported.
_MAX_MISSES = 20
_LONGEST = 80
_PATTERNS = {
    "comma_joined": regex.compile(r"\[citation:[^\[\],\n]{1,512}+,[^\[\]\n]{1,512}+\]"),
    "malformed": regex.compile(r"\[\s?+(?i:citations?)\s?+:?+[^\[\]\n]{0,512}+\]"),
    "unclosed": regex.compile(r"\[(?i:citation)\s?+:[^\[\]\s]{1,512}+(?!\S|[^\[\]\n]{0,512}+\])"),
    "source_note": regex.compile(
        r"[(\[](?i:sources?|refs?|references?)\s?+:[^()\[\]\n]{1,256}+[)\]]"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """One stretch that looks like a citation: ``kind`` says in which way, ``text`` is its start."""

    kind: str
    span: Span
    text: str


def find_near_misses(prose: str, chunk_ids: Collection[str] = ()) -> tuple[NearMiss, ...]:
    """In the order of the prose; ``chunk_ids`` are searched as bare words too."""
    valid = {token.span for token in tokenize(prose, ("chunk",))}
    spans: dict[Span, str] = {}
    for kind, pattern in _PATTERNS.items():
        for match in pattern.finditer(prose):
            span = Span(*match.span())
            if span not in valid:
                spans.setdefault(span, kind)
    for token in tokenize(prose, ("numbered",)):
        spans.setdefault(token.span, "numbered")
    taken = [*valid, *spans]
    for span in _find_bare(prose, chunk_ids):
        if not any(other.contains(span) for other in taken):
            spans.setdefault(span, "bare_chunk_id")
    counts: dict[str, int] = {}
    found = []
    for span, kind in sorted(spans.items()):
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= _MAX_MISSES:
            text = prose[span.start : span.end]
            found.append(NearMiss(kind=kind, span=span, text=text[:_LONGEST]))
    return tuple(found)


def _find_bare(prose: str, chunk_ids: Collection[str]) -> list[Span]:
    # An id of one or two characters is a word of any text.
    wanted = sorted({name for name in chunk_ids if len(name) > 2}, key=len, reverse=True)
    if not wanted:
        return []
    names = "|".join(map(regex.escape, wanted))
    pattern = regex.compile(rf"(?<![\w:-])(?:{names})(?![\w:-])")
    found = []
    for match in pattern.finditer(prose):
        found.append(Span(*match.span()))
        if len(found) == _MAX_MISSES:
            break
    return found
