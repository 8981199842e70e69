"""Style sheets of a page: the rules that bear on whether text is seen, and whom they apply to.

Selectors of elements, classes, ids, attributes, descendants and children are understood. Classes of
place (``:first-child``) are taken to apply, those of behaviour (``:hover``) are not: a page is read
as it stands. Rules for print and for narrow windows are passed over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: The properties that decide whether text is seen, and what it is seen as.
PROPERTIES = frozenset({
    "display", "visibility", "content-visibility", "opacity", "filter", "font", "font-size",
    "color", "-webkit-text-fill-color", "-webkit-text-security", "background", "background-color",
    "background-image", "clip", "clip-path", "text-indent", "position", "left", "right", "top",
    "bottom", "margin", "margin-left", "margin-top", "transform", "height", "width", "max-height",
    "max-width", "line-height", "overflow", "overflow-x", "overflow-y", "text-decoration",
    "text-decoration-line", "direction", "unicode-bidi", "letter-spacing", "zoom", "scale",
    "content", "fill",
})  # fmt: skip
#: A page with more style than this is not styled but attacked.
_MOST_CHARACTERS, _MOST_RULES, _MOST_ANCESTORS = 2_000_000, 50_000, 200
_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_COMPOUND = re.compile(
    r"(?P<tag>[a-z*][\w-]*)?(?P<rest>(?:[.#](?:[\w-]|\\.)+|\[[^\]]*\]|::?[\w-]+(?:\([^()]*\))?)*)",
    re.IGNORECASE,
)
_SIMPLE = re.compile(r"[.#](?:[\w-]|\\.)+|\[[^\]]*\]|::?[\w-]+(?:\([^()]*\))?")
_ATTRIBUTE = re.compile(r"""\[\s*([\w-]+)\s*(?:([~^$*|]?=)\s*["']?([^"'\]]*)["']?\s*[is]?)?\s*\]""")
_PLACES = re.compile(r":(?:first|last|only|nth)-|:root$|:empty$|:link$|:any-link$", re.IGNORECASE)
_GENERATED = re.compile(r"::?(?:before|after)$", re.IGNORECASE)
_NAMED = re.compile(r"(--[\w-]+)\s*:\s*([^;{}]+)")
_VALUE = re.compile(r"var\(\s*(?P<name>--[\w-]+)\s*(?:,(?P<default>[^()]*(?:\([^()]*\))?))?\)")
_PASSED_OVER = re.compile(r"print|max-|prefers|speech|not ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Node:
    """An element as selectors see it."""

    tag: str
    attributes: Mapping[str, str]
    parent: Node | None = None

    @property
    def classes(self) -> frozenset[str]:
        """The words of its class attribute."""
        return frozenset(self.attributes.get("class", "").split())


@dataclass(frozen=True, slots=True)
class _Compound:
    tag: str
    classes: frozenset[str]
    name: str
    attributes: tuple[tuple[str, str, str], ...]

    def fits(self, node: Node) -> bool:
        given = node.attributes
        return (
            self.tag in {"", "*", node.tag}
            and (not self.name or given.get("id") == self.name)
            and (not self.classes or self.classes <= node.classes)
            and all(_has(given, *wanted) for wanted in self.attributes)
        )


@dataclass(frozen=True, slots=True)
class _Rule:
    """One selector with its declarations; ``steps`` go outwards, ``>`` for a parent."""

    steps: tuple[tuple[str, _Compound], ...]
    weight: tuple[int, int, int]
    order: int
    declared: tuple[tuple[str, str, bool], ...]
    generated: bool

    def fits(self, node: Node) -> bool:
        if not self.steps[0][1].fits(node):
            return False
        at, depth = node.parent, 0
        for relation, compound in self.steps[1:]:
            if relation == ">" and at is not None and not compound.fits(at):
                return False
            while at is not None and not compound.fits(at):
                at, depth = at.parent, depth + 1
                if depth > _MOST_ANCESTORS:
                    return False
            if at is None:
                return False
            at = at.parent
        return True


@dataclass(slots=True)
class Sheet:
    """The rules of a page, found by what their last part names."""

    _rules: dict[str, list[_Rule]] = field(default_factory=lambda: defaultdict(list))
    _count: int = 0
    #: The page's own names of values, such as ``--ink``; the first value of each.
    _names: dict[str, str] = field(default_factory=dict)

    def add(self, text: str) -> None:
        """Take one style sheet; what cannot be understood is passed over, as browsers do."""
        if len(text) <= _MOST_CHARACTERS:
            for name, value in _NAMED.findall(text):
                self._names.setdefault(name.lower(), value.strip().lower())
            for selectors, body in _blocks(_COMMENT.sub(" ", text)):
                declared = tuple(one for one in parse_declarations(body))
                if declared and self._count < _MOST_RULES:
                    for selector in selectors.split(","):
                        self._add(selector.strip(), declared)

    def _add(self, selector: str, declared: tuple[tuple[str, str, bool], ...]) -> None:
        rule = _parse_selector(selector, declared, self._count)
        if rule is not None:
            self._count += 1
            last = rule.steps[0][1]
            key = f"#{last.name}" if last.name else ""
            if not key and last.classes:
                key = f".{min(last.classes)}"
            self._rules[key or (last.tag if last.tag != "*" else "")].append(rule)

    def declared(self, node: Node, *, generated: bool = False) -> dict[str, str]:
        """The relevant properties of an element, its own ``style`` last."""
        keys = ["", node.tag, *(f".{name}" for name in node.classes)]
        if "id" in node.attributes:
            keys.append(f"#{node.attributes['id']}")
        found = [
            (important, rule.weight, rule.order, name, value)
            for key in keys
            for rule in self._rules.get(key, ())
            if rule.generated == generated and rule.fits(node)
            for name, value, important in rule.declared
        ]
        if not generated:
            own = parse_declarations(node.attributes.get("style", ""))
            top = (_MOST_RULES, 0, 0)
            found += [(important, top, self._count, name, value) for name, value, important in own]
        # Ordered by what wins: a word that comes later takes the place of one before it.
        return {
            name: _VALUE.sub(self._value_of, value) if "var(" in value else value
            for *_, name, value in sorted(found, key=lambda one: one[:3])
        }

    def _value_of(self, named: re.Match[str]) -> str:
        return self._names.get(named["name"], named["default"] or "")

    @property
    def is_empty(self) -> bool:
        """Whether no rule bears on what is seen."""
        return not self._count


def parse_declarations(body: str) -> Iterator[tuple[str, str, bool]]:
    """The relevant properties of a declaration block: name, value, whether it is important."""
    for part in body.split(";"):
        name, colon, value = part.partition(":")
        name = name.strip().lower()
        if colon and name in PROPERTIES:
            bare, mark, _ = value.partition("!")
            yield name, " ".join(bare.split()).lower(), bool(mark)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Selectors and body of each rule, those inside of at-rules too."""
    at = 0
    while True:
        opened = text.find("{", at)
        if opened < 0:
            return
        head = text[at:opened].rpartition(";")[2].strip().strip("}").strip()
        if head.startswith("@"):
            is_group = head[1:6].lower() in {"media", "suppo", "layer", "scope", "conta"}
            if is_group and not _PASSED_OVER.search(head):
                at = opened + 1
                continue
            at = _end_of(text, opened)
            continue
        closed = text.find("}", opened)
        closed = len(text) if closed < 0 else closed
        yield head, text[opened + 1 : closed]
        at = closed + 1


def _end_of(text: str, opened: int) -> int:
    depth = 0
    for found in re.finditer(r"[{}]", text[opened:]):
        depth += 1 if found.group() == "{" else -1
        if not depth:
            return opened + found.end()
    return len(text)


def _parse_selector(
    selector: str, declared: tuple[tuple[str, str, bool], ...], order: int
) -> _Rule | None:
    words = re.sub(r"\s*([>+~])\s*", r" \1 ", selector).split()
    steps: list[tuple[str, _Compound]] = []
    weight = (0, 0, 0)
    relation, generated = " ", False
    for word in reversed(words):
        if word in {">", "+", "~"}:
            relation = word
            continue
        parsed = _parse_compound(word)
        if parsed is None or (parsed[2] and steps):
            return None
        compound, own, is_generated = parsed
        generated |= is_generated
        weight = (weight[0] + own[0], weight[1] + own[1], weight[2] + own[2])
        # A sibling is not known here: whatever stands beside may be it.
        if relation not in {"+", "~"}:
            steps.append((relation, compound))
        relation = " "
    if not steps:
        return None
    return _Rule(tuple(steps), weight, order, declared, generated)


def _parse_compound(word: str) -> tuple[_Compound, tuple[int, int, int], bool] | None:
    found = _COMPOUND.fullmatch(word)
    if found is None:
        return None
    tag = (found["tag"] or "").lower()
    classes: set[str] = set()
    attributes: list[tuple[str, str, str]] = []
    name, generated = "", False
    for part in _SIMPLE.findall(found["rest"]):
        if part[0] == ".":
            classes.add(part[1:].replace("\\", ""))
        elif part[0] == "#":
            name = part[1:].replace("\\", "")
        elif part[0] == "[":
            attribute = _ATTRIBUTE.fullmatch(part)
            if attribute is None:
                return None
            attributes.append((attribute[1].lower(), attribute[2] or "", attribute[3] or ""))
        elif _GENERATED.fullmatch(part):
            generated = True
        elif not _PLACES.match(part):
            return None
    weight = (bool(name) + 0, len(classes) + len(attributes), bool(tag not in {"", "*"}) + 0)
    return _Compound(tag, frozenset(classes), name, tuple(attributes)), weight, generated


def _has(given: Mapping[str, str], name: str, relation: str, value: str) -> bool:
    if name not in given:
        return False
    own = given[name]
    match relation:
        case "":
            return True
        case "=":
            return own == value
        case "~=":
            return value in own.split()
        case "^=":
            return bool(value) and own.startswith(value)
        case "$=":
            return bool(value) and own.endswith(value)
        case "|=":
            return own == value or own.startswith(f"{value}-")
        case _:
            return bool(value) and value in own
