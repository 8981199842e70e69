"""Words that an edge cuts, and claims that take what is left for a whole word."""

from __future__ import annotations

import pytest

from spanproof.core.span import Span
from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.quotes.cuts import repeats_cut
from spanproof.verifier.quotes.existence import find_cut
from tests.builders import make_extraction, make_library
from tests.verifier.checking import check, cite

POLICIES = ("balanced", "review", "strict")


def repeats(text: str, quote: str, claim: str) -> bool:
    start = text.find(quote)
    span = Span(start, start + len(quote))
    return bool(find_cut(make_extraction(text), span)) and repeats_cut(text, span, claim)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("text", "quote", "claim"),
    [
        ("The surveyor calls it uninhabitable now.", "habitable", "The house is habitable."),
        ("A storehouse pays a fee each year.", "house pays a fee", "The house pays a fee."),
        ("A storehouse pays a fee each year.", "house pays a fee", "Houses pay a fee."),
        ("The overpaid sum is due at once.", "paid sum is due", "The sum is due and was paid."),
    ],
)
def test_a_claim_that_repeats_a_cut_word_fails(
    policy: str, text: str, quote: str, claim: str
) -> None:
    document = make_extraction(text)
    answer = f"{claim[:-1]} [1]."
    library = make_library(document)
    (verdict,) = check(
        answer, cite(quote, document=document), library=library, policy=policy
    ).verdicts
    assert {"SPAN_CUTS_TOKEN", "SPAN_CUTS_MEANING"} <= set(verdict.codes)
    assert verdict.outcome is Outcome.FAIL


@pytest.mark.parametrize("policy", POLICIES)
def test_a_cut_word_that_the_claim_says_whole_goes_to_review(policy: str) -> None:
    document = make_extraction("The supplier signs all contracts by hand.")
    quote = "The supplier signs all contract"
    library = make_library(document)
    for claim in ("The supplier signs all contracts", "The supplier signs each contract"):
        (verdict,) = check(
            f"{claim} [1].", cite(quote, document=document), library=library, policy=policy
        ).verdicts
        assert "SPAN_CUTS_TOKEN" in verdict.codes
        assert "SPAN_CUTS_MEANING" not in verdict.codes
        assert verdict.outcome is not Outcome.PASS


@pytest.mark.parametrize(
    ("text", "quote", "claim"),
    [
        ("an unin\u00adhabitable house", "abitable house", "abitable"),
        ("a re\ufb01nance plan", "nance plan", "The nance plan."),
        ("she is a houseboat owner", "she is a house", "She has a house."),
        ("it is hardly known", "it is hard", "It is hard."),
        ("delivered without charge", "delivered with", "It is delivered with charge."),
        ("the Mietvertrag endet", "vertrag endet", "Der Vertrag endet."),
        ("cafe\u0301teria opens", "teria opens", "The teria opens."),
    ],
)
def test_another_word_is_repeated(text: str, quote: str, claim: str) -> None:
    assert repeats(text, quote, claim)


@pytest.mark.parametrize(
    ("text", "quote", "claim"),
    [
        # The claim has the whole word, in another form or spelling.
        ("the contracts end", "the contract", "The contract ends."),
        ("they stopped it", "they stop", "They stop it."),
        ("The house is uninhabitable", "habitable", "It is uninhabitable, not habitable."),
        ("an uninhabitable house", "habitable house", "An unin-habitable, habitable house."),
        ("a store-\nhouse pays", "ouse pays", "The house pays."),
        # It stands whole in the span, too.
        ("A storehouse pays. A house pays.", "house pays. A house pays.", "The house pays."),
        # The claim does not repeat it.
        ("a storehouse pays", "house pays", "Somebody pays."),
        # No word is cut.
        ("the company's house", "the company", "The company."),
        ("a well-known firm", "known firm", "A known firm."),
        ("看Python语言", "Python", "It is Python."),
        ("本契約は有効である", "契約は有効", "契約は有効"),
        ("see https://example.com/report", "example.com", "See example.com."),
        ("user_name is set", "name is set", "The name is set."),
        # Two words without a blank between them.
        ("Total revenueCompany pays", "Company pays", "The company pays."),
        ("call getUserName first", "call getUser", "Call getUser."),
        ("inthe house", "the house", "The house."),
    ],
)
def test_no_other_word_is_repeated(text: str, quote: str, claim: str) -> None:
    assert not repeats(text, quote, claim)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("the re-\nport is late", "port is late"),
        ("the re-\nport is late", "the re-"),
        ("the re-\nport is late", "the re"),
        ("the re\u00adport is late", "port is late"),
        ("the re\u00ad\nport is late", "the re"),
        ("cafe\u0301teria opens", "teria opens"),
    ],
)
def test_a_word_that_a_hyphen_breaks_is_cut_too(text: str, quote: str) -> None:
    start = text.find(quote)
    span = Span(start, start + len(quote))
    assert find_cut(make_extraction(text), span) == ("SPAN_CUTS_TOKEN",)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("the re-\nport is late", "re-\nport is late"),
        ("as listed -\nport dues", "port dues"),
        ("the Baden-\nBaden line", "Baden line"),
        ("from 2019-\nto 2020", "to 2020"),
        ("a pre-\n\nport dues", "port dues"),
    ],
)
def test_a_line_behind_another_hyphen_begins_a_word(text: str, quote: str) -> None:
    start = text.find(quote)
    assert find_cut(make_extraction(text), Span(start, start + len(quote))) == ()


def test_a_soft_hyphen_hides_no_negation() -> None:
    text = "he is un\u00adable to pay"
    start = text.find("able")
    assert "SPAN_CUTS_MEANING" in find_cut(make_extraction(text), Span(start, len(text)))
