from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.answers.prompt import render, render_reference
from spanproof.verifier.answers.stream import TokenStripper
from spanproof.verifier.formats.cleaning import clean
from spanproof.verifier.formats.grammars import GRAMMARS, tokenize
from spanproof.verifier.formats.grammars.tokenizer import find_anchors
from tests.spread import thin_out
from tests.verifier.formats.grammars.prose import PROSE

TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=20
)


@pytest.mark.parametrize(
    ("prose", "values"),
    [
        ("a [1][2]", [("1",), ("2",)]),
        ("a [1, 2]", [("1",), ("2",)]),
        ("[citation:a:b]", [("a", "b")]),
        ("[citation:a:b, citation:c:d:e]", [("a", "b"), ("c", "d:e")]),
        ("[citation:a%3Ab:c%5D]", [("a:b", "c]")]),
        ("[citation:a:b, c:d] [citation:a] [citation:a:b [citation: a:b]", []),
        ("[[REF:s 1]] [[ref:s2]]", [("s 1",), ("s2",)]),
        ("[[tool:temp.max]]", [("tool", "temp.max")]),
        ("[[note]] [[tool:]] [[:x]]", []),
        ("【6:0†source】【7†a.pdf】", [("6", "0", "source"), ("", "7", "a.pdf")]),
        ("[1](https://a.example/x_(y)) [[2]](http://b)", [
            ("1", "https://a.example/x_(y)"),
            ("2", "http://b"),
        ]),
        ("\ue200cite\ue202a\ue202b\ue202L8-L13\ue201", [
            ("cite", "a", "L8-L13"),
            ("cite", "b", "L8-L13"),
        ]),
        ("`[1]` ``a ` [1]`` ```\n[1]\n``` [2]", [("2",)]),
        ("a stray ` and [1]\nnext [2]", [("1",), ("2",)]),
        ("````\n```\n[1]\n````\n[2]", [("2",)]),
        ("x SOURCES_START[]SOURCES_END y", [("[]", "closed")]),
        ("x SOURCES_START[1]", [("[1]", "unclosed")]),
        ("SOURCES_END [1]", [("", "end"), ("1",)]),
        ("", []),
    ],
)  # fmt: skip
def test_tokens_and_their_values(prose: str, values: list[tuple[str, ...]]) -> None:
    assert [token.values for token in tokenize(prose, GRAMMARS)] == values


@given(prose=PROSE)
def test_rendering_what_was_parsed_gives_it_again(prose: str) -> None:
    tokens = tokenize(prose, GRAMMARS)
    again = tokenize(render(prose, tokens), GRAMMARS)
    assert [(t.grammar, t.values) for t in again] == [(t.grammar, t.values) for t in tokens]


@given(doc=TEXT, chunk=TEXT)
def test_any_id_survives_writing_and_reading(doc: str, chunk: str) -> None:
    for name, values in (("chunk", (doc, chunk)), ("ref", (chunk,)), ("field", ("TOOL", chunk))):
        (token,) = tokenize(f"x {render_reference(values, name)} y", (name,))
        assert token.values == values


@pytest.mark.parametrize("name", list(GRAMMARS))
def test_each_example_is_read_and_written_again(name: str) -> None:
    grammar = GRAMMARS[name]
    match = grammar.pattern.fullmatch(grammar.example)
    assert match is not None
    assert grammar.write(grammar.read(match)) == grammar.example


@pytest.mark.parametrize(
    "unit",
    thin_out(["[[A:", "[", "[[", "[citation:", "[1", "【1", "`", "S", "[1](h"], every=3),
)
def test_300_000_hostile_characters_are_prose(unit: str) -> None:
    # A reader that looks at a character more than a bounded number of times never comes back.
    prose = unit * (300_000 // len(unit))
    assert not tokenize(prose, GRAMMARS) or unit == "[1](h"
    assert clean(prose, ("chunk", "ref", "field")).text == prose


def test_a_long_hostile_stream_in_small_parts_ends() -> None:
    stream = TokenStripper(GRAMMARS)
    prose = "[[citation:a" * 4000
    parts = [stream.push(prose[at : at + 7]) for at in range(0, len(prose), 7)]
    assert "".join([*parts, stream.close()]) == prose


@pytest.mark.parametrize(
    ("prose", "numbers"),
    [
        ("a [1].", [1]),
        ("a [1][2]", [1, 2]),
        ("a [1, 2] and [ 3,4 ]", [1, 2, 3, 4]),
        ("a [1, 1]", [1]),
        ("an interval [0.5, 1] is none", []),
        ("nor [12345], [a], [], [-1], [١]", []),
        ("code `x[1]` is no anchor [2]", [2]),
        ("```\ny[1]\n``` but [3]", [3]),
    ],
)
def test_anchor_numbers_in_order(prose: str, numbers: list[int]) -> None:
    assert [anchor.number for anchor in find_anchors(prose)] == numbers


def test_the_span_is_the_bracket() -> None:
    prose = "abc [1, 2]."
    assert {prose[a.span.start : a.span.end] for a in find_anchors(prose)} == {"[1, 2]"}
