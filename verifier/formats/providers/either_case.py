"""Readers of Google's and other payloads: two spellings, integers as strings, left-out zeros."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from spanproof.core.json_reader.object_reader import ObjectReader
from spanproof.verifier.formats.providers.payload import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanproof.verifier.formats.draft import Draft
    from spanproof.verifier.formats.envelope import Envelope

T = TypeVar("T")
_HUMP = re.compile("(?<=[a-z0-9])([A-Z])")
#: An int64 is a string in JSON (the protobuf mapping), of at most 18 digits here.
_INTEGER = re.compile(r"-?[0-9]{1,18}")


class EitherCaseReader(ObjectReader):
    """One object whose names are camelCase (REST) or snake_case (the SDKs): asked for as camelCase.

    Problems carry the pointer as the payload spells it.
    """

    def spell(self, name: str) -> str:
        """The name as this object writes it."""
        snake = _HUMP.sub(r"_\1", name).lower()
        if snake != name and snake in self.fields:
            if name in self.fields:
                self.report(snake, f"{name} or {snake}, not both", self.fields[snake])
            return snake
        return name

    def optional(self, name: str, kind: type[T]) -> T | None:
        """The field in either spelling; None if it is missing or null."""
        return super().optional(self.spell(name), kind)

    def required(self, name: str, kind: type[T], default: T) -> T:
        """The field in either spelling; a problem if it is missing."""
        return super().required(self.spell(name), kind, default)

    def text(self, name: str) -> str | None:
        """A string; None if it is missing or empty, because an empty one is the default."""
        value = self.optional(name, str)
        check(self)
        return value or None

    def integer(self, name: str) -> int | None:
        """An integer, also one written as a string; None if it is missing."""
        spelled = self.spell(name)
        value = self.fields.get(spelled)
        if isinstance(value, str) and _INTEGER.fullmatch(value):
            return int(value)
        found = super().optional(spelled, int)
        check(self)
        return found

    def offsets(self, first: str, last: str) -> tuple[int, int]:
        """Two offsets in order; a zero may be left out."""
        start, end = self.integer(first) or 0, self.integer(last) or 0
        if start < 0:
            self.report(self.spell(first), "an offset from 0", start)
        elif end < start:
            self.report(self.spell(last), f"an offset not before {first}", end)
        check(self)
        return start, end

    def has(self, *names: str) -> bool:
        """Whether one of the fields is there and is not null."""
        return any(self.fields.get(self.spell(name)) is not None for name in names)

    def open(self, name: str) -> EitherCaseReader | None:
        """The object in a field; None if it is missing."""
        value = self.optional(name, dict)
        check(self)
        return None if value is None else open_either_case(value, self.at(name))

    def open_each(self, name: str) -> Iterator[EitherCaseReader]:
        """The objects of an array; none if it is missing."""
        for pointer, value in self.items(name):
            yield open_either_case(value, pointer)

    def items(self, name: str) -> Iterator[tuple[str, Any]]:
        """The pointer and value of every member of an array; none if it is missing."""
        values = self.optional(name, list)
        check(self)
        for position, value in enumerate(values or []):
            yield f"{self.at(name)}/{position}", value

    def at(self, name: str) -> str:
        """The pointer of a field."""
        return f"{self.pointer}/{self.spell(name)}"


def open_either_case(value: object, pointer: str) -> EitherCaseReader:
    """A reader of one object; raise MalformedAnswerError for anything else."""
    reader = EitherCaseReader(value, pointer, [])
    check(reader)
    return reader


def open_request_and_response(envelope: Envelope) -> tuple[EitherCaseReader, EitherCaseReader]:
    """Request and response of a service whose response lacks the text that it judges.

    They stand under ``request`` and ``response``; a payload with neither is both at once.
    """
    whole = open_either_case(envelope.response, "/response")
    if whole.fields.get("request") is None and whole.fields.get("response") is None:
        return whole, whole
    return (
        open_either_case(whole.fields.get("request"), "/response/request"),
        open_either_case(whole.fields.get("response"), "/response/response"),
    )


def choose_id(envelope: Envelope, names: Sequence[str | None]) -> str | None:
    """Of a document's several ids the first that a supplied document has, else the first."""
    given = [name for name in names if name]
    listed = [name for name in given if envelope.find_document(file_id=name) is not None]
    return next(iter([*listed, *given]), None)


def note_page(draft: Draft, pointer: str, page: object) -> None:
    """Keep a page whose first number is not documented: it may be its neighbour's number."""
    if page is not None:
        detail = f"Page {page!r}: whether it counts from 0 or 1 is not documented."
        draft.remark(pointer, "PAGES_UNDOCUMENTED", detail)


def note_scores(draft: Draft, pointer: str, scores: object) -> None:
    """Keep the provider's own confidence in its support, apart from retrieval's and ours."""
    draft.remark(pointer, "PROVIDER_CONFIDENCE", f"The provider's own confidence: {scores}.")
