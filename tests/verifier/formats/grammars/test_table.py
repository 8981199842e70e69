from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from spanproof.core.errors import MalformedGrammarError, UnknownGrammarError
from spanproof.verifier.formats.grammars import (
    find_grammars,
    make_grammar,
    register_grammar,
    table,
    tokenize,
)

PATTERN = r"<<([a-z0-9]{1,40}+)>>"


@pytest.fixture(autouse=True)
def own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "GRAMMARS", dict(table.GRAMMARS))


def make_installed() -> object:
    return make_grammar("angles", PATTERN, template="<<{0}>>", example="<<a1>>")


def test_a_registered_grammar_is_read_and_registered_once() -> None:
    made = make_grammar("cite", PATTERN, template="<<{0}>>", example="<<a1>>")
    assert register_grammar(made) is register_grammar(made)
    assert [t.values for t in tokenize("x <<b2>> `<<c>>`", ("cite",))] == [("b2",)]


@pytest.mark.parametrize(
    ("name", "pattern", "template", "example", "said"),
    [
        ("Cite", PATTERN, "<<{0}>>", "<<a1>>", "small letters"),
        ("sources", PATTERN, "<<{0}>>", "<<a1>>", "small letters"),
        ("chunk", PATTERN, "<<{0}>>", "<<a1>>", "no grammar has"),
        ("cite", PATTERN, "<<{0}>>", "<<A>>", "matches whole"),
        ("cite", r"(x?)", "{0}", "x", "empty"),
        ("cite", r"(x\n)", "{0}", "x\n", "line ends"),
        ("cite", PATTERN, "<{0}>", "<<a1>>", "write what it reads"),
    ],
)
def test_a_grammar_that_cannot_be_used_is_refused(
    name: str, pattern: str, template: str, example: str, said: str
) -> None:
    with pytest.raises(MalformedGrammarError, match=said):
        register_grammar(make_grammar(name, pattern, template=template, example=example))


def test_a_broken_pattern_is_refused() -> None:
    with pytest.raises(MalformedGrammarError, match="regular expression"):
        make_grammar("cite", "(", template="{0}", example="x")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownGrammarError, match="'latex'"):
        find_grammars(["latex"])


def test_an_installed_package_brings_its_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("angles", f"{__name__}:make_installed", table.ENTRY_POINTS)
    monkeypatch.setattr(table, "entry_points", EntryPoints([point]).select)
    assert tokenize("<<a>>", ("angles",))[0].grammar == "angles"
