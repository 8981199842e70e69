"""Quotes as language models write them, and edits that change what the source says."""

from __future__ import annotations

import pytest

from spanproof.core.citation import Quote
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.policies import load_policy
from spanproof.verifier.quotes.existence import check_existence, find_quote
from tests.builders import make_extraction

TEXT = (
    "The tenant pays the deposit before moving in, and the landlord keeps it in a separate account "
    "as the guidance says [12] for such leases. The deposit earns interest, but the tenant may not "
    "set it off against rent of $1,500.25 a month, as Harbour Limited knows. "
    "No pets are kept here. The court keeps the record.¹² It lends nothing of it. "
    "As measured by the surveyor³ for the board, 40 metres² are let; "
    "the fee falls due on the 5. May of every second year there is. thirty (30) days remain.\n"
    "2. The owner keeps the keys of the house\n"
    "3.1 The keeper insures the house and names to\n12 Apostles what it costs"
)


@pytest.mark.parametrize(
    ("quote", "kinds"),
    [
        ("the landlord keeps it in a separate account.", ["end_stop"]),
        ("The landlord keeps it in a separate account", ["first_letter"]),
        ("the deposit earns interest", ["first_letter"]),
        ("the keeper insures the house", ["first_letter"]),
        ("“the landlord keeps it in a separate account”", ["quotation_marks"]),
        ("The tenant pays the deposit … keeps it in a separate account", ["ellipsis"]),
        ("The tenant pays the deposit [...] keeps it in a separate account", ["ellipsis"]),
        ("The tenant pays the **deposit** before moving in", ["emphasis"]),
        ("The tenant pays the [deposit](https://example.org/d) before moving in", ["link"]),
        ("- The tenant pays the deposit before moving in", ["list_mark"]),
        ("as the guidance says for such leases", ["reference_mark"]),
        ("1. The tenant pays the deposit before moving in", ["list_numeral"]),
        ("(b) The tenant pays the deposit before moving in", ["list_numeral"]),
        ("‹The tenant pays the deposit before moving in›", ["quotation_marks"]),
        ("The court keeps the record. It lends nothing of it", ["reference_mark"]),
        ("measured by the surveyor for the board", ["reference_mark"]),
        (
            '"The landlord keeps it in a separate account."',
            ["quotation_marks", "first_letter", "end_stop"],
        ),
    ],
)
def test_an_edit_that_writing_makes_is_listed_with_its_place(quote: str, kinds: list[str]) -> None:
    existence = find_quote(quote, make_extraction(TEXT))
    assert existence.status is ExistenceStatus.EDITORIAL
    assert existence.difference is not None
    assert [edit.kind for edit in existence.difference.edits] == kinds
    assert not any(edit.protected for edit in existence.difference.edits)
    for edit in existence.difference.edits:
        assert edit.source == TEXT[edit.span.start : edit.span.end]


@pytest.mark.parametrize(
    "quote",
    [
        "[the owner] keeps it in a separate account",
        "the landlord [never] keeps it in a separate account",
        "the tenant … set it off against rent of $1,500.25",
        "but the tenant may … it off against rent",
        "keeps it in a separate account … The tenant pays the deposit",
        "rent of $1,500.",
        "against rent of $1,500",
        "harbour Limited knows",
        "no pets are kept here",
        "THE tenant pays the deposit before moving in",
        "The tenant pays the deposit before moving in?",
        "- 1,500.25 a month",
        "the landlord **keeps** it in a shared account",
        "as the guidance says [13] for such leases",
        "the deposit … keeps it",
        "3. The owner keeps the keys of the house",
        "6. May of every second year there is",
        "J. The tenant pays the deposit before moving in",
        "1. No pets are here",
        "40 metres are let; the fee falls due",
        "thirty days remain",
        "apostles what it costs",
    ],
)
def test_an_edit_that_may_change_what_is_said_is_none(quote: str) -> None:
    existence, codes = check_existence(Quote(text=quote), make_extraction(TEXT), ())
    assert existence.status is not ExistenceStatus.EDITORIAL
    # "$1,500" stands there, cut out of a longer number: its own code says so.
    assert existence.status is not ExistenceStatus.EXACT or "SPAN_CUTS_TOKEN" in codes


def test_of_two_places_none_is_chosen_but_the_one_at_the_offsets() -> None:
    extraction = make_extraction("one fee is due, and one fee is due; the rest is free")
    assert find_quote("“one fee is due”", extraction).status is ExistenceStatus.AMBIGUOUS
    at = Quote(text="“one fee is due”", start=20, end=36)
    existence = check_existence(at, extraction, ())[0]
    assert existence.status is ExistenceStatus.EDITORIAL
    elsewhere = Quote(text="“the rest is free”", start=0, end=14)
    assert check_existence(elsewhere, extraction, ())[0].status is ExistenceStatus.MOVED


def test_balanced_passes_it_and_the_others_ask_a_person() -> None:
    effects = {
        name: load_policy(name).effect_of("EXISTENCE_EDITORIAL")
        for name in ("balanced", "review", "strict")
    }
    assert effects == {"balanced": "pass", "review": "review", "strict": "review"}


def test_a_stop_does_not_take_the_place_of_a_number() -> None:
    extraction = make_extraction("The permit is issued under section 5 of the act in May 2019.")
    cut = find_quote("The permit is issued under section.", extraction)
    assert cut.status is ExistenceStatus.ALTERED
    kept = find_quote("The permit is issued under section 5.", extraction)
    assert kept.status is ExistenceStatus.EDITORIAL
