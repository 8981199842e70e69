"""Chunks of readers that have no character for a glyph, and what such a glyph must not be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spanproof.core.text import CanonicalText
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.policies import load_policy
from spanproof.verifier.quotes.existence import find_quote
from tests.pdf_pages import read_lines

LOST = (
    "The parties confirm the effect of · this lease · and of every office that belongs to it\n"
    "Both of them have read what the office of the other party has written down about it"
)


@pytest.mark.parametrize(
    "chunk",
    [
        pytest.param(LOST.replace("·", "\x95"), id="a control character for a bullet"),
        pytest.param(LOST.replace("·", "\ufffd"), id="the replacement character"),
        pytest.param(LOST.replace("ff", "\x00", 1), id="a ligature"),
    ],
)
def test_a_lost_glyph_may_stand_for_a_symbol_or_a_ligature(chunk: str) -> None:
    existence = find_quote(chunk, read_lines(f"{LOST}\nand more"))
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert existence.folds == ("line_order", "lost_glyph")
    for name in ("balanced", "strict", "review"):
        assert "lost_glyph" not in load_policy(name).folds


@pytest.mark.parametrize(
    ("source", "lost"),
    [
        ("It pays 5 euros more", ("5", "\x00")),
        ("It pays 15 euros more", ("5", "\x00")),
        ("It is - so to say - less", ("-", "\x0f")),
        ("It is > what it was before", (">", "\ufffd")),
        ("It pays 1.5 euros", ("1.5", "1\x005")),
        ("It is 10:30 there", (":", "\ufffd")),
        ("It can't be so", ("'", "\x00")),
        ("It takes a week", ("a ", "\x00 ")),
        ("It is not so", ("not ", "\x00 ")),
        ("It is notable that", ("notable", "no\x00table")),
        ("It pays 15 euros more", ("15", "1\x005")),
        ("It is so, and so", ("so, and", "so, \x00 and")),
        ("It is so, and so", (" and", " \x00\x01\x0e")),
    ],
)
def test_a_lost_glyph_stands_for_no_letter_digit_or_sign(
    source: str, lost: tuple[str, str]
) -> None:
    text = f"{LOST} {source} where the office says so"
    chunk = text.replace("·", "\x95")
    extraction = read_lines(text)
    assert find_quote(chunk, extraction).status is ExistenceStatus.FOLD_EQUAL
    lie = chunk.replace(source, source.replace(*lost))
    assert lie != chunk
    assert find_quote(lie, extraction).status is not ExistenceStatus.FOLD_EQUAL


def test_a_chunk_that_is_mostly_lost_is_not_found() -> None:
    text = "· ".join(LOST.split())
    assert find_quote(text.replace("·", "\x95"), read_lines(text)).status in {
        ExistenceStatus.ALTERED,
        ExistenceStatus.ABSENT,
    }


@pytest.mark.parametrize("words", ["(cid:48)", "(cid:2)", "(cid:153)", "/G02"])
def test_a_readers_name_for_a_glyph_is_no_symbol(words: str) -> None:
    chunk = LOST.replace("·", words, 1)
    found = find_quote(chunk, read_lines(f"{LOST}\nand more"))
    assert found.status is not ExistenceStatus.FOLD_EQUAL


@pytest.mark.parametrize(
    ("ours", "names", "lies"),
    [
        ("\x01", ("(cid:1)", "/G01"), ("(cid:3)", "(cid:11)", "/G03", "(cid:1 )", "1", "G01", "")),
        ("\x1f", ("(cid:31)", "/G1F"), ("(cid:30)", "/G1E", "/G31", "(cid:3)1")),
        ("\ufffd", ("(cid:153)", "(cid:7)", "(cid:1030)"), ("/G99", "cid:153", "(cid:)", "153")),
    ],
)
def test_a_readers_name_for_a_glyph_is_the_character_of_its_number(
    ours: str, names: tuple[str, ...], lies: tuple[str, ...]
) -> None:
    extraction = read_lines(f"{LOST}\nand more")
    text = CanonicalText.of(extraction.text.text.replace("·", ours))
    extraction = replace(extraction, text=text)
    for name in names:
        existence = find_quote(LOST.replace("·", name), extraction)
        assert existence.status is ExistenceStatus.FOLD_EQUAL, name
        assert existence.folds == ("line_order", "lost_glyph")
    for lie in lies:
        found = find_quote(LOST.replace("·", lie, 1).replace("·", names[0]), extraction)
        assert found.status is not ExistenceStatus.FOLD_EQUAL, lie


def test_a_ligatures_name_is_its_letters() -> None:
    extraction = read_lines(f"{LOST}\nand more")
    named = find_quote(LOST.replace("effect", "e/f_fect"), extraction)
    assert named.folds == ("line_order", "lost_glyph")
    for lie in ("e/f_lect", "e/f_iect", "e/f_f_lect"):
        found = find_quote(LOST.replace("effect", lie), extraction)
        assert found.status is not ExistenceStatus.FOLD_EQUAL
