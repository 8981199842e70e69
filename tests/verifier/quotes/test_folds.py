from __future__ import annotations

import pytest

from spanproof.core.span import Span
from spanproof.verifier.policies import load_policy
from spanproof.verifier.quotes.folds import FoldJudgement, judge_folds
from spanproof.verifier.quotes.places import find_places
from tests.builders import make_extraction
from tests.core.documents.test_overprint import doubled, painted
from tests.strategies import with_layout


def judge(quote: str, source: str) -> FoldJudgement:
    return judge_folds(quote, make_extraction(source), Span(0, len(source)))


@pytest.mark.parametrize(
    ("quote", "source", "fold"),
    [
        ("the fee is due", "the fee\n is\u00a0due", "white_space"),
        ("no fee", "no\nfee", "white_space"),
        ("agreement", "agree-\nment", "line_end_hyphen"),
        ("agreement", "agree‐\r\nment", "line_end_hyphen"),
        ("non-refundable", "non-\nrefundable", "line_break"),
        ("agreement", "agree\xadment", "soft_hyphen"),
        ("agree\xadment", "agreement", "soft_hyphen"),
        ("agreement", "agree\u200bment", "ignorable"),
        ("confidential", "conﬁdential", "ligature"),
        ("conﬁdential", "confidential", "ligature"),
        ("oﬃce", "oﬀice", "refused"),
        ("ABC firm", "ＡＢＣ firm", "width"),
        ('the "fee" is', "the “fee” is", "quote_style"),
        ("it's", "it’s", "quote_style"),
        ("doesn't", "doesn’t", "quote_style"),
        ("well-known", "well‑known", "dash_style"),
        ("the fee - all of it", "the fee — all of it", "dash_style"),
        ("the May-August term", "the May–August term", "dash_style"),
        ("the March-May term", "the March–May term", "dash_style"),
        ("MAY-AUG", "MAY–AUG", "dash_style"),
    ],
)
def test_an_allowed_fold_is_listed(quote: str, source: str, fold: str) -> None:
    judged = judge(quote, source)
    if fold == "refused":
        assert not judged.equal
    else:
        assert (judged.equal, judged.folds) == (True, (fold,))


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        pytest.param("fee", "Fee", id="case"),
        pytest.param("fee ", "fee", id="trailing blank"),
        pytest.param("thefee", "the fee", id="space dropped in plain text"),
        pytest.param("the fee", "thefee", id="space added"),
        pytest.param("notable", "no-\ntable", id="fragment is a negation"),
        pytest.param("cannot", "can-\nnot", id="whole is a negation"),
        pytest.param("twentyfive", "twenty-\nfive", id="number word"),
        pytest.param("fourteen", "four-\nteen", id="inside a number word"),
        pytest.param("SmithJones", "Smith-\nJones", id="capital after the break"),
        pytest.param("19901995", "1990-\n1995", id="digits at a line end"),
        pytest.param("1990-1995", "1990-\n1995", id="digits, hyphen kept"),
        pytest.param("agreement", "agree-ment", id="hyphen inside a line"),
        pytest.param("agreement", "agree-\n\nment", id="hyphen before a paragraph"),
        pytest.param("1500", "1\u200b500", id="ignorable in a number"),
        pytest.param("not", "n\u200bot", id="ignorable in a negation"),
        pytest.param("agree\u200bment", "agreement", id="ignorable in the quote"),
        pytest.param("agreement", "agree\u202ement", id="bidi control"),
        pytest.param("agree\u202ement", "agreement", id="bidi control in the quote"),
        pytest.param("agreement", "agree\ufe0fment", id="variation selector"),
        pytest.param("15", "1\xad5", id="soft hyphen in a number"),
        pytest.param("cannot", "can\xadnot", id="soft hyphen in a negation"),
        pytest.param("102", "10²", id="superscript"),
        pytest.param("½", "1/2", id="fraction"),
        pytest.param("12", "１２", id="digits of full width"),
        pytest.param("not", "ｎｏｔ", id="negation of full width"),
        pytest.param("five", "ﬁve", id="ligature in a number word"),
        pytest.param("5' wide", "5’ wide", id="quote mark after a digit"),
        pytest.param("pages 4-7", "pages 4–7", id="dash between digits"),
        pytest.param("a - 3", "a – 3", id="dash before a digit"),
        pytest.param("-5", "−5", id="minus sign"),
        pytest.param("– $5", "- $5", id="dash before a currency"),
        pytest.param("non–refundable", "non-refundable", id="dash at a negation"),
        pytest.param("it may-August aside", "it may–August aside", id="dash at a modal"),
        pytest.param("May-be", "May–be", id="dash at a capital modal"),
        pytest.param("He May-march", "He May–march", id="dash before no month"),
        pytest.param("pаy", "pay", id="look-alike"),
        pytest.param("µ", "μ", id="compatibility"),
    ],
)
def test_anything_else_is_refused(quote: str, source: str) -> None:
    assert not judge(quote, source).equal


def test_a_space_of_ours_may_be_missing_from_the_quote() -> None:
    source = "land lord pays\nrent"
    extraction = with_layout(source, synthetic=[4], separators=[14])
    assert judge_folds("landlord paysrent", extraction, Span(0, len(source))).folds == (
        "synthetic_space",
        "line_break",
    )


@pytest.mark.parametrize(
    ("source", "quote", "place"),
    [("1 5 days", "15 days", 1), ("no table", "notable", 2), ("fee 5", "fee5", 3)],
)
def test_a_space_of_ours_next_to_a_protected_token_stays(
    source: str, quote: str, place: int
) -> None:
    extraction = with_layout(source, synthetic=[place])
    assert not judge_folds(quote, extraction, Span(0, len(source))).equal


def test_a_space_of_the_document_may_not_be_missing() -> None:
    source = "land lord"
    extraction = with_layout(source)
    assert not judge_folds("landlord", extraction, Span(0, len(source))).equal


@pytest.mark.parametrize(
    ("source", "quote", "fold"),
    [
        ("the bul- \nlets", "the bullets", "line_end_hyphen"),
        ("the bul-\n\u00a0lets", "the bullets", "line_end_hyphen"),
        ("a non- \nrefundable", "a non-refundable", "line_break"),
    ],
)
def test_a_real_blank_beside_our_line_break_is_part_of_it_after_a_hyphen(
    source: str, quote: str, fold: str
) -> None:
    extraction = with_layout(source, separators=[source.index("\n")])
    judged = judge_folds(quote, extraction, Span(0, len(source)))
    assert (judged.equal, judged.folds) == (True, (fold,))


@pytest.mark.parametrize(
    ("source", "quote", "separators"),
    [
        pytest.param("the bul- lets", "the bullets", [], id="blank alone"),
        pytest.param("the bul- \nlets", "the bullets", [], id="newline of the source"),
        pytest.param("a no- \ntable", "a notable", [5], id="protected fragment"),
        pytest.param("land \nlord", "landlord", [5], id="no hyphen"),
        pytest.param("word– \nword", "word–word", [6], id="dash"),
    ],
)
def test_a_real_blank_is_dropped_nowhere_else(
    source: str, quote: str, separators: list[int]
) -> None:
    extraction = with_layout(source, separators=separators)
    assert not judge_folds(quote, extraction, Span(0, len(source))).equal


def test_a_quote_is_found_across_a_line_painted_twice() -> None:
    extraction = painted(
        ("the landlord", 100, 72_000),
        ("pays back", 100, 70_000),
        ("pays back", 130, 70_000),
        ("the deposit", 100, 68_000),
    )
    (place,) = find_places("the landlord pays back the deposit", extraction).all
    assert place.folds == ("white_space", "overprint")
    assert place.span == Span(0, 44)


@pytest.mark.parametrize("by", [0, 50])
def test_a_word_painted_letter_by_letter_twice_is_found_as_it_reads(by: int) -> None:
    for word in ("Total", "bookkeeper", "1,500"):
        (place,) = find_places(word, doubled(word, by)).all
        assert place.folds == ("overprint",)


def test_a_line_painted_twice_is_one_place() -> None:
    twice = painted(("the rent", 100, 70_000), ("the rent", 120, 70_000))
    apart = painted(("the rent", 100, 70_000), ("the rent", 100, 68_000))
    assert [place.span for place in find_places("the rent", twice).all] == [Span(0, 8)]
    assert len(find_places("the rent", apart).all) == 2


def test_the_offsets_of_both_copies_name_what_is_read() -> None:
    twice = painted(("the rent", 100, 70_000), ("the rent", 120, 70_000))
    judged = judge_folds("the rent", twice, Span(0, 17))
    assert (judged.equal, judged.folds) == (True, ("overprint",))
    assert judge_folds("the rent the rent", twice, Span(0, 17)).folds == ("white_space",)


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        pytest.param("10", "1000", id="digits"),
        pytest.param("comitee", "committee", id="double letters"),
        pytest.param("the fee", "the the fee", id="a word written twice"),
    ],
)
def test_what_stands_side_by_side_is_no_copy(quote: str, line: str) -> None:
    extraction = painted((line, 100, 70_000))
    assert not judge_folds(quote, extraction, Span(0, len(line))).equal


def test_a_policy_accepts_the_fold_only_where_it_lists_it() -> None:
    listed = {name: "overprint" in load_policy(name).folds for name in ("balanced", "strict")}
    assert listed == {"balanced": True, "strict": False}
