"""The structured context of one turn: sections of fields, the visible ones, its snapshot."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spanproof.core.digest import Digest
from spanproof.core.span import Span
from spanproof.verifier.fields.types import Field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanproof.core.json_reader.object_reader import ObjectReader
    from spanproof.verifier.fields.registry import FieldPolicy, FieldRegistry

#: Values of one context; each is searched in the whole answer.
MAX_VALUES = 5_000
#: Groups within groups.
MAX_DEPTH = 32
#: Characters of ``section.field``, which a report repeats for each field.
MAX_PATH = 1_000
_SHORT_PATHS = f"paths of at most {MAX_PATH} characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section: its fields in the context's order, groups before their fields."""

    name: str
    fields: tuple[Field, ...]
    completeness: float | None = None
    is_hidden: bool = False

    def find(self, name: str) -> tuple[Field, ...]:
        """The fields that a marker's name may mean: the path, else the leaf, letter case last."""
        wanted = name.casefold()
        for found in (
            [field for field in self.fields if field.name == name],
            [field for field in self.fields if field.name.casefold() == wanted],
            [field for field in self.fields if field.leaf.casefold() == wanted],
        ):
            if found:
                return tuple(found)
        return ()


@dataclass(frozen=True)
class Context:
    """The sections of one turn, in the registry's order, then in their own."""

    sections: tuple[Section, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Section]:
        """The sections by their names."""
        return {section.name: section for section in self.sections}


@dataclass(frozen=True)
class Snapshot:
    """A context as text: one line a field, ``section.field: value``; its digest names it.

    ``lines`` are the places of fields and groups by their paths, line ends not included. Every
    value is written on one line: line ends and control characters as blanks, lists with commas,
    anything else as JSON has it.
    """

    text: str
    lines: Mapping[str, Span]

    @property
    def digest(self) -> Digest:
        """SHA-256 of the UTF-8 bytes."""
        return Digest.of(self.text.encode())

    def find_line(self, field: Field) -> Span | None:
        """The field's line without its end; for a group, the lines of its fields."""
        return self.lines.get(field.path)


def visible_context(context: Context, policy: FieldPolicy) -> Context:
    """The sections that prompt and verifier may both see: not hidden, and complete enough.

    Write the prompt from the same value that the answer is verified with.
    """
    return Context(
        tuple(
            section
            for section in context.sections
            if not section.is_hidden
            and (section.completeness is None or section.completeness >= policy.min_completeness)
        )
    )


def snapshot_context(context: Context) -> Snapshot:
    """The context as the text that citations of its fields quote."""
    parts: list[str] = []
    lines: dict[str, Span] = {}
    length = 0
    for section in context.sections:
        groups = {field.name for field in section.fields if field.is_group}
        for field in section.fields:
            if field.is_group:
                continue
            line = f"{_to_line(field.path)}: {_to_line(_render(field.value))}".rstrip()
            span = Span(length, length + len(line))
            lines[field.path] = span
            parts.append(line + "\n")
            length += len(line) + 1
            for group in _list_groups(field.name, groups):
                first = lines.get(f"{section.name}.{group}", span)
                lines[f"{section.name}.{group}"] = Span(first.start, span.end)
    return Snapshot("".join(parts), lines)


def _list_groups(name: str, groups: set[str]) -> list[str]:
    """The groups that hold a field."""
    parts = name.split(".")
    heads = (".".join(parts[:count]) for count in range(1, len(parts)))
    return [head for head in heads if head in groups]


def _render(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(_render(item) for item in value)
    return json.dumps(value, ensure_ascii=False)


def _to_line(text: str) -> str:
    # Else a value could bring lines that look like other fields.
    return "".join(
        " " if unicodedata.category(character) in {"Cc", "Zl", "Zp"} else character
        for character in text
    )


def read_context(reader: ObjectReader, registry: FieldRegistry) -> Context:
    """A context as JSON has it; problems go to the reader."""
    from spanproof.core.json_reader.object_reader import ObjectReader as Reader

    sections: list[Section] = []
    for name, value in reader.fields.items():
        if len(name) >= MAX_PATH:
            reader.report("", _SHORT_PATHS, name)
            continue
        inner = Reader(value, f"{reader.pointer}/{name}", reader.problems)
        completeness = inner.optional("completeness", float)
        if completeness is not None and not 0 <= completeness <= 1:
            inner.report("completeness", "a share from 0 to 1", completeness)
        hidden = inner.fields.get("hidden")
        if hidden is not None and not isinstance(hidden, bool):
            inner.report("hidden", "true or false", hidden)
        for unknown in sorted(set(inner.fields) - {"fields", "completeness", "hidden"}):
            inner.report(unknown, "fields, completeness or hidden", inner.fields[unknown])
        fields = inner.required("fields", dict, {})
        sections.append(
            Section(
                name=name,
                fields=tuple(_SectionReader(name, registry, inner).read(fields)),
                completeness=completeness,
                is_hidden=hidden is True,
            )
        )
    values = sum(_count(field) for section in sections for field in section.fields)
    if values > MAX_VALUES:
        reader.report("", f"at most {MAX_VALUES} values", values)
    paths = Counter(field.path for section in sections for field in section.fields)
    twice = next((path for path, count in paths.items() if count > 1), None)
    if twice is not None:
        reader.report("", "fields with a path each ('a.b' and 'b' in 'a' have the same)", twice)
    return Context(_in_order(sections, registry))


def _in_order(sections: Sequence[Section], registry: FieldRegistry) -> tuple[Section, ...]:
    order = {name: place for place, name in enumerate(dict.fromkeys(registry.prefixes.values()))}
    return tuple(sorted(sections, key=lambda section: order.get(section.name, len(order))))


def _count(field: Field) -> int:
    return len(field.value) if isinstance(field.value, list) else 1


@dataclass(frozen=True, slots=True)
class _SectionReader:
    """Reads the fields of one section, groups and lists of objects included."""

    section: str
    registry: FieldRegistry
    reader: ObjectReader

    def read(self, fields: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[Field]:
        """Each field before those inside it."""
        if depth > MAX_DEPTH:
            self._report_depth(prefix)
            return
        for leaf, value in fields.items():
            yield from self._read_one(leaf, value, prefix + leaf, depth)

    def _read_one(self, leaf: str, value: Any, name: str, depth: int) -> Iterator[Field]:  # noqa: ANN401 - any JSON value
        if len(self.section) + len(name) >= MAX_PATH:
            self.reader.report("fields", _SHORT_PATHS, name)
            return
        items = value if isinstance(value, list) else ()
        has_objects = any(isinstance(item, dict | list) for item in items)
        yield Field(
            section=self.section,
            name=name,
            leaf=leaf,
            value=value,
            type=self.registry.type_of(leaf, value),
            is_group=isinstance(value, dict) or has_objects,
        )
        if isinstance(value, dict):
            yield from self.read(value, f"{name}.", depth + 1)
        elif has_objects and depth >= MAX_DEPTH:
            self._report_depth(name)
        elif has_objects:
            # The items of a list of objects are named by their place.
            for place, item in enumerate(items):
                yield from self._read_one(leaf, item, f"{name}.{place}", depth + 1)

    def _report_depth(self, name: str) -> None:
        self.reader.report("fields", f"groups at most {MAX_DEPTH} deep", name)
