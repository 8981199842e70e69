"""Shared by the importers of providers: checked objects, documents by name, lost parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from spanproof.core.citation import Quote
from spanproof.core.json_reader.object_reader import ObjectReader
from spanproof.verifier.formats.envelope import malformed
from spanproof.verifier.formats.native_parts import describe_problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.span import Span
    from spanproof.verifier.formats.draft import Draft
    from spanproof.verifier.formats.envelope import SuppliedDocument

_HINT = "Send the payload as the provider gave it, under that provider's name."


def open_object(value: object, pointer: str) -> ObjectReader:
    """A reader of one object of the payload; raise MalformedAnswerError for anything else."""
    reader = ObjectReader(value, pointer, [])
    check(reader)
    return reader


def open_field(reader: ObjectReader, name: str) -> ObjectReader:
    """A reader of an object that the object must have."""
    return open_object(reader.fields.get(name), f"{reader.pointer}/{name}")


def check(reader: ObjectReader) -> None:
    """Raise MalformedAnswerError with everything that the reader found wrong."""
    if reader.problems:
        raise describe_problems(reader.problems, hint=_HINT)


def raise_malformed(pointer: str, expected: str, got: object) -> NoReturn:
    """Raise MalformedAnswerError for one place of the payload."""
    raise malformed(pointer, expected, got)


def read_string(reader: ObjectReader, name: str) -> str:
    """A string that the object must have; the empty one is one."""
    value = reader.required(name, str, "")
    check(reader)
    return value


def read_word(reader: ObjectReader, name: str) -> str | None:
    """A string that the object may have; anything else that is there is refused."""
    value = reader.optional(name, str)
    check(reader)
    return value


def read_items(reader: ObjectReader, name: str) -> Iterator[tuple[str, Any]]:
    """The pointer and value of every member of an array; none if it is missing or null."""
    items = reader.optional(name, list)
    check(reader)
    for position, item in enumerate(items or []):
        yield f"{reader.pointer}/{name}/{position}", item


def read_offsets(reader: ObjectReader, first: str, last: str) -> tuple[int, int]:
    """Two offsets in order, from 0; raise MalformedAnswerError otherwise."""
    start, end = reader.required(first, int, 0), reader.required(last, int, 0)
    if start < 0:
        reader.report(first, "an offset from 0", start)
    elif not reader.problems and end < start:
        reader.report(last, f"an offset not before {first}", end)
    check(reader)
    return start, end


def quote_of(text: str | None, offsets: tuple[int, int] | None = None) -> Quote | None:
    """A provider's quote, with offsets of a unit that it does not document; None without one."""
    if text is None:
        return None
    start, end = (None, None) if offsets is None else offsets
    return Quote(text=text, start=start, end=end, unit=None)


def find_cited(
    draft: Draft,
    pointer: str,
    *,
    index: int | None = None,
    uri: str | None = None,
    file_id: str | None = None,
) -> SuppliedDocument | None:
    """The supplied document that a citation names; a remark if it is missing, or two disagree.

    If index, URI and id lead to different documents, none of them is taken.
    """
    names = {"index": index, "uri": uri, "file_id": file_id}
    given = {name: value for name, value in names.items() if value is not None}
    find = draft.envelope.find_document
    each = [find(**{name: value}) for name, value in given.items()]  # type: ignore[arg-type]
    found = [document for document in each if document is not None]
    shown = ", ".join(f"{name} {value!r}" for name, value in given.items()) or "nothing"
    if len({document.reference for document in found}) > 1:
        detail = f"These names lead to different documents: {shown}."
        draft.remark(pointer, "DOCUMENT_CONFLICT", detail)
        return None
    if not found:
        detail = f"Cited by {shown}; no one member of 'documents' has it."
        draft.remark(pointer, "DOCUMENT_NOT_LISTED", detail)
        return None
    return found[0]


def cite_segment(  # noqa: PLR0913 - what a citation of a stretch has
    draft: Draft,
    pointer: str,
    segment: Span | None,
    *,
    named: str,
    document: SuppliedDocument | None,
    quote: Quote | None,
    **details: Any,  # noqa: ANN401 - further arguments of Draft.cite
) -> None:
    """Add a citation of a stretch of the answer; without a stretch it is listed as unmapped.

    It then stands among the citations without a claim, and the answer cannot pass.
    """
    has_words = segment is not None and draft.prose[segment.start : segment.end].strip()
    if not has_words:
        draft.skip(pointer, "No words of the answer belong to this citation: it is not judged.")
    draft.cite(
        document=document,
        named=named,
        quote=quote,
        segment=segment if has_words else None,
        **details,
    )


def skip_null(draft: Draft, pointer: str, value: object) -> bool:
    """Whether a member of a list of citations is null; it is then listed as unmapped."""
    if value is None:
        draft.skip(pointer, "There is a null in place of a citation.")
    return value is None


def skip_content(draft: Draft, pointer: str, kind: object) -> None:
    """List a part of the payload of a kind that this importer does not know."""
    draft.skip(pointer, f"Nothing is read from {kind!r}.", code="CONTENT_SKIPPED")


def note_cut_stream(draft: Draft, last_event: str) -> None:
    """Say that the stream stopped early: what followed is lost, and the answer cannot pass."""
    detail = f"The stream ends without {last_event}: what followed is lost, citations included."
    draft.skip("/response", detail)


def note_cut_answer(draft: Draft, pointer: str, reason: object) -> None:
    """Say that the provider ended the answer early."""
    draft.remark(pointer, "ANSWER_TRUNCATED", f"The provider ended the answer: {reason!r}.")
