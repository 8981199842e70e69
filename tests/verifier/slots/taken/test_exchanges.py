"""Claims that have every word of a sentence: which order keeps what it says, and which does not."""

from __future__ import annotations

import pytest

from spanproof.verifier.slots.agreement import find_agreement


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Born in Kiel, he died in Bonn.", "Born in Bonn, he died in Kiel."),
        (
            "Ben manages Berlin and Anna manages Munich.",
            "Anna manages Berlin and Ben manages Munich.",
        ),
        (
            "Erlich and Ram won the title, defeating Knowles and Nestor in the final.",
            "Knowles and Nestor won the title, defeating Erlich and Ram in the final.",
        ),
        (
            "The main leader of the movement became the new regent of Bonn.",
            "The new leader of the movement became the main regent of Bonn.",
        ),
        (
            "It was backed by Ferris and others, of whom all dropped out.",
            "It was backed by Ferris and others, of whom all but Ferris dropped out.",
        ),
        (
            "It was neither written nor directed by Roth and is the first not to have a release.",
            "It was directed by Roth and is the first not to have a release.",
        ),
        (
            "Carr is the artistic director, Peter Donohoe the guest conductor.",
            "Donohoe is the artistic director, Peter Carr the guest conductor.",
        ),
    ],
)
def test_two_parts_that_change_places_are_no_restatement(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("In May the construction begins.", "The building starts in May."),
        ("Canberra is Australia's capital.", "The capital of Australia is Canberra."),
        (
            "Madonna, Prince and Michael Jackson were influences on the album.",
            "Michael Jackson, Prince and Madonna were influences on the album.",
        ),
        ("A shot is taken by a basketball player.", "A basketball player takes a shot."),
        ("Acme bought the plant in May.", "The plant was bought by Acme in May."),
        (
            "Storm damage led to the closure of the bridge.",
            "The bridge was closed because of storm damage.",
        ),
        (
            "The two groups did not differ significantly in the study.",
            "The study found no significant difference between the two groups.",
        ),
        (
            "On signing, 10 per cent of the price has to be paid as a deposit.",
            "A deposit of 10 % of the price is due on signing.",
        ),
    ],
)
def test_one_part_that_moves_a_list_and_a_passive_keep_the_meaning(claim: str, source: str) -> None:
    assert find_agreement(claim, source) is not None
