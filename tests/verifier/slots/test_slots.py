from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.slots import compare_slots
from tests.strategies import any_texts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("hypothesis", "premise", "kind", "claim", "source"),
    [
        ("The notice period is 60 days.", "The notice period is 30 days.", "number", "60", "30"),
        ("Delivery takes six weeks.", "Delivery takes four weeks.", "number", "six", "four"),
        ("The fee is $600.", "The fee is $500.", "number", "$600", "$500"),
        ("The fee is €500.", "The fee is $500.", "currency", "€500", "$500"),
        ("The fee is EUR 500.", "The fee is $500.", "currency", "500", "$500"),
        ("The fee is $5m.", "The fee is $6 million.", "number", "$5m", "$6 million"),
        ("The fee is $5m.", "The fee is $5bn.", "number", "$5m", "$5bn"),
        ("Delivery takes 5 weeks.", "Delivery takes 5 days.", "unit", "5 weeks", "5 days"),
        ("Sales rose by 68 %.", "Sales rose by 86 %.", "number", "68 %", "86 %"),
        ("It was founded in 1999.", "It was founded in 1989.", "date", "1999", "1989"),
        ("It ended on 5 May 2020.", "It ended on 6 May 2020.", "date", "5 May 2020", "6 May 2020"),
        ("They live on the second floor.", "They live on the third floor.", "ordinal", "second",
         "third"),
        ("The ratio was 4.75 in all.", "The ratio was 3.75 in all.", "number", "4.75", "3.75"),
        ("The supplier may assign the contract.", "The supplier may not assign the contract.",
         "negation", "", "not"),
        ("The tenant does not pay the tax.", "The tenant pays the tax.", "negation", "not", ""),
        ("The court accepted the argument.", "The court rejected the argument.", "antonym",
         "accepted", "rejected"),
        ("Payment is due before delivery.", "Payment is due after delivery.", "antonym", "before",
         "after"),
        ("He smokes.", "He does not smoke.", "negation", "", "not"),
        ("He smoked.", "He did not smoke.", "negation", "", "not"),
        ("He never paid.", "He paid.", "negation", "never", ""),
        ("She cannot leave.", "She can leave.", "negation", "cannot", ""),
        ("She can leave.", "He stays. She can't leave. They wait.", "negation", "", "can't"),
        ("He is late.", "He isn't late.", "negation", "", "isn't"),
        ("It is safe.", "It is unsafe.", "antonym", "safe", "unsafe"),
        ("It is permitted.", "It is forbidden.", "antonym", "permitted", "forbidden"),
        ("Smoking is allowed here.", "Smoking is prohibited here.", "antonym", "allowed",
         "prohibited"),
        ("Smoking is permitted here.", "Smoking is forbidden here.", "antonym", "permitted",
         "forbidden"),
        ("The ladder is safe.", "The ladder is unsafe.", "antonym", "safe", "unsafe"),
        ("The policy covers floods.", "The policy excludes floods.", "antonym", "covers",
         "excludes"),
        ("The prices include tax.", "The prices exclude tax.", "antonym", "include", "exclude"),
        ("The board may approve the plan.", "The board may refuse the plan.", "antonym", "approve",
         "refuse"),
        ("At least ten members voted.", "At most ten members voted.", "number", "ten", "ten"),
        ("More than ten members voted.", "No more than ten members voted.", "number", "ten",
         "ten"),
        ("They grossed $873 thousand.", "They grossed $873 million.", "number", "thousand",
         "million"),
        ("The notice period is 30 weeks here.", "The notice period is 30 days here.", "unit",
         "weeks", "days"),
        ("Iron Man 6 had three releases.", "Iron Man 2 had three releases.", "number", "6", "2"),
        ("He reigned from 1816 to 1829.", "He reigned from 1816 to 1828.", "date", "1829", "1828"),
        ("The lease began in March 2020.", "The lease began in May 2020.", "date", "March", "May"),
        ("He won the fourth race.", "He won the second race.", "ordinal", "fourth",
         "second"),
        ("All tenants pay the tax.", "Some tenants pay the tax.", "quantifier", "All", "Some"),
        ("Few tenants pay the tax.", "Most tenants pay the tax.", "quantifier", "Few", "Most"),
        ("He always pays the tax.", "He sometimes pays the tax.", "quantifier", "always",
         "sometimes"),
        ("The firm must deliver the goods.", "The firm may deliver the goods.", "modality",
         "must", "may"),
        ("Visitors must not register.", "Visitors need not register.", "modality",
         "must not", "need not"),
        ("They cannot appeal.", "They do not have to appeal.", "modality",
         "cannot", "do not have to"),
        ("The firm may deliver the goods.", "The firm shall deliver the goods.", "modality",
         "may", "shall"),
        ("The firm will deliver the goods.", "The firm might deliver the goods.", "modality",
         "will", "might"),
        ("The film was directed by Kenji Tanaka.", "The film was directed by Mike Binder in 2007.",
         "name", "Kenji Tanaka", "Mike Binder"),
        ("Sales increased in the north.", "Sales decreased in the north.", "antonym", "increased",
         "decreased"),
    ],
)  # fmt: skip
def test_a_conflict_is_a_veto_with_both_sides(
    hypothesis: str, premise: str, kind: str, claim: str, source: str
) -> None:
    (veto,) = compare_slots(hypothesis, premise, premise_start=1000)
    assert veto.kind == kind
    assert claim in veto.claim
    assert hypothesis[veto.claim_span.start : veto.claim_span.end] == veto.claim
    assert veto.source is not None
    assert veto.source_span is not None
    assert source in veto.source
    assert premise[veto.source_span.start - 1000 : veto.source_span.end - 1000] == veto.source


@pytest.mark.parametrize(
    ("hypothesis", "premise"),
    [
        ("It takes four business days.", "It takes 4 business days."),
        ("It takes 4 days.", "It takes four (4) days."),
        ("There are 1500 items.", "There are 1,500 items."),
        ("There are 1,500 items.", "There are 1.500 items."),
        ("There are fifteen members.", "There are 15 members."),
        ("It costs 1.5 million dollars.", "It costs $1,500,000."),
        ("The share is between 80 % and 90 %.", "The share is 86 %."),
        ("The share is 86 %.", "The share is between 80 % and 90 %."),
        ("At least 10 members voted.", "12 members voted."),
        ("More than 10 members voted.", "12 members voted."),
        ("Fewer than 20 members voted.", "12 members voted."),
        ("Up to 20 members voted.", "12 members voted."),
        ("About 1,500 members voted.", "1,498 members voted."),
        ("Sales rose by 86 %.", "Sales rose by 86.4 %."),
        ("The fee is £300 million.", "The fee is £300m."),
        ("The fee is US$1.2B.", "The fee is USD 1.2 billion."),
        ("It has 1.2 million users.", "It has 1.2m users."),
        ("It fell to -5 degrees.", "It fell to minus five degrees."),
        (
            "Anna Schmidt founded the firm in 1990.",
            "Anna Schmidt, who had studied in Berlin, founded the firm in 1990.",
        ),
        ("It takes two weeks.", "It takes 14 days."),
        ("It lasted 24 months.", "It lasted 2 years."),
        ("It was founded in the 1980s.", "It was founded in 1989."),
        ("It was founded before 1990.", "It was founded in 1989."),
        ("It was at war in 1941.", "It was at war from 1939 to 1945."),
        ("It ended in May 2020.", "It ended on 6 May 2020."),
        ("Section 4 sets the fee.", "Section 3 and Section 5 set the fee."),
        ("1. The fee is due.", "2. The fee is due."),
        ("The fee is due [3].", "The fee is due [1]."),
        ("One of the tenants pays.", "Two of the tenants pay."),
        ("Three tenants pay.", "The tenants pay."),
        ("Five dogs ran.", "Three cats ran."),
        ("She was not the first chair.", "She was the second chair."),
        ("The court did not accept the argument.", "The court rejected the argument."),
        ("The court rejected the argument.", "The court rejected the argument in full."),
        ("The fee is not refundable.", "The fee is not refundable in any case."),
        ("The tenant pays the tax.", "The landlord is never late, and the tax goes unpaid."),
        ("He smokes.", "She does not smoke."),
        ("He smokes.", "He did not smoke."),
        ("She should leave.", "She cannot leave."),
        ("He smokes.", "He smokes. He does not drink."),
        ("It is safe.", "They are unsafe."),
        ("At least ten members voted.", "More than ten members voted."),
        ("No more than ten members voted.", "At most ten members voted."),
        ("At least ten members voted.", "Exactly ten members voted, at most ten."),
        ("Notice is given at least 30 days before.", "Invoices fall due within 30 days."),
        (
            "Some tenants pay a tax.",
            "All tenants of a house in town owe the city a tax that they pay.",
        ),
        ("Sales in Canada rose.", "Canadian sales rose."),
        ("The WHO advised rest.", "The World Health Organization advised rest."),
        ("Mr Binder directed the film.", "Mike Binder directed the film."),
        (
            "The film was directed by him in Paris.",
            "The film was directed by Mike Binder in Paris.",
        ),
        ("The rate is 75 cm to 2 metres.", "The rate is 34 cm to 2 metres."),
        ("He was no longer chair.", "He was the chair."),
        ("", "The fee is due."),
        ("The fee is due.", ""),
    ],
)
def test_what_can_be_reconciled_is_no_veto(hypothesis: str, premise: str) -> None:
    assert compare_slots(hypothesis, premise, premise_start=0) == ()


_NUMBERED = (
    "The notice period is {} days in every lease.",
    "The ratio was {} in all of the trials.",
    "A total of {} members voted for the plan.",
    "The company paid ${} for the patent.",
    "Sales of the new model rose by {} % in Spain.",
)


@pytest.mark.parametrize(
    ("source", "claimed", "is_veto"),
    [
        ("350", "400", True),
        ("994", "990", True),
        ("86.4", "86", False),
        ("1,234", "1,200", False),
        ("1,499", "1,000", True),
    ],
)
def test_whole_numbers_below_a_thousand_are_not_rounded_unsaid(
    source: str, claimed: str, *, is_veto: bool
) -> None:
    sentence = "Sales of the new model rose by {} units in Spain."

    vetoes = compare_slots(sentence.format(claimed), sentence.format(source), premise_start=0)

    assert bool(vetoes) == is_veto


@given(
    st.sampled_from(_NUMBERED),
    st.integers(2, 999),
    st.integers(2, 999),
    st.text(" ab.\n", max_size=40),
)
def test_every_other_number_in_a_verbatim_sentence_is_a_veto(
    sentence: str, source: int, claimed: int, around: str
) -> None:
    premise = f"{around}\n{sentence.format(source)}\n{around}"
    vetoes = compare_slots(sentence.format(claimed), premise, premise_start=7)
    assert (vetoes == ()) == (source == claimed)
    for veto in vetoes:
        assert veto.source_span is not None
        start, end = veto.source_span.start - 7, veto.source_span.end - 7
        assert veto.source == premise[start:end]
        assert str(source) in premise[start:end]


@given(any_texts, any_texts)
def test_offsets_slice_to_the_named_text_and_no_text_vetoes_itself(one: str, two: str) -> None:
    for claim, premise in ((one, two), (f"{one} not 5 days {two}", f"{two} may {one} 6 weeks")):
        for veto in compare_slots(claim, premise, premise_start=3):
            assert claim[veto.claim_span.start : veto.claim_span.end] == veto.claim
            assert veto.source_span is not None
            start, end = veto.source_span.start - 3, veto.source_span.end - 3
            assert premise[start:end] == veto.source
    assert compare_slots(one, one, premise_start=0) == ()


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("It takes 4 days.", "It takes four days."),
        ("It costs USD 1,200 a year.", "It costs $1200 a year."),
        ("It costs 1200 dollars a year.", "It costs $1,200 a year."),
        ("Sales rose by 12 percent.", "Sales rose by 12%."),
        ("It ended on May 5, 2020.", "It ended on 5 May 2020."),
        ("It ended on 2020-05-05.", "It ended on 5 May 2020."),
        ("It ended on 5 Sep 2020.", "It ended on September 5th, 2020."),
        ("It is 5 kilometres long.", "It is 5 km long."),
        ("It doesn't apply to guests.", "It does not apply to guests."),
        ("It can’t be returned.", "It cannot be returned."),
        ("It was the 1st  trial - and “the last”", "It was the first trial – and 'the last'."),
        ("The 4 month training ended.", "The four-month training ended."),
    ],
)
def test_another_format_is_no_veto(claim: str, premise: str) -> None:
    assert compare_slots(claim, premise, premise_start=0) == ()
    assert compare_slots(premise, claim, premise_start=0) == ()


@pytest.mark.long
def test_a_premise_of_300_000_characters_is_compared_like_a_short_one() -> None:
    filler = "The tenant may pay 5 days late, and Anna Schmidt shall not see it in 1999. "
    premise = filler * (300_000 // len(filler)) + "The notice period is 30 days in each lease."
    claim = "The notice period is 60 days in each lease."
    (veto,) = compare_slots(claim, premise, premise_start=0)
    assert veto.source_span is not None
    assert veto.source_span.end == len(premise) - len(" in each lease.")


def test_a_sentence_never_vetoes_itself(test_data: Path) -> None:
    vetoed = 0
    with gzip.open(test_data / "nli" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line, _ in zip(lines, range(600), strict=False):
            hypothesis = json.loads(line)["hypothesis"]
            vetoed += bool(compare_slots(hypothesis, hypothesis, premise_start=0))
    assert vetoed == 0


@pytest.mark.long
def test_vetoes_on_labelled_pairs_are_rare_where_wrong_and_mostly_right(test_data: Path) -> None:
    counts: Counter[tuple[bool, bool]] = Counter()
    with gzip.open(test_data / "nli" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            vetoes = compare_slots(row["hypothesis"], row["premise"], premise_start=0)
            counts[row["label"] == "entailment", bool(vetoes)] += 1
    wrong, right = counts[True, True], counts[False, True]
    assert wrong / (wrong + counts[True, False]) <= 0.03
    assert right / (right + wrong) >= 0.85
    assert right >= 100


@pytest.mark.parametrize("bound", ["no more than", "not more than", "at most", "up to"])
def test_no_more_than_is_an_upper_bound(bound: str) -> None:
    premise = f"The fee is {bound} 10 euros."
    assert compare_slots("The fee is at most 10 euros.", premise, premise_start=0) == ()
    assert compare_slots("The fee is 15 euros.", premise, premise_start=0) != ()


def test_a_negation_that_both_sides_share_hides_no_other() -> None:
    premise = "Contractors may not enter a plant room without a written permit."
    claim = "Contractors may enter a plant room without a written permit."
    (veto,) = compare_slots(claim, premise, premise_start=0)
    assert (veto.kind, veto.source) == ("negation", "not")
    assert compare_slots(premise, premise, premise_start=0) == ()
