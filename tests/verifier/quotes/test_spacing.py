"""Chunks of other readers with other white space, and what they must not be."""

from __future__ import annotations

import pytest

from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.existence import find_quote
from spanproof.verifier.quotes.folds import judge_folds
from spanproof.verifier.quotes.places import find_places
from tests.builders import make_extraction
from tests.pdf_pages import read_lines


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("W e sell W idgets", "We sell Widgets"),
        ("thequick fox jumpsquickly", "the quick fox jumps quickly"),
        ("T a b l e", "Table"),
        ("Table", "T a b l e"),
        ("agree\x02ment", "agree-\nment"),
        ("agree\ufffement", "agree-\nment"),
        ("the IEEE\x02754 rule", "the IEEE-\n754 rule"),
        ("non\x02refundable", "non-\nrefundable"),
        ("agree\xad\nment", "agree-\nment"),
        ("agree-\nment", "agreement"),
        ("copiedtoadirectory there", "copied to a directory there"),
        ("a re levant rule", "a relevant rule"),
        ("the Un ited States", "the United States"),
        ("no im pediments there", "no impediments there"),
        ("to a ccommodate it", "to accommodate it"),
        ("the terminati on of it", "the termination of it"),
        ("agree \xad\nment", "agree-\nment"),
        ("Contents . . . . . 23", "Contents . . . . .23"),
        ("Contents.....23", "Contents..... 23"),
        ("Contents......23", "Contents ... ...23"),
        ("{Coke,Tea}={May,June}", "{Coke, Tea} = {May, June}"),
        ("d1,d2,..., dn", "d1, d2, . . . , dn"),
    ],
)
def test_other_white_space_is_named(quote: str, source: str) -> None:
    existence = find_quote(quote, read_lines(f"{source} and more"))
    assert existence.status is ExistenceStatus.FOLD_EQUAL
    assert existence.folds == ("spacing",)


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("a typical case", "atypical case"),
        ("a llama case", "allama case"),
        ("the illuminati on it", "the illumination it"),
        ("the loti on it", "the lotion it"),
        ("agree \xadment", "agree-\nment"),
        ("from 7 \xad\n754 on", "from 7-\n754 on"),
        ("atypical case", "a typical case"),
        ("it is notable", "it is not able"),
        ("it is not able", "it is notable"),
        ("in valid terms", "invalid terms"),
        ("use less tools", "useless tools"),
        ("pays 12 3 euros", "pays 123 euros"),
        ("pays 123 euros", "pays 12 3 euros"),
        ("Table1 shows", "Table 1 shows"),
        ("we cannot say", "we can not say"),
        ("at most5 days", "at most 5 days"),
        ("every where", "everywhere"),
        ("five\x02teen", "fiveteen"),
        ("the IEEE754 rule", "the IEEE-\n754 rule"),
        ("the IEEE\n754 rule", "the IEEE-\n754 rule"),
        ("from 7\x02754 on", "from 7-\n754 on"),
        ("so -\x02754 is", "so --\n754 is"),
        ("it is \x02754 then", "it is -\n754 then"),
        ("no-\ntable", "notable"),
        ("the rapist spoke", "therapist spoke; the rapist"),
        ("isatypicalcase of", "is a typical case of"),
        ("theinvalidterms of", "the in valid terms of"),
        ("noinformationabout it", "no information about it"),
        ("in .25 of", "in.25 of"),
        ("三 5 月", "三5 月"),
        ("x - 5 units", "x -5 units"),
        ("x -5 units", "x-5 units"),
        ("x <5 units", "x < 5 units"),
        ("x< 5 units", "x < 5 units"),
        ("add(3 , 5)", "add(3, 5)"),
        ("pays 1,5 euros", "pays 1, 5 euros"),
        ("rose to .25", "rose to . 25"),
        ("it is not(so)", "it is not (so)"),
        ("about 5%of", "about 5% of"),
        ("as the 5.e of", "as the 5. e of"),
        ("SmithJones won", "Smith Jones won"),
        ("Smith Jones won", "SmithJones won"),
    ],
)
def test_white_space_that_may_change_what_is_read_is_no_fold(quote: str, source: str) -> None:
    extraction = read_lines(f"{source} and more")
    assert find_quote(quote, extraction).status in {ExistenceStatus.ALTERED, ExistenceStatus.ABSENT}


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("第四节 财务报表", "第四节财务报表"),
        ("新增发行 H 股", "新增发行H 股"),
        ("第四节财务报表", "第四节 财务报表"),
        ("\n■ 1. The rule", "\n■1. The rule"),
        ("Ciphers......14", "Ciphers . . . . . .14"),
        ("of items.\n\nToxic", "of items.\n\x02\nToxic"),
    ],
)
def test_white_space_that_no_script_or_mark_needs_is_spacing(quote: str, source: str) -> None:
    extraction = make_extraction(source)
    whole = extraction.pages[0].span
    assert not judge_folds(quote, extraction, whole).equal
    judged = judge_folds(quote, extraction, whole, spacing=True)
    assert judged.equal
    assert "spacing" in judged.folds


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("二 三月", "二三月"),
        ("4 •5 units", "4 • 5 units"),
        ("4 •5 units", "4•5 units"),
        ("rose to..25", "rose to. .25"),
        ("of items.\nToxic", "of items.\x02Toxic"),
    ],
)
def test_white_space_that_numbers_and_scripts_need_stays(quote: str, source: str) -> None:
    extraction = make_extraction(source)
    assert not judge_folds(quote, extraction, extraction.pages[0].span, spacing=True).equal


def test_spacing_is_asked_only_after_the_folds() -> None:
    extraction = make_extraction("thequick fox")
    assert not find_places("the quick fox", extraction).all  # Text without pages: it is a change.
    whole = extraction.pages[0].span
    assert not judge_folds("the quick fox", extraction, whole).equal
    assert judge_folds("the quick fox", extraction, whole, spacing=True).folds == ("spacing",)
