"""Kinds of text and lists in our JSON, described for OpenAPI.

Core does not import pydantic: pydantic asks these annotations for their schema, a plain dict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from spanproof.core.digest import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DIGEST_PATTERN = "^sha256:[0-9a-f]{64}$"


class OneOf:
    """One of these words: those of an enum, or those listed."""

    def __init__(self, *words: str, of: Iterable[str] = ()) -> None:
        self._words = [*words, *map(str, of)]

    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> dict[str, Any]:
        return {"type": "literal", "expected": self._words}


@dataclass(frozen=True, slots=True)
class Length:
    """A list of this length."""

    count: int

    def __get_pydantic_core_schema__(
        self, source: object, handler: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any]:
        return handler(source) | {"min_length": self.count, "max_length": self.count}


class _DigestForm:
    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> dict[str, Any]:
        return {"type": "str", "pattern": DIGEST_PATTERN}

    def __get_pydantic_json_schema__(
        self, schema: object, handler: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any]:
        return handler(schema) | {"examples": [PREFIX + "0" * 64]}


DigestText = Annotated[str, _DigestForm()]
