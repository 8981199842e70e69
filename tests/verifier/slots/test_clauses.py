"""Clauses out of longer sentences: what an answer may take out of one, and what it may not."""

from __future__ import annotations

import pytest

from spanproof.verifier.slots.agreement import find_agreement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The backup is kept for 30 days.", "The backup runs at midnight and is kept for 30 days."),
        (
            "The firm went public in 1998.",
            "The firm was founded in 1952 in Ghent and went public in 1998.",
        ),
        ("The hotel has two restaurants.", "The hotel has a sauna, a gym and two restaurants."),
        ("The kit contains two fuses.", "The kit contains a lamp, two fuses and a charger."),
        (
            "Rents rose by 5 percent in Munich.",
            "Rents rose by 3 percent in Hamburg and by 5 percent in Munich.",
        ),
        (
            "The song reached number four in Italy.",
            "The song reached number one in Spain and number four in Italy.",
        ),
        (
            "The auditor recommended better controls.",
            "The auditor found no errors in the accounts, but recommended better controls.",
        ),
        (
            "Lisbon is the capital of Portugal.",
            "Lisbon (population 545,000) is the capital of Portugal.",
        ),
        ("The bill was passed in July.", "The parliament passed the bill in July."),
        (
            "Goods can be returned within two weeks of delivery.",
            "Customers may return goods within 14 days of delivery.",
        ),
    ],
)
def test_a_clause_of_a_sentence_stands_in_it(claim: str, source: str) -> None:
    assert find_agreement(claim, source) == "verbatim"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Revenue of Beta totalled 5 million.", "Revenue of Acme and Beta totalled 5 million."),
        ("The firm bought Beta.", "The firm bought Acme and Beta was sold to Gamma."),
        ("Tom married Bob.", "Tom married Ann and Bob left the town."),
        ("Tom left the town.", "Tom married Ann and Bob left the town."),
        (
            "The company sells Beta next year.",
            "The company wants to buy Acme and sell Beta next year.",
        ),
        (
            "The tenant keeps the flat.",
            "Either the tenant pays the rent and keeps the flat or leaves it.",
        ),
        ("The hotel has no large gym.", "The hotel has no pool but a large gym."),
        ("The dog scratched the child.", "The dog bit the man and the cat scratched the child."),
        ("Smith sold Beta in 2010.", "Smith hired Jones, who founded Acme and sold Beta in 2010."),
        (
            "The firm hid losses from investors.",
            "The firm denied selling data and hiding losses from investors.",
        ),
        ("The budget was approved in May.", "The senate approved the budget committee in May."),
        ("The budget was approved in May.", "The senate failed to approve the budget in May."),
        ("The budget was approved in May.", "The senate may approve the budget in May."),
        ("The owner was accused by fraud.", "The lawyer accused the owner of fraud."),
    ],
)
def test_words_of_two_clauses_are_no_clause(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "The WHO declared the outbreak over in June.",
            "The World Health Organization declared the outbreak over in June.",
        ),
        ("The US imported 3 million tonnes.", "The United States imported 3 million tonnes."),
        ("The fee is €50 per month.", "The fee is EUR 50 a month."),
        ("The jury consists of seven members.", "The jury is made up of seven members."),
        ("The vaccine is stored at -20 °C.", "The vaccine is stored at minus 20 degrees Celsius."),
        ("Orders are delivered within one week.", "Orders are delivered within 7 days."),
        ("The probation period lasts six months.", "The probation period is six months."),
        ("The firm has 300 employees.", "The firm employs 300 people."),
    ],
)
def test_the_rest_of_a_phrase_or_an_amount_is_no_other_word(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is not None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Orders are delivered within one week.", "Orders are delivered within 9 days."),
        ("The oven reached 200 °C.", "The oven reached 200 degrees Fahrenheit."),
        ("The album was released in May of 1990.", "The album was released in 1990."),
    ],
)
def test_another_amount_or_date_is_not_said(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is None
