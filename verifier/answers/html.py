"""An answer as HTML: citations inline, as footnotes, or beside the text. All text is escaped.

Only http and https addresses become links. The user's question is shown as it is, never read for
tokens.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from spanproof.core.arguments import check_type
from spanproof.core.errors import InputError
from spanproof.verifier.formats.cleaning import strip_tokens
from spanproof.verifier.formats.grammars.token import SOURCES
from spanproof.verifier.formats.grammars.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.verifier.formats.grammars.token import Reference

Style = Literal["inline", "footnotes", "sidebar"]
STYLES: tuple[Style, ...] = ("inline", "footnotes", "sidebar")


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedSource:
    """A source as it is shown; ``outcome`` is that of its verdict, if it was verified."""

    title: str
    url: str | None = None
    quote: str | None = None
    outcome: str | None = None


def render_html(
    answer: str,
    sources: Mapping[Reference, RenderedSource],
    *,
    grammars: Iterable[str],
    style: Style = "footnotes",
    question: str | None = None,
) -> str:
    """The answer as one ``<article>``; ``sources`` are named by their tokens' values.

    A token without a source is shown as an unknown one, never hidden. White space is the answer's
    own: give the class ``answer`` ``white-space: pre-wrap``. Raises InputError for another style.
    """
    check_type("answer", answer, str, "a str")
    check_type("sources", sources, Mapping, "a mapping of references to RenderedSource")
    if style not in STYLES:
        msg = f"Expected a style of {', '.join(STYLES)}, got {style!r}."
        raise InputError(msg, hint="Choose one of them.")
    tokens = tokenize(answer, grammars)
    cleaned = strip_tokens(answer, tokens)
    numbers: dict[Reference, int] = {}
    marks: list[tuple[int, str]] = []
    for token in tokens:
        if token.grammar == SOURCES or token.span in cleaned.left:
            continue
        number = numbers.setdefault(token.values, len(numbers) + 1)
        source = sources.get(token.values)
        marks.append((cleaned.to_clean(token.span.start), _mark(number, source, style)))
    parts, position = [], 0
    for at, mark in marks:
        parts += [html.escape(cleaned.text[position:at]), mark]
        position = at
    parts.append(html.escape(cleaned.text[position:]))
    asked = "" if question is None else f'<p class="question">{html.escape(question)}</p>'
    body = f'{asked}<div class="answer">{"".join(parts)}</div>'
    if style == "inline" or not numbers:
        return f"<article>{body}</article>"
    items = "".join(
        f'<li id="source-{number}"{_outcome(sources.get(values))}>'
        f"{_describe(sources.get(values))}</li>"
        for values, number in numbers.items()
    )
    tag = "footer" if style == "footnotes" else "aside"
    return f"<article>{body}<{tag}><ol>{items}</ol></{tag}></article>"


def is_web_address(url: str | None) -> bool:
    """Whether the address may be a link: http or https, with a host and without odd characters."""
    if not url or any(letter.isspace() or ord(letter) < 32 for letter in url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in {"http", "https"} and bool(parts.hostname)


def _mark(number: int, source: RenderedSource | None, style: Style) -> str:
    if source is None:
        return f'<sup class="citation unknown" title="no such source">[{number}?]</sup>'
    if style == "inline":
        return f'<span class="citation"{_outcome(source)}> ({_describe_name(source)})</span>'
    title = html.escape(source.title)
    return (
        f'<sup class="citation"{_outcome(source)}>'
        f'<a href="#source-{number}" title="{title}">[{number}]</a></sup>'
    )


def _outcome(source: RenderedSource | None) -> str:
    if source is None or source.outcome is None:
        return ""
    return f' data-outcome="{html.escape(source.outcome)}"'


def _describe(source: RenderedSource | None) -> str:
    if source is None:
        return "no such source"
    quote = "" if source.quote is None else f" <q>{html.escape(source.quote)}</q>"
    return _describe_name(source) + quote


def _describe_name(source: RenderedSource) -> str:
    title = html.escape(source.title)
    if not is_web_address(source.url):
        # Other addresses are shown as text.
        return title if source.url is None else f"{title} {html.escape(source.url)}"
    return f'<a href="{html.escape(str(source.url))}" rel="noopener noreferrer">{title}</a>'
