"""An answer and earlier turns as people and models are to see them: without footers and tokens.

For display only; verification always reads the raw prose.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import regex

from spanproof.core.arguments import check_type
from spanproof.core.errors import InputError
from spanproof.core.span import Span
from spanproof.verifier.formats.cleaning import CleanText, clean
from spanproof.verifier.formats.grammars.tokenizer import code_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_HEADING = regex.compile(
    r"[ \t]*+(?:#{1,6}[ \t]++)?(?:\*\*|__)?"
    r"(?i:sources?|references?|citations?|footnotes?|bibliography)"
    r"(?:\*\*|__)?[ \t]*+:?+(?:\*\*|__)?[ \t]*+"
)
_ENTRY = regex.compile(
    r"[ \t]*+(?:[-*+•][ \t]++|[0-9]{1,3}[.)][ \t]++|\[\^?[0-9A-Za-z_-]{1,20}\]:?+[ \t]*+|"
    r"【[^】\n]{1,80}】[ \t]*+|https?://|\|).*+"
)
_FOOTNOTE = regex.compile(r"[ \t]{0,3}+\[\^[0-9A-Za-z_-]{1,20}\]:.*+")
_INLINE_FOOTER = regex.compile(
    r"[ \t]*+(?:\*\*|__|[*_])?(?i:sources?|references?)"
    r"(?:\*\*|__|[*_])?:(?:\*\*|__|[*_])?[ \t]++\S.*+"
)
ASSISTANT = "assistant"


def find_footers(text: str) -> tuple[Span, ...]:
    """Lists of sources at the end of the text, and footnote definitions anywhere outside code.

    A list is a heading such as ``Sources:`` with nothing but entries after it to the end, or one
    last line ``Sources: …``.
    """
    code = code_spans(text)
    lines = list(_lines(text))
    found = [
        span
        for span, line in lines
        if _FOOTNOTE.fullmatch(line) and not _touches(code, Span(span.start, span.start + 1))
    ]
    start = _find_list(lines)
    if start is not None and not _touches(code, Span(start, start + 1)):
        found = [span for span in found if span.end <= start] + [Span(start, len(text))]
    merged: list[Span] = []
    for span in found:
        if merged and merged[-1].end == span.start:
            merged[-1] = Span(merged[-1].start, span.end)
        else:
            merged.append(span)
    return tuple(merged)


def hide_footers(text: str) -> CleanText:
    """The text without its footers; ``removed`` lists their ranges."""
    check_type("text", text, str, "a str")
    kept, position = [], 0
    for span in find_footers(text):
        if position < span.start:
            kept.append(Span(position, span.start))
        position = span.end
    if position < len(text):
        kept.append(Span(position, len(text)))
    return CleanText(
        text="".join(text[span.start : span.end] for span in kept),
        raw_length=len(text),
        kept=tuple(kept),
    )


def _touches(code: tuple[Span, ...], span: Span) -> bool:
    """Whether the span contains code; spans of code are in order."""
    index = bisect_left(code, span.end, key=lambda each: each.start) - 1
    return index >= 0 and code[index].end > span.start


def _find_list(lines: list[tuple[Span, str]]) -> int | None:
    """Where the list of sources begins that ends the text."""
    entries = 0
    for span, line in reversed(lines):
        if not line.strip():
            continue
        if _HEADING.fullmatch(line):
            return span.start if entries else None
        if not entries and _INLINE_FOOTER.fullmatch(line):
            return span.start
        if not _ENTRY.fullmatch(line):
            return None
        entries += 1
    return None


def _lines(text: str) -> Iterator[tuple[Span, str]]:
    """Each line with its span, the line end inside the span and not in the text."""
    position = 0
    for line in text.split("\n"):
        end = min(position + len(line) + 1, len(text))
        yield Span(position, end), line.removesuffix("\r")
        position = end


def strip_history(
    messages: Sequence[dict[str, Any]], grammars: Iterable[str]
) -> list[dict[str, Any]]:
    """The messages with the assistant's turns cleaned; every other turn is the very same object.

    ``content`` is a string, or a list of parts; parts with a string ``text`` are cleaned.
    Raises InputError for a message that is not an object.
    """
    check_type("messages", messages, (list, tuple), "a list of messages")
    names = tuple(grammars)
    return [_strip(message, names) for message in messages]


def _strip(message: Any, names: tuple[str, ...]) -> dict[str, Any]:  # noqa: ANN401 - checked here
    if not isinstance(message, dict):
        msg = f"Expected messages with 'role' and 'content', got {message!r}."
        raise InputError(msg, hint="Give the messages as the model's interface has them.")
    kept: dict[str, Any] = message
    content = kept.get("content")
    if kept.get("role") != ASSISTANT:
        return kept
    if isinstance(content, str):
        return kept | {"content": clean(content, names).text}
    if isinstance(content, list):
        return kept | {"content": [_strip_part(part, names) for part in content]}
    return kept


def _strip_part(part: Any, names: tuple[str, ...]) -> Any:  # noqa: ANN401 - a provider's part
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return part | {"text": clean(part["text"], names).text}
    return part
