"""The parts of a native answer, each read from its JSON: citations, retrieved texts, labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from spanproof.core.canonical_json import MOST_INTEGER
from spanproof.core.citation import (
    Citation,
    ClaimedCell,
    ClaimedLocator,
    Generator,
    Quote,
    Retrieval,
)
from spanproof.core.digest import PREFIX, Digest
from spanproof.core.documents.cell_address import read_address
from spanproof.core.errors import FieldProblem, MalformedAnswerError
from spanproof.core.geometry import Rect
from spanproof.core.json_reader.object_reader import (
    MOST_PROBLEMS,
    ObjectReader,
    open_each,
    to_number,
)
from spanproof.core.moment import parse_moment
from spanproof.core.span import OFFSET_UNITS, OffsetUnit, Span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


def describe_problems(
    problems: list[FieldProblem],
    *,
    hint: str = "Compare the answer with the native format of the documentation.",
) -> MalformedAnswerError:
    """One error that shows the first problem, and carries the first ``MOST_PROBLEMS``."""
    first = problems[0]
    more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    if len(problems) >= MOST_PROBLEMS:
        # The members behind these were not read.
        more = f" ({MOST_PROBLEMS - 1} or more others)"
    place = first.pointer or "the root"
    msg = f"Expected {first.expected} at {place}, got {first.got}{more}."
    return MalformedAnswerError(msg, hint=hint, problems=tuple(problems[:MOST_PROBLEMS]))


def read_citation(reader: ObjectReader) -> Citation | None:
    """One citation; None, and a problem reported, where it is not well formed."""
    before = len(reader.problems)
    anchor = reader.required("anchor", int, 0)
    if not 0 <= anchor <= MOST_INTEGER:
        reader.report("anchor", "an integer from 0 to 2**53 - 1", anchor)
    span = ObjectReader(
        reader.required("span", dict, {"text": ""}), f"{reader.pointer}/span", reader.problems
    )
    quote = _read_quote(span)
    doc_id, doc_hash = reader.optional("doc_id", str), read_digest(reader, "doc_hash")
    if reader.fields.get("doc_hash") is None and not doc_id:
        reader.report("doc_hash", "doc_hash or doc_id", None)
    citation: dict[str, Any] = {
        "extraction_id": read_digest(reader, "extraction_id"),
        "locator": _read_locator(reader),
        "cell": _read_cell(reader),
        "retrieval_score": reader.optional("retrieval_score", float),
    } | {
        name: reader.optional(name, str)
        for name in (
            "extraction_pipeline",
            "chunk_id",
            "doc_title",
            "doc_url",
            "retrieval_method",
            "embedding_model",
            "index_version",
            "source_tier",
        )
    }
    if quote is None or len(reader.problems) > before:
        return None
    return Citation(anchor=anchor, quote=quote, doc_hash=doc_hash, doc_id=doc_id, **citation)


def _read_quote(reader: ObjectReader) -> Quote | None:
    before = len(reader.problems)
    text = reader.fields.get("text")
    if not isinstance(text, str):
        reader.report("text", "a string", text)
    unit = reader.optional("unit", str) or "codepoint"
    if unit not in OFFSET_UNITS:
        reader.report("unit", f"one of {', '.join(OFFSET_UNITS)}", unit)
    start, end = reader.optional("char_start", int), reader.optional("char_end", int)
    if len(reader.problems) > before:
        return None
    quote: Quote | None = reader.built(
        "char_start",
        lambda bounds: Quote(
            text=str(text), start=bounds[0], end=bounds[1], unit=cast("OffsetUnit", unit)
        ),
        (start, end),
    )
    return quote


def _read_locator(reader: ObjectReader) -> ClaimedLocator | None:
    raw = reader.optional("pdf_locator", dict)
    if raw is None:
        return None
    fields = ObjectReader(raw, f"{reader.pointer}/pdf_locator", reader.problems)
    page = fields.required("page", int, 1)
    if page < 1:
        fields.report("page", "a 1-based page number", page)
        return None
    box = fields.optional("bbox", list)
    if box is None:
        return ClaimedLocator(page=page, bbox=None)
    numbers = [number for n in box if (number := to_number(n)) is not None]
    if len(numbers) != 4 or len(box) != 4:
        fields.report("bbox", "four numbers [x0, y0, x1, y1]", box)
        return None
    return ClaimedLocator(page=page, bbox=fields.built("bbox", lambda n: Rect(*n), numbers))


def _read_cell(reader: ObjectReader) -> ClaimedCell | None:
    raw = reader.optional("cell", dict)
    if raw is None:
        return None
    fields = ObjectReader(raw, f"{reader.pointer}/cell", reader.problems)
    sheet, table = fields.optional("sheet", str), fields.optional("table", int)
    address = fields.optional("address", str)
    if address is None:
        place = fields.required("row", int, 1), fields.required("column", int, 1)
    else:
        named = read_address(address)
        if named is None:
            fields.report("address", "the address of a cell, such as B4", address)
        place = named or (1, 1)
    cell: ClaimedCell | None = fields.built(
        "row",
        lambda at: ClaimedCell(row=at[0], column=at[1], table=table, sheet=sheet),
        place,
    )
    return cell


def read_retrieved(entries: Sequence[object]) -> tuple[Retrieval, ...]:
    """Retrieved entries by themselves; raise MalformedAnswerError with every problem found."""
    problems: list[FieldProblem] = []
    found = [read_retrieval(each) for each in open_each(entries, "/retrieved", problems)]
    if problems:
        raise describe_problems(problems)
    return tuple(chunk for chunk in found if chunk is not None)


def read_retrieval(reader: ObjectReader) -> Retrieval | None:
    """One retrieved text; None, and a problem reported, where it is not well formed."""
    before = len(reader.problems)
    start, end = reader.optional("char_start", int), reader.optional("char_end", int)
    span = None
    if start is not None and end is not None:
        span = reader.built("char_start", lambda bounds: Span(*bounds), (start, end))
    if reader.fields.get("chunk_id") is None and reader.fields.get("text"):
        # A text names itself; without one there must be a name.
        chunk_id = reader.pointer.removeprefix("/")
    else:
        chunk_id = reader.required("chunk_id", str, "")
    doc_hash = read_digest(reader, "doc_hash")
    page = reader.optional("page", int)
    if page is not None and page < 1:
        reader.report("page", "a 1-based page number", page)
    retrieval = Retrieval(
        chunk_id=chunk_id,
        doc_id=reader.optional("doc_id", str),
        doc_hash=doc_hash,
        text=reader.optional("text", str),
        span=span,
        score=reader.optional("score", float),
        rank=reader.optional("rank", int),
        source_tier=reader.optional("source_tier", str),
        page=page,
    )
    return retrieval if len(reader.problems) == before else None


def read_generator(raw: dict[str, Any], problems: list[FieldProblem]) -> Generator:
    """What made the answer, in its own words."""
    reader = ObjectReader(raw, "/generator", problems)
    return Generator(
        model=reader.optional("model", str),
        prompt_id=reader.optional("prompt_id", str),
        prompt_sha256=reader.optional("prompt_sha256", str),
    )


def read_moment(reader: ObjectReader, name: str) -> datetime | None:
    """A moment with its offset from UTC; None where there is none, or it is not one."""
    text = reader.optional(name, str)
    if text is None:
        return None
    try:
        return parse_moment(text)
    except ValueError:
        reader.report(name, "an RFC 3339 date and time", text)
        return None


def read_labels(reader: ObjectReader) -> tuple[tuple[str, str], ...]:
    """The labels by their names; what is not a text is reported."""
    labels = reader.optional("labels", dict) or {}
    for key, value in labels.items():
        if not isinstance(value, str):
            reader.report(f"labels/{key}", "a string", value)
    return tuple(sorted((str(key), str(value)) for key, value in labels.items()))


def read_documents(reader: ObjectReader) -> tuple[str, ...]:
    """The documents that the caller searched, by digest or name."""
    documents = reader.optional("documents", list) or []
    for index, item in enumerate(documents):
        if not isinstance(item, str):
            reader.report(f"documents/{index}", "a doc_hash or doc_id", item)
        elif item.startswith(PREFIX):
            reader.built(f"documents/{index}", Digest.parse, item)
    return tuple(item for item in documents if isinstance(item, str))


def read_digest(reader: ObjectReader, name: str) -> Digest | None:
    """The whole digest in a field; another text is a problem of the field."""
    text = reader.optional(name, str)
    digest: Digest | None = None if text is None else reader.built(name, Digest.parse, text)
    return digest
