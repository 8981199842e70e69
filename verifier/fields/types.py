"""Fields of a context, and the result of matching one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from spanproof.core.span import Span

FieldType = Literal["enum", "numeric", "summary", "list", "plain_value", "suggested_question"]
#: How a value was found. ``marker`` is the model's own word for it and no match.
MatchMethod = Literal[
    "marker",
    "enum",
    "enum_spaced",
    "numeric",
    "percent",
    "summary",
    "list",
    "plain_value",
    "suggested_question",
]
AttributionSource = Literal["citation", "heuristic", "mixed", "none"]

#: A marker is the strongest signal; every match stays below it.
MARKER_CONFIDENCE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One value of the context. ``name`` is its path within the section, ``leaf`` its last part.

    A group has fields inside it: markers may name it, matchers skip it.
    """

    section: str
    name: str
    leaf: str
    value: Any
    type: FieldType
    is_group: bool = False

    @property
    def path(self) -> str:
        """The section and the name."""
        return f"{self.section}.{self.name}"

    @property
    def is_empty(self) -> bool:
        """Whether it has no value that an answer could use."""
        if isinstance(self.value, str):
            return not self.value.strip()
        return self.value is None or self.value in ([], {})


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldMatch:
    """A field's place in the clean text, and its confidence (0 to 1).

    ``items`` are the items of a list that were named, of ``items_total``. ``capped`` tells why the
    confidence is lower than the method's own.
    """

    method: MatchMethod
    confidence: float
    spans: tuple[Span, ...]
    items: tuple[str, ...] = ()
    items_total: int | None = None
    capped: Literal["common_word", "unspaced_script"] | None = None
