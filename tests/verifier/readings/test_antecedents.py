"""Pronouns and short names stand for what they can only mean; where two may be meant, for none."""

from __future__ import annotations

import pytest

from tests.verifier.readings.forms import check, says

_AXOLOTL = (
    "The axolotl is a salamander of the lakes of Mexico. "
    "Unlike most amphibians, it keeps its gills."
)
_CARD = "New starters receive a laptop and a door card. The card must be worn at all times."
_OVERTIME = "Overtime must be authorised by the line manager. It is paid at double time on Sundays."
_BRIDGE = "The Halden bridge was opened in 1936. It was closed to lorries in 2004."
_MANAGERS = "Line managers review the rota every Friday. They may reject late requests."


@pytest.mark.parametrize(
    ("premise", "claim", "falsehood"),
    [
        (
            _AXOLOTL,
            "Unlike most amphibians, the axolotl keeps its gills.",
            "Like most amphibians, the axolotl keeps its gills.",
        ),
        (
            _CARD,
            "The door card must be worn at all times.",
            "The laptop must be worn at all times.",
        ),
        (
            _OVERTIME,
            "Overtime is paid at double time on Sundays.",
            "The line manager is paid at double time on Sundays.",
        ),
        (
            _BRIDGE,
            "The Halden bridge was closed to lorries in 2004.",
            "The Halden bridge was closed to lorries in 1936.",
        ),
        (
            _MANAGERS,
            "Line managers may reject late requests.",
            "Line managers may reject requests every Friday.",
        ),
    ],
)
def test_a_pronoun_stands_for_the_only_thing_that_it_can_mean(
    premise: str, claim: str, falsehood: str
) -> None:
    check(premise, claim, falsehood)


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        (
            "The museum bought a painting. It was restored in 1998.",
            "The museum was restored in 1998.",
        ),
        ("The firm sued the bank. It lost in May.", "The firm lost in May."),
        ("Drivers report managers. They may refuse work.", "Drivers may refuse work."),
        (
            "It sold an old mill and a paper mill. The mill employs 300 people.",
            "The old mill employs 300 people.",
        ),
        (
            "The guard does not issue a door card. The card must be worn.",
            "The door card must be worn.",
        ),
        (
            "The rule is old. It is known that the lamp broke.",
            "The rule is known that the lamp broke.",
        ),
        ("Anna Berg met Eva Falk. She resigned in May.", "Eva Falk resigned in May."),
    ],
)
def test_where_two_may_be_meant_neither_is(premise: str, claim: str) -> None:
    assert not says(premise, claim)
