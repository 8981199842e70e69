"""JSON objects from outside → a manifest's header and rows, with each field checked."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.core.documents.text_block import Place
from spanproof.core.errors import MalformedManifestError
from spanproof.core.json_reader import schema
from spanproof.core.json_reader.schema import Mismatch, nullable
from spanproof.core.moment import parse_moment
from spanproof.core.shown import show_value
from spanproof.core.span import Span
from spanproof.ingest.manifest.rows import FORMAT, VERSION, ManifestHeader, ManifestRow

if TYPE_CHECKING:
    from datetime import datetime

_LONGEST_NAME = 1_000
# What JSON carries exactly everywhere (RFC 8785, 3.2.2.3).
_MOST = 2**53 - 1
_CONTROL = re.compile("[\x00-\x1f]")


def is_header(fields: dict[str, Any]) -> bool:
    """Whether a first line is the header: no row has this field."""
    return "format" in fields


def parse_header(fields: Any) -> ManifestHeader:  # noqa: ANN401 - any JSON value
    """The header; raise MalformedManifestError for any other value or version."""
    given = fields if isinstance(fields, dict) else {}
    got = {name: given.get(name) for name in ("format", "version")}
    if got != {"format": FORMAT, "version": VERSION}:
        raise _refusal(Mismatch(got, f"{FORMAT!r}, version {VERSION}", "format"), "the header")
    return _read(_HEADER, given, "the header")


def parse_row(fields: dict[str, Any], where: str) -> ManifestRow:
    """A row; a MalformedManifestError names its place, ``where`` (line 7)."""
    return _read(_ROW, fields, where)


def _read(reader: schema.Read[schema.T], fields: Any, where: str) -> schema.T:  # noqa: ANN401
    try:
        return reader(fields)
    except Mismatch as error:
        raise _refusal(error, where) from error


def _refusal(error: Mismatch, where: str) -> MalformedManifestError:
    name = "/".join(str(part) for part in reversed(error.path))
    msg = f"Expected {error.expected} as {name} at {where}, got {show_value(error.got)}."
    return MalformedManifestError(msg, hint="Compare the manifest with docs/reference/chunks.md.")


def _word(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if type(value) is not str or not 0 < len(value) <= _LONGEST_NAME or _CONTROL.search(value):
        raise Mismatch(value, f"1 to {_LONGEST_NAME} printable characters")
    return value


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if type(value) is not str:
        raise Mismatch(value, "a text")
    return value


def _whole(value: Any, least: int = 0) -> int:  # noqa: ANN401 - any JSON value
    if type(value) is not int or not least <= value <= _MOST:
        raise Mismatch(value, f"a whole number from {least}")
    return value


def _moment(value: Any) -> datetime:  # noqa: ANN401 - any JSON value
    try:
        return parse_moment(_word(value))
    except ValueError:
        raise Mismatch(value, "an RFC 3339 moment") from None


def _names(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - any JSON value
    try:
        return schema.array(_word)(value)
    except Mismatch:
        raise Mismatch(value, "a list of names") from None


def _object(value: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    if type(value) is not dict:
        raise Mismatch(value, "an object")
    return value


def _spans(value: Any) -> tuple[Span, ...]:  # noqa: ANN401 - any JSON value
    if value is None:
        return ()
    edges: list[int] = []
    for pair in value if type(value) is list else [None]:
        if type(pair) is not list or len(pair) != 2 or any(type(edge) is not int for edge in pair):
            raise Mismatch(value, "pairs of offsets")
        edges += pair
    if not edges or edges != sorted(edges) or edges[0] < 0 or edges[-1] > _MOST:
        raise Mismatch(value, "spans in order")
    return tuple(Span(*edges[i : i + 2]) for i in range(0, len(edges), 2))


def _make_row(**fields: Any) -> ManifestRow:  # noqa: ANN401 - values as they were read
    start, end, spans = fields["char_start"], fields["char_end"], fields["spans"]
    if (start is None) != (end is None) or (start or 0) > (end or 0):
        raise Mismatch([start, end], "char_start <= char_end, or neither", "char_end")
    if spans and (spans[0].start, spans[-1].end) != (start, end):
        shown = [[span.start, span.end] for span in spans]
        raise Mismatch(shown, f"spans from {start} to {end}", "spans")
    return ManifestRow(**fields)


_digest, _page = nullable(schema.digest), nullable(partial(_whole, least=1))
_PLACE = schema.known(
    Place,
    part=nullable(_text),
    slide=_page,
    sheet=nullable(_text),
    cell=nullable(_text),
    paragraph=_page,
)
_ROW = schema.picked(
    _make_row,
    chunk_id=_word,
    doc_id=_word,
    doc_hash=schema.digest,
    char_start=nullable(_whole),
    char_end=nullable(_whole),
    text_sha256=schema.digest,
    extraction_pipeline=_word,
    extraction_id=_digest,
    spans=_spans,
    spans_sha256=_digest,
    page_start=_page,
    page_end=_page,
    place=nullable(_PLACE),
    text=nullable(_text),
)
_HEADER = schema.picked(
    ManifestHeader,
    created_at=_moment,
    extraction_pipelines=_names,
    chunker=nullable(_object),
    name=nullable(_word),
    embedding_model=nullable(_word),
    retrieval_method=nullable(_word),
    rows=_whole,
    rows_sha256=schema.digest,
)
