"""A value at a place of a JSON document, and the strict ways to read it.

A reader names every field of its format. It refuses a missing and an unknown field, and each value
has one written form only, so that the same bytes can be written again.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn

from spanproof.core.json_reader.base64_text import decode_base64
from spanproof.core.log.merkle import MAX_SIZE
from spanproof.core.shown import show_ascii

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.errors import InputError

_INT64 = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?Z", re.ASCII
)


class Field:
    """A value at its place, and how to refuse it.

    A receipt has fifty of them: what only a refusal needs is worked out there.
    """

    __slots__ = ("_name", "_parent", "error", "hint", "value")

    def __init__(
        self,
        value: Any,  # noqa: ANN401 - any JSON value
        error: type[InputError],
        hint: str,
        parent: Field | None = None,
        name: str | int = "",
    ) -> None:
        """``parent`` has the value as its field, or item, ``name``; None: it is the document."""
        self.value = value
        self.error = error
        self.hint = hint
        self._parent = parent
        self._name = name

    @property
    def pointer(self) -> str:
        """The JSON pointer (RFC 6901); "" is the document."""
        if self._parent is None:
            return ""
        escaped = str(self._name).replace("~", "~0").replace("/", "~1")
        return f"{self._parent.pointer}/{escaped}"

    def refuse(self, expected: str) -> NoReturn:
        """Raise the error of this document: the expected and the actual value."""
        msg = f"Expected {expected} at {self.pointer or '/'!r}, got {show_ascii(self.value)}."
        raise self.error(msg, hint=self.hint)

    def fields(self, *names: str, optional: Iterable[str] = ()) -> dict[str, Field]:
        """The fields of an object that has exactly these; an optional one may be left out."""
        if type(self.value) is not dict:
            self.refuse("an object")
        for name in names:
            if name not in self.value:
                self.refuse(f"a field {name!r}")
        if len(self.value) > len(names):
            known = {*names, *optional}
            for name in self.value:
                if name not in known:
                    self.at(name).refuse("no such field")
        error, hint = self.error, self.hint
        return {name: Field(each, error, hint, self, name) for name, each in self.value.items()}

    def at(self, name: str) -> Field:
        """One field of an object that has it."""
        return Field(self.value[name], self.error, self.hint, self, name)

    def items(self, *, least: int = 0, most: int) -> list[Field]:
        """The items of an array that has so many."""
        if type(self.value) is not list or not least <= len(self.value) <= most:
            count = str(least) if least == most else f"{least} to {most}"
            self.refuse(f"an array of {count}")
        error, hint = self.error, self.hint
        return [Field(item, error, hint, self, index) for index, item in enumerate(self.value)]

    def text(self, *, most: int = 1024, least: int = 1) -> str:
        """A string of so many characters."""
        value = self.value
        if type(value) is not str or not least <= len(value) <= most:
            self.refuse(f"a text of {least} to {most} characters")
        return value

    def literal(self, *expected: str) -> str:
        """One of these strings."""
        if type(self.value) is not str or self.value not in expected:
            self.refuse(" or ".join(repr(each) for each in expected))
        return self.value

    def integer(self, *, least: int = 0, most: int) -> int:
        """A JSON integer in these bounds, both included."""
        value = self.value
        if type(value) is not int or not least <= value <= most:
            self.refuse(f"an integer from {least} to {most}")
        return value

    def int64(self) -> int:
        """A number in [0, 2**63) as a decimal string, as protobuf's JSON writes 64 bits."""
        value = self.value
        if type(value) is not str or not _INT64.fullmatch(value) or int(value) > MAX_SIZE:
            self.refuse("a string that holds an integer in [0, 2**63)")
        return int(value)

    def base64(self, *, size: int | None = None, least: int = 1, most: int = 1 << 24) -> bytes:
        """Bytes in base64 (RFC 4648, section 4), padded and canonical; ``size`` asks so many."""
        least, most = (least, most) if size is None else (size, size)
        content = decode_base64(self.text(most=(most + 2) // 3 * 4, least=0))
        if content is None:
            self.refuse("canonical base64")
        if not least <= len(content) <= most:
            self.refuse(f"{least} to {most} bytes" if size is None else f"{size} bytes")
        return content

    def moment(self) -> datetime:
        """A moment of RFC 3339 in UTC, to the second or the millisecond."""
        value = self.value
        if type(value) is not str or not _MOMENT.fullmatch(value):
            self.refuse("a moment 'YYYY-MM-DDTHH:MM:SSZ'")
        try:
            return datetime.fromisoformat(value).astimezone(UTC)
        except ValueError:
            self.refuse("a moment that a calendar has")
