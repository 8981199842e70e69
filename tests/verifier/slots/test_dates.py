from __future__ import annotations

import pytest

from spanproof.verifier.slots import compare_slots


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        (
            "A safety study of the 2019-nCoV vaccine began.",
            "A safety study of the mRNA-1273 vaccine began.",
        ),
        ("The study used the MX-1999 probe.", "The study used the probe of 2003."),
    ],
)
def test_digits_that_a_hyphen_binds_to_a_name_are_no_year(claim: str, premise: str) -> None:
    assert compare_slots(claim, premise, premise_start=0) == ()
    assert compare_slots(premise, claim, premise_start=0) == ()


@pytest.mark.parametrize("part", ["mid", "late", "Early", "pre", "Jan", "FY"])
def test_a_part_of_a_year_is_of_that_year(part: str) -> None:
    (veto,) = compare_slots(
        f"The office opened in {part}-1999.", f"The office opened in {part}-1989.", premise_start=0
    )
    assert (veto.kind, veto.claim, veto.source) == ("date", "1999", "1989")
