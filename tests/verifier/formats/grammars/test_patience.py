"""Patterns that are not ours end in time, whatever a text holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import regex

from spanproof.core.errors import MalformedGrammarError, SettingsError
from spanproof.verifier.attribute.extractors import extract_rag
from spanproof.verifier.attribute.registry import ToolExtractor
from spanproof.verifier.formats.grammars.built_in import BUILT_IN
from spanproof.verifier.formats.grammars.patience import Patience, backtracks
from spanproof.verifier.formats.grammars.table import make_grammar, register_grammar

CASES = sorted(
    path.parent for path in (Path(__file__).parents[3] / "vectors").glob("patterns/*/pattern.json")
)
#: Its time for this text is beyond counting.
NESTED, HOSTILE = r"<(?:[a-z]|[a-z])+>", "<" + "a" * 4000


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_pattern_that_backtracks_is_not_registered_and_ends(case: Path) -> None:
    given = json.loads((case / "pattern.json").read_text(encoding="utf-8"))
    assert (case / "README").read_text(encoding="utf-8").strip()
    pattern, example = given["pattern"], given["example"]
    grammar = make_grammar("slow", pattern, template="<{0}>", example=example)
    with pytest.raises(MalformedGrammarError, match="does not backtrack"):
        register_grammar(grammar)
    text = "".join(words * times for words, times in given["text"])
    with pytest.raises(MalformedGrammarError, match="in 2 s"):
        Patience(0.1).ask(regex.compile(pattern).match, text)


@pytest.mark.parametrize("grammar", BUILT_IN, ids=lambda grammar: grammar.name)
def test_our_own_do_not(grammar: object) -> None:
    found = next(each for each in BUILT_IN if each is grammar)
    assert not backtracks(found.pattern, found.example)


def test_a_pattern_that_is_used_ends_with_its_time() -> None:
    patience = Patience(0.1)
    with pytest.raises(MalformedGrammarError, match="in 2 s"):
        patience.ask(regex.compile(NESTED).match, HOSTILE)


def test_what_is_found_in_time_is_what_the_pattern_finds() -> None:
    for patience in (Patience(None), Patience(5.0)):
        found = patience.ask(regex.compile("<a+>").match, "b<aa>", 1)
        assert found is not None
        assert found.span() == (1, 5)


def test_a_pattern_of_tool_names_ends_too() -> None:
    extractor = ToolExtractor(name="slow", pattern=NESTED, extract=extract_rag)
    with pytest.raises(SettingsError, match="in time"):
        extractor.reads(HOSTILE)
