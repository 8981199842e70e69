"""The grammars by name, and the doors through which others come in.

A program calls ``register_grammar``. An installed package may bring grammars by itself: an entry
point of the group ``spanproof.grammars``, named as the grammar, gives a ``Grammar`` or a function
without arguments that makes one.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import regex

from spanproof.core.errors import MalformedGrammarError, UnknownGrammarError
from spanproof.verifier.formats.grammars.built_in import BUILT_IN
from spanproof.verifier.formats.grammars.patience import backtracks
from spanproof.verifier.formats.grammars.token import SOURCES, Grammar, Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ENTRY_POINTS = "spanproof.grammars"
_NAME = regex.compile(r"[a-z][a-z0-9-]{0,39}")
#: Every grammar by its name, in the order in which they are tried at one place.
GRAMMARS: dict[str, Grammar] = {grammar.name: grammar for grammar in BUILT_IN}


def register_grammar(grammar: Grammar) -> Grammar:
    """Add a grammar to the table; raise MalformedGrammarError if it cannot be used.

    Its example is read and written again: the two must be inverse. A name keeps its pattern for
    ever.
    """
    known = GRAMMARS.get(grammar.name)
    if known is not None and known.pattern.pattern == grammar.pattern.pattern:
        return known
    expected = _find_fault(grammar, is_taken=known is not None)
    if expected:
        msg = f"Expected {expected}, got the grammar {grammar.name!r}."
        raise MalformedGrammarError(msg, hint="Compare it with docs/reference/grammars.md.")
    GRAMMARS[grammar.name] = grammar
    return grammar


def make_grammar(name: str, pattern: str, *, template: str, example: str) -> Grammar:
    """A grammar of one reference a token: each group of ``pattern`` is a value.

    ``template`` writes it, with ``{0}`` for the first value: ``make_grammar("cite",
    r"<<([a-z0-9]{1,40}+)>>", template="<<{0}>>", example="<<a1>>")``.
    """
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        msg = f"Expected a regular expression for the grammar {name!r}, got {error}."
        raise MalformedGrammarError(msg, hint="Correct the pattern.") from error

    def read(match: regex.Match[str]) -> tuple[Reference, ...]:
        return (tuple(value or "" for value in match.groups()),)

    def write(references: Sequence[Reference]) -> str:
        (values,) = references
        return template.format(*values)

    return Grammar(
        name=name,
        pattern=compiled,
        read=read,
        write=write,
        example=example,
        width=compiled.groups,
    )


def find_grammars(names: Iterable[str]) -> tuple[Grammar, ...]:
    """The named grammars in the order of the table; raise UnknownGrammarError for another name."""
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in GRAMMARS:
            _load_installed(name)
    return tuple(grammar for name, grammar in GRAMMARS.items() if name in wanted)


def _load_installed(name: str) -> None:
    found = entry_points(group=ENTRY_POINTS, name=name)
    if not found:
        msg = f"Expected a grammar of {', '.join(GRAMMARS)}, got {name!r}."
        raise UnknownGrammarError(msg, hint="Name a grammar of the table, or register yours first.")
    loaded = next(iter(found)).load()
    grammar = loaded if isinstance(loaded, Grammar) else loaded()
    if not isinstance(grammar, Grammar) or grammar.name != name:
        msg = f"Expected the grammar of the entry point {name!r}, got {grammar!r}."
        raise MalformedGrammarError(msg, hint="Repair the package that provides it.")
    register_grammar(grammar)


def _find_fault(grammar: Grammar, *, is_taken: bool) -> str | None:
    if not _NAME.fullmatch(grammar.name) or grammar.name == SOURCES:
        return "a name of small letters, digits and hyphens"
    if is_taken:
        return "a name that no grammar has"
    match = grammar.pattern.fullmatch(grammar.example)
    if match is None or not grammar.example:
        return "an example that the pattern matches whole"
    if backtracks(grammar.pattern, grammar.example):
        return "a pattern that does not backtrack and bounds what it repeats"
    if regex.search(r"[\n\r`]|^\s|\s$", grammar.example) or grammar.pattern.search(""):
        return "tokens without line ends, back-ticks and outer blanks, and none that is empty"
    references = grammar.read(match)
    if any(len(values) != grammar.width for values in references):
        return f"references of {grammar.width} values"
    if grammar.write(references) != grammar.example:
        return "to write what it reads"
    return None
