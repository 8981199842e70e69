"""Words that an ellipsis may stand for, and words without which the rest says something else."""

from __future__ import annotations

import pytest

from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.verifier.quotes.edited.left_out import may_leave_out
from spanproof.verifier.quotes.existence import find_quote
from tests.builders import make_extraction


def split(marked: str) -> tuple[str, str, ExistenceStatus]:
    """What the source says, what is left out of it (in braces), and the status of the quote."""
    before, _, rest = marked.partition("{")
    left_out, _, behind = rest.partition("}")
    source = before + left_out + behind
    quote = f"{before.strip()} … {behind.strip()}"
    return source, left_out, find_quote(quote, make_extraction(source)).status


@pytest.mark.parametrize(
    "marked",
    [
        "The rent of the flat {of $1,500.25 }is due on the first day.",
        "The rent of $1,500{, which the tenant pays, }is due at once.",
        "The tenant pays it {on 3 June 2019 }to the owner at once.",
        "The firm grew and {in 2019 }revenue rose by much.",
        "The firm grew in 2019 {after the merger }and it rose by much.",
        "The tenant of it {and Harbour Limited }pay the rent in full.",
        "The tenant pays rent{, and the owner of the house }keeps it safe.",
        "It rose by 45 %, {as the board says, }and the dividend rose too.",
        "It is due in 30 days{, and the owner }says so to the tenant.",
    ],
)
def test_words_that_change_nothing_else_may_go(marked: str) -> None:
    source, left_out, status = split(marked)
    start = source.index(left_out)
    assert may_leave_out(source, start, start + len(left_out))
    assert status is ExistenceStatus.EDITORIAL


@pytest.mark.parametrize(
    "marked",
    [
        # A number and what it belongs to.
        "The rent is due within {30 }days of the notice.",
        "The rent is due within 30 {days of the notice }and is paid in full.",
        "The firm pays all of its {1500 }workers on the first day.",
        "The price of it is 45 {per cent of the rent }and is paid at once.",
        "The price of it rose by 45{ % of the rent }and is paid at once.",
        "The price of it is {EUR }10,000 in each of the years.",
        "The price of it is EUR {10,000 in cash, }and is paid at once.",
        "The price of it is $1,500 {a month }and is paid at once.",
        "The price of it is $1,500 {or more }and is paid at once.",
        "The price of it is 1{,500 dollars }and is paid at once.",
        "The price of it is {45 }million and is paid at once.",
        "The permit is issued under section {5 of the act }and is valid for long.",
        "The lease ends on 3 {June 2019 }and is kept by them.",
        "The lease ends in June {2019 with a note }and is kept by them.",
        "The owner lives on the 3rd {floor of the house }and is well there.",
        # A name and its other part.
        "The fee is paid by Harbour {Limited in cash }and is kept by them.",
        "The fee is paid by {New }York in cash and is kept.",
        "The fee is paid to the Bank {of England in cash }and is kept by them.",
        "The men fly in a Boeing {747 of theirs }and is kept by them.",
        # Words that deny, limit, doubt, or set a condition.
        "The tenant pays the deposit {if the owner asks }in full at once.",
        "The tenant pays the deposit{, provided the owner asks, }in full at once.",
        "The tenant pays the deposit {subject to notice }in full at once.",
        "The manager of the firm {allegedly }stole the whole sum.",
        "The manager says that {some of the }workers have left them.",
        "The law of the state {prohibits that }the tenant pays it.",
        "The law of the state {does n't say }the tenant pays it.",
        "The tenant pays the deposit{, excluding fees, }in full at once.",
        "The tenant pays the deposit{, save for fees, }in full at once.",
        "The tenant pays the deposit {in every year }in full at once.",
    ],
)
def test_words_without_which_the_rest_says_something_else_may_not(marked: str) -> None:
    source, left_out, status = split(marked)
    start = source.index(f"{left_out}")
    assert not may_leave_out(source, start, start + len(left_out))
    assert status is not ExistenceStatus.EDITORIAL
