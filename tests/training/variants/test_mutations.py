from __future__ import annotations

import random

import pytest

from training.variants.mutations import KINDS, mutate
from training.variants.reformats import reformat

_PREMISE = (
    "On 5 May 2014 the first tenant, Anna Schmidt, paid $1,500 for 12 weeks in Berlin to Paul"
    " Weber. The 40 percent of all guests who stay two nights must pay before June."
)


def _mutations(claim: str, kind: str) -> set[tuple[str, str]]:
    return {
        (mutation.original, mutation.changed)
        for seed in range(60)
        for mutation in mutate(_PREMISE, claim, random.Random(seed))  # noqa: S311
        if mutation.kind == kind
    }


@pytest.mark.parametrize(
    ("claim", "kind", "original"),
    [
        ("She paid 1,500 for it.", "number", "1,500"),
        ("She stayed two nights.", "number_word", "two"),
        ("She paid in 2014.", "year", "2014"),
        ("She paid on 5 May.", "date", "5"),
        ("She paid for 12 weeks.", "unit", "weeks"),
        ("She paid $1,500.", "currency", "$"),
        ("It is 40 percent of them.", "percent", "40"),
        ("The first tenant paid.", "ordinal", "first"),
        ("She was in Berlin.", "negation_added", ""),
        ("She did not pay.", "negation_dropped", "did not "),
        ("Here all guests pay.", "quantifier", "all"),
        ("Guests must pay.", "modality", "must"),
        ("They pay before June.", "direction", "before"),
        ("Money went to Paul Weber.", "name_of_premise", "Paul Weber"),
        ("Money went to Paul Weber.", "name_at_random", "Paul Weber"),
    ],
)
def test_each_kind_changes_its_slot(claim: str, kind: str, original: str) -> None:
    made = _mutations(claim, kind)
    assert {old for old, _ in made} == {original}
    assert all(new != original for _, new in made)


def test_a_name_at_the_end_of_a_claim_is_no_other_name_of_the_premise() -> None:
    # A mutation that changes nothing would count as a miss of the slot layer.
    assert _mutations("She lived long in Berlin.", "name_of_premise") == set()


def test_every_kind_is_tried_above() -> None:
    assert len(KINDS) == 15


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("She paid 1,700 for it.", "number"),
        ("She paid at least 12 of it.", "number"),
        ("She paid in 2015.", "year"),
        ("Money went to Clara Vogt.", "name_of_premise"),
        ("She never pays.", "negation_added"),
    ],
)
def test_what_the_premise_does_not_support_or_a_bound_leaves_open_stays(
    claim: str, kind: str
) -> None:
    assert _mutations(claim, kind) == set()


def test_a_new_value_does_not_stand_in_the_premise() -> None:
    words = set(_PREMISE.replace("$", "").replace(".", "").replace(",", "").split())
    for claim, kind in (
        ("She paid for 12 weeks.", "number"),
        ("She paid in 2014.", "year"),
        ("She stayed two nights.", "number_word"),
    ):
        assert not {new.replace(",", "") for _, new in _mutations(claim, kind)} & words


def test_a_mutation_changes_one_place_and_says_where() -> None:
    claim = "Anna Schmidt paid $1,500 for 12 weeks and was in Berlin before June."
    for seed in range(20):
        for mutation in mutate(_PREMISE, claim, random.Random(seed)):  # noqa: S311
            end = mutation.start + len(mutation.original)
            assert claim[mutation.start : end] == mutation.original
            assert mutation.text == claim[: mutation.start] + mutation.changed + claim[end:]
            assert mutation.text != claim


@pytest.mark.parametrize(
    ("claim", "kind", "changed"),
    [
        ("It lasts 4 days.", "digits_to_words", "It lasts four days."),
        ("It lasts four days.", "words_to_digits", "It lasts 4 days."),
        ("It has 12,000 seats.", "marks_dropped", "It has 12000 seats."),
        ("It has 12000 seats.", "marks_added", "It has 12,000 seats."),
        ("It is 5% of it.", "percent_word", "It is 5 percent of it."),
        ("It is 5 percent of it.", "percent_sign", "It is 5% of it."),
        ("It ended May 5, 2020.", "date_turned", "It ended 5 May 2020."),
        ("It ended 5 May 2020.", "date_iso", "It ended 2020-05-05."),
        ("It ended 5 March 2020.", "month_short", "It ended 5 Mar 2020."),
        ("It is 5 km long.", "unit_spelling", "It is 5 kilometres long."),
        ("It costs $5.", "currency_code", "It costs USD 5."),
        ("It costs €5.", "currency_name", "It costs 5 euros."),
        ("It is the first.", "ordinal", "It is the 1st."),
        ("It is not so.", "contraction", "It isn't so."),
        ("It isn't so.", "expansion", "It is not so."),
        ("Anna's.", "quotes", "Anna’s."),
        ("Here - there.", "dash", "Here — there."),
        ("A 4-day visit.", "hyphen", "A 4 day visit."),
        ("It is so.", "final_stop", "It is so"),
    ],
)
def test_each_format_change(claim: str, kind: str, changed: str) -> None:
    made = {change.kind: change.text for change in reformat(claim, random.Random(0))}  # noqa: S311
    assert made[kind] == changed
