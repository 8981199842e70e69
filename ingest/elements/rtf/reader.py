"""The tokens of an RTF document → its stories: which groups are text, and in which code page."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from spanproof.ingest.elements.rtf.charset import (
    DOCUMENT_SETS,
    codec_of_charset,
    codec_of_page,
    decode,
)
from spanproof.ingest.elements.rtf.story import Paragraph, Story, StyleSheet
from spanproof.ingest.elements.rtf.token import (
    ASIDES,
    CHARACTERS,
    FOOTERS,
    HEADERS,
    LABELS,
    MATH_PROPERTIES,
    SKIPPED,
    STARRED,
    Token,
    read_tokens,
)
from spanproof.ingest.limits import check_limit

if TYPE_CHECKING:
    from spanproof.ingest.elements.piece import Piece
    from spanproof.ingest.limits import Limits

#: Word writes some twenty groups within each other; every one costs a copy of its state.
MAX_GROUPS = 1_000
_Mode = Literal["text", "silent", "skip", "fonts", "styles", "label"]


@dataclass(slots=True)
class _State:
    """What a group inherits and gives back at its end."""

    story: Story
    mode: _Mode = "text"
    #: The mode around an ``\\upr`` group, which says the same twice.
    outer_mode: _Mode = "text"
    is_hidden: bool = False
    is_deleted: bool = False
    codec: str | None = None
    skips: int = 1
    paragraph: Paragraph = field(default_factory=Paragraph)


class RtfReader:
    """Reads a document; ``hidden`` counts characters left out, ``is_cut`` says it ends early."""

    def __init__(self, limits: Limits) -> None:
        self.headers: list[list[Piece]] = []
        self.footers: list[list[Piece]] = []
        self.body = Story()
        self.hidden = 0
        self.is_cut = True
        self._limits = limits
        self._state = _State(self.body)
        self._stack: list[_State] = []
        self._skipped_groups = 0
        self._is_starred = False
        self._is_fresh = False
        self._to_skip = 0
        self._raw = bytearray()
        self._raw_codec = ""
        self._characters = 0
        self._document_codec = "cp1252"
        self._default_font = 0
        self._font = 0
        self._fonts: dict[int, str | None] = {}
        self._styles = StyleSheet()
        self._label: list[str] = []

    def read(self, data: bytes) -> None:
        """Read the one group that is the document."""
        for token in read_tokens(data):
            # A destination that may be ignored is marked right behind its brace, nowhere else.
            self._is_fresh, is_fresh = token.kind == "open", self._is_fresh
            if self._state.mode == "skip":
                self._skip(token)
            elif token.kind == "symbol" and token.name == "*":
                self._is_starred = is_fresh
            elif token.kind == "text":
                self._text(token.raw)
            elif token.kind == "open":
                self._open()
            elif token.kind == "word":
                self._word(token.name, token.number)
            elif token.kind == "symbol":
                self._symbol(token.name)
            else:
                self._close()
            if self.is_cut and token.kind == "close" and not self._stack:
                self.is_cut = False
                break
        self._flush()
        self.body.end_paragraph(self._state.paragraph, self._styles.kinds)

    def _skip(self, token: Token) -> None:
        if token.kind == "open":
            self._skipped_groups += 1
        elif token.kind == "close":
            if self._skipped_groups:
                self._skipped_groups -= 1
            else:
                self._close()

    def _open(self) -> None:
        self._flush()
        self._to_skip = 0
        check_limit(len(self._stack) + 1, MAX_GROUPS, "groups within each other")
        self._stack.append(self._state)
        self._state = copy.copy(self._state)
        self._state.paragraph = copy.copy(self._state.paragraph)

    def _close(self) -> None:
        self._flush()
        self._to_skip, self._is_starred = 0, False
        inner, self._state = self._state, self._stack.pop()
        if inner.mode == "styles":
            self._styles.end()
        if inner.mode == "label" and self._state.mode != "label":
            self._end_label()
        if inner.story is not self._state.story:
            inner.story.end_paragraph(inner.paragraph, self._styles.kinds)
            self._end_story(inner.story)

    def _end_story(self, story: Story) -> None:
        pieces = story.close()
        if story.kind == "header" and self._state.story.kind is None:
            self.headers.append(pieces)
        elif story.kind == "footer" and self._state.story.kind is None:
            self.footers.append(pieces)
        else:
            self._state.story.after.extend(pieces)

    def _symbol(self, name: str) -> None:
        if name in "\\{}":
            # As a byte: it may be the second half of a character.
            self._text(name.encode("ascii"))
        elif name in "\r\n":
            self._end_paragraph()
        elif name in CHARACTERS:
            self._character(CHARACTERS[name])

    def _word(self, name: str, number: int | None) -> None:
        state = self._state
        starred, self._is_starred = self._is_starred, False
        if name in CHARACTERS:
            self._character(CHARACTERS[name])
            return
        self._flush()
        self._to_skip = 0
        if _is_no_text(name, starred=starred):
            state.mode = "skip"
        elif name in HEADERS:
            self._begin_story(Story(kind="header"))
        elif name in FOOTERS:
            self._begin_story(Story(kind="footer"))
        elif name in ASIDES:
            self._begin_story(Story(kind=ASIDES[name] or state.story.kind))
        elif name == "u":
            self._unicode(number or 0)
        else:
            self._change_mode(name)
            self._property(name, number)

    def _change_mode(self, name: str) -> None:
        state = self._state
        if name in LABELS and state.mode == "text" and self._stack:
            state.mode = "label"
            self._stack[-1].paragraph.is_item = True
        elif name == "fonttbl":
            state.mode = "fonts"
        elif name == "stylesheet":
            state.mode = "styles"
        elif name in {"shpinst", "do", "upr"}:
            state.outer_mode, state.mode = state.mode, "silent"
        elif name == "ud":
            state.mode = state.outer_mode

    def _begin_story(self, story: Story) -> None:
        state = self._state
        if state.is_hidden or state.is_deleted:
            state.mode = "skip"
            return
        state.story, state.mode, state.paragraph = story, "text", Paragraph()

    def _property(self, name: str, number: int | None) -> None:
        """Words that change how what follows is read; any other says only how it looks."""
        state = self._state
        if name == "plain":
            state.is_hidden = state.is_deleted = False
            state.codec = self._fonts.get(self._default_font)
        elif name == "v":
            state.is_hidden = number != 0
        elif name == "deleted":
            state.is_deleted = number != 0
        elif name == "uc":
            state.skips = max(number or 0, 0)
        elif name == "f":
            self._font = number or 0
            state.codec = self._fonts.get(self._font)
        elif state.mode == "styles":
            self._styles.apply(name, number or 0)
        elif state.mode == "text":
            self._paragraph_word(name, number or 0)
        if number is not None:
            self._charset_word(name, number)
        elif name in DOCUMENT_SETS:
            self._document_codec = DOCUMENT_SETS[name]

    def _charset_word(self, name: str, number: int) -> None:
        if name == "ansicpg":
            self._document_codec = codec_of_page(number) or self._document_codec
        elif name == "deff":
            self._default_font = number
        elif name == "fcharset" and self._state.mode == "fonts":
            self._fonts[self._font] = codec_of_charset(number)
        elif name == "cpg" and self._state.mode == "fonts":
            self._fonts[self._font] = codec_of_page(number)

    def _end_label(self) -> None:
        label = "".join(self._label).strip()
        self._label.clear()
        # A bullet has no words to quote.
        if any(character.isalnum() for character in label):
            self._put(f"{label} ")

    def _paragraph_word(self, name: str, number: int) -> None:
        state = self._state
        paragraph, story = state.paragraph, state.story
        depth = paragraph.table_depth
        if name in {"par", "sect"}:
            self._end_paragraph()
        elif name in {"cell", "nestcell"}:
            paragraph.table_depth = 1 if name == "cell" else max(depth, 2)
            story.end_paragraph(paragraph, self._styles.kinds)
            story.end_cell(paragraph.table_depth)
            paragraph.table_depth = depth
        elif name in {"row", "nestrow"}:
            story.end_row(1 if name == "row" else max(depth, 2))
        elif name == "pard":
            state.paragraph = Paragraph()
        else:
            paragraph.apply(name, number)

    def _end_paragraph(self) -> None:
        self._flush()
        if self._state.mode == "text":
            self._state.story.end_paragraph(self._state.paragraph, self._styles.kinds)

    def _text(self, raw: bytes) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(raw))
            self._to_skip -= skipped
            raw = raw[skipped:]
        codec = self._state.codec or self._document_codec
        if codec != self._raw_codec:
            self._flush()
            self._raw_codec = codec
        # Bytes wait for their neighbours: a character may take two of them.
        self._raw += raw

    def _character(self, character: str) -> None:
        if self._to_skip:
            self._to_skip -= 1
            return
        self._flush()
        self._put(character)

    def _unicode(self, number: int) -> None:
        point = number + 0x10000 if number < 0 else number
        self._put(chr(point) if 0 <= point <= 0x10FFFF else "\ufffd")
        self._to_skip = self._state.skips

    def _flush(self) -> None:
        if self._raw:
            text = decode(bytes(self._raw), self._raw_codec)
            self._raw.clear()
            self._put(text)

    def _put(self, text: str) -> None:
        state = self._state
        if state.mode == "styles":
            self._styles.put(text)
        elif state.mode == "label":
            self._label.append(text)
        elif state.mode != "text" or state.is_deleted:
            return
        elif state.is_hidden:
            self.hidden += len(text.strip())
        else:
            self._characters += len(text)
            check_limit(self._characters, self._limits.max_characters, "characters")
            state.story.text.append(text)


def _is_no_text(name: str, *, starred: bool) -> bool:
    is_unknown = starred and name not in STARRED
    return is_unknown or name in SKIPPED or MATH_PROPERTIES.fullmatch(name) is not None
