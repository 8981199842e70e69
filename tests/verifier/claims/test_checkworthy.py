from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.claims.checkworthy import judge_check_worthiness

REASONS = {
    False: {"heading", "label", "question", "greeting", "offer", "abstention", "fragment"},
    True: {"number", "date", "duty", "comparison", "name", "statement"},
}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Refunds take 4 days.", "number"),
        ("Refunds take four days.", "number"),
        ("The lease began in July.", "date"),
        ("The tenant must repair the roof.", "duty"),
        ("The fee is higher than before.", "comparison"),
        ("The house belongs to Globex now.", "name"),
        ("The roof leaks in heavy rain.", "statement"),
        ("付款在期限内完成。", "statement"),
        ("- **Refunds** take 4 days", "number"),
        ("Please pay the supplier within 10 days.", "number"),
    ],
)
def test_statements_are_worth_a_check(text: str, reason: str) -> None:
    worth = judge_check_worthiness(text)
    assert (worth.check_worthy, worth.reason) == (True, reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Hello!", "greeting"),
        ("Great question!", "greeting"),
        ("Which of the 3 leases do you mean?", "question"),
        ("どの契約ですか？", "question"),
        ("Let me know if you need more.", "offer"),
        ("Feel free to ask about the 2024 report.", "offer"),
        ("I hope this helps!", "offer"),
        ("I could not find an answer in the 3 documents.", "abstention"),
        ("I’m sorry, I can’t help with that.", "abstention"),
        ("The documents do not mention Globex.", "abstention"),
        ("**Refund policy**", "heading"),
        ("In short:", "label"),
        ("Yes.", "fragment"),
        ("了解。", "fragment"),
    ],
)
def test_what_states_nothing_is_not(text: str, reason: str) -> None:
    worth = judge_check_worthiness(text)
    assert (worth.check_worthy, worth.reason) == (False, reason)


def test_headings_are_known_by_their_kind() -> None:
    assert judge_check_worthiness("## Refunds in 2024", "heading").reason == "heading"


@given(st.text(max_size=80))
def test_every_text_has_one_of_the_reasons(text: str) -> None:
    worth = judge_check_worthiness(text)
    assert worth.reason in REASONS[worth.check_worthy]
    assert judge_check_worthiness(text) == worth
