"""Text and Markdown as they are: the bytes' own characters, no newline translated, one page."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import numpy as np

from spanproof.core import canonical_json
from spanproof.core.documents.document import Extraction, Page, Pipeline
from spanproof.core.documents.layout import Layout
from spanproof.core.errors import UnsupportedMediaTypeError
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.ingest.assembly.characters import CANON, count_flags, flags_of, is_space
from spanproof.ingest.limits import check_limit
from spanproof.ingest.media_type import MARKDOWN

if TYPE_CHECKING:
    from spanproof.core.documents.document import Document
    from spanproof.ingest.limits import Limits

_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_UTF16 = frozenset({"utf-16", "utf16", "utf-16le", "utf-16be"})


def plain_pipeline(*, name: str = "plain", is_markdown: bool = False) -> Pipeline:
    """The pipeline of plain text, or of text whose markup takes some of it from the page."""
    config = {"engine": {"plain": "1"}, "name": name, "normaliser": CANON}
    if is_markdown:
        config |= {"visibility": "markdown-1"}
    return Pipeline(
        name=f"{name}@1+{CANON}", config_json=canonical_json.dumps(config).decode("utf-8")
    )


def read_plain(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read UTF-8, or UTF-16 with a byte order mark; any other encoding is refused, never guessed.

    A byte order mark stays in the text as U+FEFF.
    """
    text = _decode(data, charset)
    check_limit(len(text), limits.max_characters, "characters")
    points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    flags, layout = flags_of(points), None
    is_markdown = document.media_type == MARKDOWN
    if is_markdown:
        # Here and not above: text without markup needs none of it.
        from spanproof.ingest.markdown import find_flags

        unseen = find_flags(text)
        if unseen.any():
            flags = flags | np.where(is_space(points), np.uint16(0), unseen)
            layout = Layout.of_flags(flags)
    counts = count_flags(flags, np.zeros(1, np.int64))[0]
    page = Page(
        number=1,
        label=None,
        span=Span(0, len(text)),
        frame=None,
        text_source="none" if bool(is_space(points).all()) else "born_digital",
        counts=counts,
    )
    return Extraction(
        document=document,
        pipeline=plain_pipeline(is_markdown=is_markdown),
        text=CanonicalText.of(text),
        pages=(page,),
        layout=layout,
    )


def _decode(data: bytes, charset: str | None) -> str:
    codec = "utf-8"
    # The codecs that name their byte order keep the mark; "utf-16" would swallow it.
    if data.startswith(codecs.BOM_UTF16_LE):
        codec = "utf-16-le"
    elif data.startswith(codecs.BOM_UTF16_BE):
        codec = "utf-16-be"
    expected = _UTF8 if codec == "utf-8" else _UTF16
    if charset is not None and charset not in expected:
        msg = f"Expected UTF-8, or UTF-16 with a byte order mark, got {charset} declared."
        raise UnsupportedMediaTypeError(msg, hint="Convert the file to UTF-8.")
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        msg = f"Expected {codec.upper()} text, got {error.reason} at byte {error.start}."
        raise UnsupportedMediaTypeError(msg, hint="Convert the file to UTF-8.") from error
    if "\x00" in text:
        msg = f"Expected text, got binary data (NUL at character {text.index(chr(0))})."
        raise UnsupportedMediaTypeError(msg, hint="Convert the file to UTF-8.")
    return text
