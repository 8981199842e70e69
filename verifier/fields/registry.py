"""The caller's registry: which prefix means which section, and what a field of a name is."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from spanproof.verifier.fields.types import FieldType
from spanproof.verifier.fields.words import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.json_reader.object_reader import ObjectReader

TYPES: tuple[FieldType, ...] = get_args(FieldType)
#: Below this share of its fields filled in, a section is hidden from prompt and verifier.
MIN_COMPLETENESS = 0.5


def _empty() -> Mapping[str, Any]:
    return MappingProxyType({})


_FIELDS = frozenset({"prefixes", "types", "labels", "common_words", "policy"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPolicy:
    """The limits of a policy: the least completeness, and a threshold for each type.

    A match below the threshold of its type is listed apart, not attributed.
    """

    min_completeness: float = MIN_COMPLETENESS
    thresholds: Mapping[str, float] = field(default_factory=_empty)

    def threshold(self, type_name: str) -> float:
        """The least confidence of a match of this type; 0 by default."""
        return self.thresholds.get(type_name, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRegistry:
    """``prefixes`` by their folded form; ``types`` and ``labels`` by a field's leaf name.

    Without prefixes every section is its own.
    """

    prefixes: Mapping[str, str] = field(default_factory=_empty)
    types: Mapping[str, FieldType] = field(default_factory=_empty)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=_empty)
    common_words: frozenset[str] = frozenset()
    policy: FieldPolicy = field(default_factory=FieldPolicy)

    def find_section(self, prefix: str, sections: Mapping[str, Any]) -> str | None:
        """The section that a prefix means, letter case apart; None for an unknown prefix."""
        wanted = prefix.casefold()
        if self.prefixes:
            return self.prefixes.get(wanted)
        if prefix in sections:
            return prefix
        found = [name for name in sections if name.casefold() == wanted]
        return found[0] if len(found) == 1 else None

    def type_of(self, leaf: str, value: Any) -> FieldType:  # noqa: ANN401 - any JSON value
        """The caller's type of the name, else list, else plain value."""
        return self.types.get(leaf) or ("list" if isinstance(value, list) else "plain_value")


def read_registry(reader: ObjectReader) -> FieldRegistry:
    """A registry as JSON has it; problems go to the reader."""
    for name in sorted(set(reader.fields) - _FIELDS):
        reader.report(name, f"one of {', '.join(sorted(_FIELDS))}", name)
    prefixes: dict[str, str] = {}
    for prefix, section in (reader.optional("prefixes", dict) or {}).items():
        if not isinstance(section, str) or not prefix:
            reader.report(f"prefixes/{prefix}", "the name of a section", section)
        elif prefix.casefold() in prefixes:
            reader.report(f"prefixes/{prefix}", "prefixes that differ in more than case", prefix)
        else:
            prefixes[prefix.casefold()] = section
    types = reader.optional("types", dict) or {}
    for leaf, type_name in types.items():
        if type_name not in TYPES:
            reader.report(f"types/{leaf}", f"one of {', '.join(TYPES)}", type_name)
    return FieldRegistry(
        prefixes=prefixes,
        types=types,
        labels=_read_labels(reader),
        common_words=_read_words(reader),
        policy=_read_policy(reader),
    )


def _read_labels(reader: ObjectReader) -> dict[str, tuple[str, ...]]:
    labels: dict[str, tuple[str, ...]] = {}
    for leaf, given in (reader.optional("labels", dict) or {}).items():
        names = [given] if isinstance(given, str) else given
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            labels[leaf] = tuple(names)
        else:
            reader.report(f"labels/{leaf}", "a label or an array of labels", given)
    return labels


def _read_words(reader: ObjectReader) -> frozenset[str]:
    words = reader.optional("common_words", list) or []
    for place, word in enumerate(words):
        if not isinstance(word, str):
            reader.report(f"common_words/{place}", "a string", word)
    return frozenset(fold(word) for word in words if isinstance(word, str))


def _read_policy(reader: ObjectReader) -> FieldPolicy:
    from spanproof.core.json_reader.object_reader import ObjectReader as Reader
    from spanproof.core.json_reader.object_reader import to_number

    inner = Reader(
        reader.optional("policy", dict) or {}, f"{reader.pointer}/policy", reader.problems
    )
    for name in sorted(set(inner.fields) - {"min_completeness", "thresholds"}):
        inner.report(name, "min_completeness or thresholds", name)
    least = inner.optional("min_completeness", float)
    if least is not None and not 0 <= least <= 1:
        inner.report("min_completeness", "a share from 0 to 1", least)
    thresholds: dict[str, float] = {}
    for type_name, given in (inner.optional("thresholds", dict) or {}).items():
        number = to_number(given)
        if type_name not in TYPES or number is None or not 0 <= number <= 1:
            expected = f"a confidence from 0 to 1 of one of {', '.join(TYPES)}"
            inner.report(f"thresholds/{type_name}", expected, given)
        else:
            thresholds[type_name] = number
    return FieldPolicy(
        min_completeness=MIN_COMPLETENESS if least is None else least, thresholds=thresholds
    )
