"""Names that a text gives itself stand for what they name, and for nothing else."""

from __future__ import annotations

import pytest

from tests.verifier.readings.forms import check, says

_LEASE = (
    "Brightwater Homes (the “Landlord”) lets the flat to Ferris Ltd (the “Tenant”). "
    "The Landlord shall insure the flat against fire. The Tenant shall repair the windows."
)


@pytest.mark.parametrize(
    ("premise", "claim", "falsehood"),
    [
        (
            _LEASE,
            "Brightwater Homes must insure the flat against fire.",
            "Ferris Ltd must insure the flat against fire.",
        ),
        (
            _LEASE,
            "Ferris Ltd must repair the windows.",
            "Brightwater Homes must repair the windows.",
        ),
        (
            "Requests must be filed with the Office of Building Permits (OBP).",
            "Requests must be filed with the OBP.",
            "Requests must be filed with the OPB.",
        ),
    ],
)
def test_a_defined_name_stands_for_its_party(premise: str, claim: str, falsehood: str) -> None:
    check(premise, claim, falsehood)


def test_a_name_that_is_given_twice_stands_for_nobody() -> None:
    text = "Alpha Ltd (the “Seller”) and Beta Ltd (the “Seller”) sign. The Seller pays the tax."
    assert not says(text, "Alpha Ltd pays the tax.")
