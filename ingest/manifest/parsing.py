"""JSON objects from outside → a manifest's header and rows, each field held against its shape."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, NoReturn

from spanproof.core.digest import Digest
from spanproof.core.documents.text_block import Place
from spanproof.core.errors import MalformedDigestError, MalformedManifestError
from spanproof.core.span import Span
from spanproof.ingest.manifest.rows import FORMAT, VERSION, ManifestHeader, ManifestRow

_LONGEST_NAME = 1_000
# What JSON carries exactly everywhere (RFC 8785, 3.2.2.3).
_MOST = 2**53 - 1
#: Levels that whoever writes a header again may stand deeper than whoever reads it.
_SPARE_LEVELS = 100


def is_header(fields: dict[str, Any]) -> bool:
    """Whether a first line is the header: no row has this field."""
    return "format" in fields


def parse_header(fields: Any) -> ManifestHeader:  # noqa: ANN401 - any JSON value
    """The header; raise MalformedManifestError where it is none of this version."""
    reader = _Reader(fields if isinstance(fields, dict) else {}, "the header")
    if reader.fields.get("format") != FORMAT or reader.fields.get("version") != VERSION:
        got = {name: reader.fields.get(name) for name in ("format", "version")}
        reader.refuse("format", f"{FORMAT!r}, version {VERSION}", got)
    moment = reader.word("created_at")
    try:
        created_at = datetime.fromisoformat(moment)
        created_at = (
            created_at if created_at.tzinfo else created_at.replace(tzinfo=UTC)
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        reader.refuse("created_at", "an RFC 3339 moment", moment)
    pipelines = reader.fields.get("extraction_pipelines")
    if not isinstance(pipelines, list) or not all(_is_word(name) for name in pipelines):
        reader.refuse("extraction_pipelines", "a list of names", pipelines)
    chunker = reader.fields.get("chunker")
    if chunker is not None and not isinstance(chunker, dict):
        reader.refuse("chunker", "an object", chunker)
    if not _can_be_written(chunker):
        reader.refuse("chunker", "an object of finite numbers, not nested too deep", "another")
    return ManifestHeader(
        created_at=created_at,
        extraction_pipelines=tuple(pipelines),
        chunker=chunker,
        name=reader.word_or_none("name"),
        embedding_model=reader.word_or_none("embedding_model"),
        retrieval_method=reader.word_or_none("retrieval_method"),
        rows=reader.number("rows", least=0),
        rows_sha256=reader.digest("rows_sha256"),
    )


def parse_row(fields: dict[str, Any], where: str) -> ManifestRow:
    """A row; ``where`` (line 7) stands in the MalformedManifestError of one that is none."""
    reader = _Reader(fields, where)
    start, end = (reader.number_or_none(name, least=0) for name in ("char_start", "char_end"))
    if (start is None) != (end is None) or (start or 0) > (end or 0):
        reader.refuse("char_end", "char_start <= char_end, or neither", [start, end])
    spans = reader.spans()
    if spans and (spans[0].start, spans[-1].end) != (start, end):
        reader.refuse("spans", f"spans from {start} to {end}", fields.get("spans"))
    return ManifestRow(
        chunk_id=reader.word("chunk_id"),
        doc_id=reader.word("doc_id"),
        doc_hash=reader.digest("doc_hash"),
        char_start=start,
        char_end=end,
        text_sha256=reader.digest("text_sha256"),
        extraction_pipeline=reader.word("extraction_pipeline"),
        extraction_id=reader.digest_or_none("extraction_id"),
        spans=spans,
        spans_sha256=reader.digest_or_none("spans_sha256"),
        page_start=reader.number_or_none("page_start", least=1),
        page_end=reader.number_or_none("page_end", least=1),
        place=reader.place(),
        text=reader.text("text"),
    )


class _Reader:
    """Takes the fields of one object and tells where one of them is not as it should be."""

    def __init__(self, fields: dict[str, Any], where: str) -> None:
        self.fields = fields
        self._where = where

    def refuse(self, name: str, expected: str, got: object) -> NoReturn:
        shown = repr(got)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        msg = f"Expected {expected} as {name} at {self._where}, got {shown}."
        raise MalformedManifestError(
            msg, hint="Compare the manifest with docs/reference/chunks.md."
        )

    def word(self, name: str) -> str:
        value = self.fields.get(name)
        if not _is_word(value):
            self.refuse(name, f"1 to {_LONGEST_NAME} printable characters", value)
        return str(value)

    def word_or_none(self, name: str) -> str | None:
        return None if self.fields.get(name) is None else self.word(name)

    def digest(self, name: str) -> Digest:
        value = self.fields.get(name)
        try:
            return Digest.parse(value if isinstance(value, str) else "")
        except MalformedDigestError:
            self.refuse(name, "'sha256:' and 64 lower-case hexadecimal digits", value)

    def digest_or_none(self, name: str) -> Digest | None:
        return None if self.fields.get(name) is None else self.digest(name)

    def number(self, name: str, *, least: int) -> int:
        value = self.fields.get(name)
        if not isinstance(value, int) or not _is_number(value) or value < least:
            self.refuse(name, f"a whole number from {least}", value)
        return value

    def number_or_none(self, name: str, *, least: int) -> int | None:
        return None if self.fields.get(name) is None else self.number(name, least=least)

    def spans(self) -> tuple[Span, ...]:
        value = self.fields.get("spans")
        if value is None:
            return ()
        edges: list[int] = []
        for pair in value if isinstance(value, list) else [None]:
            if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_number, pair)):
                self.refuse("spans", "pairs of offsets", value)
            edges += pair
        if not edges or edges != sorted(edges) or edges[0] < 0:
            self.refuse("spans", "spans in order", value)
        return tuple(Span(*edges[i : i + 2]) for i in range(0, len(edges), 2))

    def place(self) -> Place | None:
        value = self.fields.get("place")
        if value is None:
            return None
        known = value if isinstance(value, dict) else {"": None}
        inner = _Reader(known, f"place of {self._where}")
        if set(known) - {"part", "slide", "sheet", "cell", "paragraph"}:
            self.refuse("place", "part, slide, sheet, cell, paragraph", value)
        return Place(
            part=inner.text("part"),
            slide=inner.number_or_none("slide", least=1),
            sheet=inner.text("sheet"),
            cell=inner.text("cell"),
            paragraph=inner.number_or_none("paragraph", least=1),
        )

    def text(self, name: str) -> str | None:
        value = self.fields.get(name)
        if value is not None and not (isinstance(value, str) and _is_encodable(value)):
            self.refuse(name, "a text", value)
        return value


def _is_word(value: object) -> bool:
    return (
        isinstance(value, str)
        and 0 < len(value) <= _LONGEST_NAME
        and _is_encodable(value)
        and not any(ord(character) < 0x20 for character in value)
    )


def _is_encodable(text: str) -> bool:
    # A lone surrogate is JSON and no text.
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _can_be_written(value: object) -> bool:
    # Python reads NaN and 1e999, which no JSON has: kept, they could never be shown again.
    for _ in range(_SPARE_LEVELS):
        value = [value]
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True


def _is_number(value: object) -> bool:
    return type(value) is int and abs(value) <= _MOST
