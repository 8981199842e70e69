from __future__ import annotations

import pytest

from spanproof.verifier.slots import compare_slots


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Westlake is a city in Louisiana, USA, near Lake Charles.", "United States"),
        ("Westlake is a city in Louisiana, United States, near Lake Charles.", "U.S."),
        ("Westlake is a city in Louisiana, United States, near Lake Charles.", "USA"),
    ],
)
def test_a_country_is_the_same_by_any_of_its_names(claim: str, source: str) -> None:
    premise = f"Westlake is a city in Louisiana, {source}, near Lake Charles."
    assert compare_slots(claim, premise, premise_start=0) == ()
    other = premise.replace(source, "Canada")
    assert [veto.kind for veto in compare_slots(claim, other, premise_start=0)] == ["name"]


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        (
            "The SEC's new rule gives boards no independence.",
            "The Securities and Exchange Commission's new rule gives boards no independence.",
        ),
        (
            "The former member has defected to the Lib Dems.",
            "The former member has defected to the Liberal Democrats.",
        ),
        (
            "The Liberal Democrat leader spoke to members.",
            "The Lib Dem leader spoke to members.",
        ),
        (
            "Soldiers were killed near the Shi'ite district.",
            "Soldiers were killed near the Shiite district.",
        ),
        (
            "The actress has modelled for L'Or\u00e9al.",
            "The actress has modelled for Mango and L'Ore\u0301al.",
        ),
        ("The prize went to Käthe last year.", "The prize went to Kathe last year."),
    ],
    ids=["initials", "cut short", "written out", "apostrophe", "decomposed", "accent"],
)
def test_one_name_written_in_two_ways_is_no_veto(claim: str, premise: str) -> None:
    assert compare_slots(claim, premise, premise_start=0) == ()


@pytest.mark.parametrize(
    ("claim", "premise", "rival"),
    [
        (
            "The former member has defected to the Lab Dems.",
            "The former member has defected to the Liberal Democrats.",
            "Liberal Democrats",
        ),
        (
            "Soldiers were killed near the Sunni district.",
            "Soldiers were killed near the Shiite district.",
            "Shiite",
        ),
        (
            "The report was published by the World Health Organization.",
            "The report was published by the Berlin Institute, who advised us.",
            "Berlin Institute",
        ),
    ],
)
def test_another_name_of_the_same_make_is_a_veto(claim: str, premise: str, rival: str) -> None:
    (veto,) = compare_slots(claim, premise, premise_start=0)
    assert (veto.kind, veto.source) == ("name", rival)
    assert veto.source_span is not None
    assert premise[veto.source_span.start : veto.source_span.end] == rival
