"""The ``SOURCES_START … SOURCES_END`` block: its entries, and the names of its faults."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.verifier.formats.grammars.token import SOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.verifier.formats.grammars.token import Token

UNCLOSED = "SOURCES_UNCLOSED"
END_ALONE = "SOURCES_END_ALONE"
MALFORMED = "SOURCES_MALFORMED"
TWICE = "SOURCES_TWICE"
TEXT_AFTER = "SOURCES_TEXT_AFTER"
_FENCE = "```"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEntry:
    """One entry as the model wrote it; ``block`` is the number of its block, from 0."""

    id: str
    title: str | None = None
    url: str | None = None
    block: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBlocks:
    """All entries, and each status as (code, why); no status means that all is as it should be."""

    entries: tuple[SourceEntry, ...]
    statuses: tuple[tuple[str, str], ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the statuses."""
        return tuple(code for code, _ in self.statuses)


def read_blocks(prose: str, tokens: Sequence[Token]) -> SourceBlocks:
    """The blocks among the tokens of the prose. URLs are read here, before anything is cleaned."""
    blocks = [token for token in tokens if token.grammar == SOURCES]
    entries: list[SourceEntry] = []
    statuses: list[tuple[str, str]] = []
    bodies = 0
    for token in blocks:
        inside, state = token.values
        if state == "end":
            statuses.append((END_ALONE, f"An end without a beginning at {token.span.start}."))
            continue
        if state == "unclosed":
            statuses.append((UNCLOSED, f"The block at {token.span.start} has no end."))
        found, fault = _read_entries(inside, bodies)
        entries += found
        if fault:
            statuses.append((MALFORMED, f"The block at {token.span.start}: {fault}"))
        bodies += 1
    if bodies > 1:
        statuses.append((TWICE, f"{bodies} blocks; each is compared."))
    if blocks:
        others = {token.span for token in tokens}
        rest = prose[blocks[-1].span.end :]
        if rest.strip() and blocks[-1].span in others:
            statuses.append((TEXT_AFTER, f"{len(rest.strip())} characters after the block's end."))
    return SourceBlocks(entries=tuple(entries), statuses=tuple(dict.fromkeys(statuses)))


def _read_entries(inside: str, block: int) -> tuple[list[SourceEntry], str | None]:
    try:
        value: Any = json.loads(_without_fence(inside))
    except (ValueError, RecursionError):
        return [], "its inside is not JSON."
    if isinstance(value, dict) and isinstance(value.get("sources"), list):
        value = value["sources"]
    if not isinstance(value, list):
        return [], "expected an array of sources, or an object with 'sources'."
    entries, fault = [], None
    for item in value:
        entry = _read_entry(item, block)
        if entry is None:
            fault = "an entry without an 'id' that is a string, or with another 'title' or 'url'."
        else:
            entries.append(entry)
    return entries, fault


def _read_entry(item: object, block: int) -> SourceEntry | None:
    if not isinstance(item, dict):
        return None
    name, title, url = item.get("id"), item.get("title"), item.get("url")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        return None
    if not isinstance(title, str | None) or not isinstance(url, str | None):
        return None
    return SourceEntry(id=name, title=title, url=url, block=block)


def _without_fence(inside: str) -> str:
    """A block that the model put into a code fence of its own is read without it."""
    text = inside.strip()
    if text.startswith(_FENCE) and text.endswith(_FENCE) and "\n" in text:
        return text[text.index("\n") : -len(_FENCE)]
    return text
