"""Text and Markdown as they are: the bytes' own characters, no newline translated, one page.

A mark at the start names the encoding, else the sender does, else it is UTF-8; where the bytes are
not that, it is guessed, and the pipeline says so.
"""

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
from spanproof.ingest.elements.decoding import codec_of
from spanproof.ingest.elements.guessing import guess_encoding
from spanproof.ingest.limits import check_limit
from spanproof.ingest.media_type import MARKDOWN

if TYPE_CHECKING:
    from spanproof.core.documents.document import Document
    from spanproof.ingest.elements.guessing import Guess
    from spanproof.ingest.limits import Limits

# The codecs that name their byte order keep the mark; "utf-16" would swallow it.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UTF8_HINT = "Convert the file to UTF-8."


def plain_pipeline(*, name: str = "plain", is_markdown: bool = False) -> Pipeline:
    """The pipeline of plain text, or of text whose markup takes some of it from the page."""
    config = {"engine": {"plain": "1"}, "name": name, "normaliser": CANON}
    if is_markdown:
        config |= {"visibility": "markdown-2"}
    return Pipeline(
        name=f"{name}@1+{CANON}", config_json=canonical_json.dumps(config).decode("utf-8")
    )


def read_plain(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a text; raise UnsupportedMediaTypeError if its bytes are not what was declared.

    A byte order mark stays in the text as U+FEFF.
    """
    text, guess = _decode(data, charset)
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
        status="degraded" if guess is not None and guess.problem else "ok",
        problem=guess.problem if guess is not None else None,
    )
    pipeline = plain_pipeline(is_markdown=is_markdown)
    return Extraction(
        document=document,
        pipeline=pipeline if guess is None else guess.mark(pipeline),
        text=CanonicalText.of(text),
        pages=(page,),
        layout=layout,
    )


def _decode(data: bytes, charset: str | None) -> tuple[str, Guess | None]:
    codec = _find_mark(data) or _find_codec(charset)
    try:
        text, guess = data.decode(codec or "utf-8"), None
    except UnicodeError as error:
        if codec is not None:
            msg = f"Expected {codec.upper()} text, got other bytes ({error})."
            raise UnsupportedMediaTypeError(msg, hint=_UTF8_HINT) from error
        guess = guess_encoding(data)
        text = guess.text
    if "\x00" in text:
        msg = f"Expected text, got binary data (NUL at character {text.index(chr(0))})."
        raise UnsupportedMediaTypeError(msg, hint=_UTF8_HINT)
    return text, guess


def _find_mark(data: bytes) -> str | None:
    """The codec of a byte order mark that leaves the mark in the text."""
    return next((codec for mark, codec in _MARKS if data.startswith(mark)), None)


def _find_codec(charset: str | None) -> str | None:
    if charset is None:
        return None
    codec = codec_of(charset)
    if codec is None:
        msg = f"Expected a charset that has a reader, got {charset!r} declared."
        raise UnsupportedMediaTypeError(msg, hint=_UTF8_HINT)
    return codec
