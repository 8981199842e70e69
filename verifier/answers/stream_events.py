"""An answer as events: while it is written, or at once from a cache.

``chunk`` is a part of the visible text, ``citation`` a token with its place in that text,
``sources`` the entries of the sources block, ``verification`` the verdict of one anchor (it may
come late), ``replace`` the whole visible text, ``done`` the end. A streamed and a whole answer go
through the same stripper.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.arguments import check_type
from spanproof.core.verdicts.verification_block import VerificationBlock
from spanproof.verifier.answers.stream import TokenStripper
from spanproof.verifier.formats.grammars.token import SOURCES
from spanproof.verifier.formats.markers.sources import read_blocks

if TYPE_CHECKING:
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.verifier.formats.cleaning import CleanText

EventKind = Literal["chunk", "citation", "sources", "verification", "replace", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    """One event; ``data`` is what its JSON holds beside ``event``."""

    kind: EventKind
    data: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """``event`` and the data."""
        return {"event": self.kind, **self.data}


class AnswerStream:
    """Makes the events of one answer: ``push`` and ``close`` for a stream, ``whole`` for a text."""

    def __init__(self, grammars: Iterable[str]) -> None:
        check_type("grammars", grammars, Iterable, "an iterable of names")
        self._stripper = TokenStripper(grammars)
        self._raw: list[str] = []

    def push(self, text: str) -> list[StreamEvent]:
        """The next part of the raw text: a chunk, if some of it can be shown already."""
        check_type("text", text, str, "a str")
        self._raw.append(text)
        seen = self._stripper.push(text)
        return [StreamEvent(kind="chunk", data={"text": seen})] if seen else []

    def close(self) -> list[StreamEvent]:
        """The end: the rest, every citation with its place, the sources, done."""
        rest = self._stripper.close()
        events = [StreamEvent(kind="chunk", data={"text": rest})] if rest else []
        return [*events, *self._describe(self._stripper.result())]

    def whole(self, text: str) -> list[StreamEvent]:
        """A whole answer at once: one ``replace`` instead of chunks, all else the same."""
        self._raw.append(text)
        seen = self._stripper.push(text) + self._stripper.close()
        replaced = StreamEvent(kind="replace", data={"text": seen})
        return [replaced, *self._describe(self._stripper.result())]

    def _describe(self, cleaned: CleanText) -> list[StreamEvent]:
        raw = "".join(self._raw)
        events = [
            StreamEvent(
                kind="citation",
                data={
                    "grammar": token.grammar,
                    "values": list(token.values),
                    "start": token.span.start,
                    "end": token.span.end,
                    "at": cleaned.to_clean(token.span.start),
                },
            )
            for token in cleaned.tokens
            if token.grammar != SOURCES
        ]
        blocks = read_blocks(raw, cleaned.tokens)
        if blocks.entries or blocks.statuses:
            entries = [{"id": e.id, "title": e.title, "url": e.url} for e in blocks.entries]
            data = {"sources": entries, "statuses": list(blocks.codes)}
            events.append(StreamEvent(kind="sources", data=data))
        return [*events, StreamEvent(kind="done", data={"characters": len(cleaned.text)})]


def verification_events(block: VerificationBlock) -> list[StreamEvent]:
    """Make a ``verification`` event for each anchor, in the order of the verdicts."""
    check_type("block", block, VerificationBlock, "a VerificationBlock")
    return [StreamEvent(kind="verification", data=_describe_verdict(v)) for v in block.verdicts]


def _describe_verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "anchor": verdict.anchor,
        "citation": verdict.citation,
        "outcome": verdict.outcome.value,
        "codes": list(verdict.codes),
        "notes": verdict.notes,
        "view_url": verdict.view_url,
    }
