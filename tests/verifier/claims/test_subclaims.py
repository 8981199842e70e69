from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Anchor
from spanproof.core.span import Span
from spanproof.verifier.claims import subclaims
from spanproof.verifier.claims.claims import to_hypothesis
from spanproof.verifier.claims.subclaims import MAX_PARTS, Part, split_claim


def split(claim: str, *, lead: str = "") -> tuple[Part, ...]:
    prose = lead + claim
    anchors = tuple(
        Anchor(number=int(found[1]), span=Span(*found.span()))
        for found in re.finditer(r"\[(\d)\]", prose)
    )
    return split_claim(prose, Span(len(lead), len(prose)), anchors)


@pytest.mark.parametrize(
    ("claim", "hypotheses"),
    [
        (
            "The supplier pays within ten days and notifies the buyer.",
            ["The supplier pays within ten days.", "The supplier notifies the buyer."],
        ),
        (
            "The supplier pays within ten days and must notify the buyer.",
            ["The supplier pays within ten days.", "The supplier must notify the buyer."],
        ),
        (
            "Data is encrypted at rest and stored in Germany.",
            ["Data is encrypted at rest.", "Data is stored in Germany."],
        ),
        (
            "The buyer may terminate the contract and recover all costs.",
            ["The buyer may terminate the contract.", "The buyer may recover all costs."],
        ),
        (
            "The notice must be sent by post and received within ten days.",
            ["The notice must be sent by post.", "The notice must be received within ten days."],
        ),
        (
            "Acme was founded in 2001 and acquired Globex in 2009.",
            ["Acme was founded in 2001.", "Acme acquired Globex in 2009."],
        ),
        (
            "Acme was founded in 2001 and acquired by Globex in 2009.",
            ["Acme was founded in 2001.", "Acme was acquired by Globex in 2009."],
        ),
        (
            "Revenue rose by 5 percent, but costs fell.",
            ["Revenue rose by 5 percent.", "Costs fell."],
        ),
        (
            "Revenue rose in Germany, while costs fell in France.",
            ["Revenue rose in Germany.", "Costs fell in France."],
        ),
        (
            "In 2021, revenue rose and costs fell.",
            ["In 2021, revenue rose.", "In 2021, costs fell."],
        ),
        (
            "The tenant repairs the roof; the landlord pays the taxes.",
            ["The tenant repairs the roof.", "The landlord pays the taxes."],
        ),
        ("It opened in 1990 and it closed in 2001.", ["It opened in 1990.", "It closed in 2001."]),
        (
            "Refunds take four days [1] and returns are free [2].",
            ["Refunds take four days.", "Returns are free."],
        ),
        (
            "Bruce Lee was born in California and died in Hong Kong.",
            ["Bruce Lee was born in California.", "Bruce Lee died in Hong Kong."],
        ),
        (
            '"Mad Love" was released in 1935, and it is viewed in a "positive light."',
            ['"Mad Love" was released in 1935.', '"Mad Love" is viewed in a "positive light."'],
        ),
        (
            "- **Revenue** rose sharply, but costs fell.",
            ["Revenue rose sharply.", "Costs fell."],
        ),
        (
            "The fee is due at once. The tenant pays it.",
            ["The fee is due at once.", "The tenant pays it."],
        ),
        (
            "The lease began in May and ended in July.",
            ["The lease began in May.", "The lease ended in July."],
        ),
    ],
)
def test_a_claim_is_split_where_it_says_two_things(claim: str, hypotheses: list[str]) -> None:
    assert [part.hypothesis for part in split(claim)] == hypotheses


@pytest.mark.parametrize(
    "claim",
    [
        "The supplier pays within ten days.",
        "Johnson and Johnson must pay the fee.",
        "The firm spends a fifth of its revenue on research and development.",
        "The fee is between 4 and 5 per cent.",
        "Sections 4 and 5 must be read together.",
        "The buyer and the seller must sign the contract.",
        "The drug is safe and effective.",
        "The bank may charge fees and interest on late payments.",
        "The report covers costs and fees paid by clients.",
        'The court wrote "the appeal is dismissed and costs are awarded" in its order.',
        "The order says “the appeal is dismissed; costs are awarded” at its end.",
        "The supplier (its agents are included and its staff are excluded) must pay the fee.",
        'The quote " is open and the claim is left whole.',
        "The bracket ( is open and the claim is left whole.",
        "He said that revenue rose and costs fell.",
        "The director believes revenue rose and costs fell.",
        "If the buyer is late, the supplier may suspend delivery and must notify the buyer.",
        "The fee is reduced and waived unless the buyer is late.",
        "The tenant must pay or leave and must notify the landlord.",
        "The tenant must pay and must leave or sign.",
        "Neither party may assign the contract and neither may sell it.",
        "No supplier may subcontract and must keep records.",
        "The goods delivered were damaged and were returned.",
        "The data is not encrypted and stored in Germany.",
        "The lease began in May, was renewed in June and was ended in July.",
        "The Khan rode out, Tsitsianov moved with two men and was shot dead.",
        "[1]",
        "",
    ],
)
def test_what_may_be_one_thing_stays_whole(claim: str) -> None:
    assert split(claim) == ()


def test_offsets_are_in_the_answer_and_cut_out_the_text() -> None:
    lead = "Something else [1]. "
    claim = "Refunds take **four** days [1], but returns are free [2]."
    prose = lead + claim
    parts = split(claim, lead=lead)
    assert [part.text for part in parts] == [
        "Refunds take **four** days",
        "returns are free [2].",
    ]
    assert [prose[part.span.start : part.span.end] for part in parts] == [p.text for p in parts]
    assert [part.hypothesis for part in parts] == ["Refunds take four days.", "Returns are free."]


def test_a_list_without_end_is_judged_whole() -> None:
    claim = "; ".join(f"the firm pays bill {number}" for number in range(MAX_PARTS + 1))
    assert split(claim) == ()
    assert len(split("; ".join(f"the firm pays bill {n}" for n in range(MAX_PARTS)))) == MAX_PARTS


WORDS = st.lists(
    st.sampled_from(
        re.split(
            " ",
            "the supplier pays fees and must notify buyers , but ; while costs fell rose is are in"
            ' paid 2021 ( ) " “ ” or if that [1] [2] it they . ** — 4 Johnson',
        )
    ),
    max_size=40,
).map(" ".join)


@given(claim=WORDS, lead=st.sampled_from(["", "𝑉 Before [1]. "]))
def test_parts_are_in_order_apart_and_inside_the_claim(claim: str, lead: str) -> None:
    prose = lead + claim
    parts = split(claim, lead=lead)
    assert len(parts) != 1
    position = len(lead)
    for part in parts:
        assert prose[part.span.start : part.span.end] == part.text
        assert part.text.strip() == part.text != ""
        assert position <= part.span.start < part.span.end <= len(prose)
        position = part.span.end
        # Nothing is made up but what another part of the same claim says.
        said = set(re.findall(r"\w+", to_hypothesis(claim).lower()))
        assert set(re.findall(r"\w+", part.hypothesis.lower())) <= said | {"1", "2"}
    assert parts == split(claim, lead=lead)


@given(claim=st.text("abcXY 09,%-.!?中\n", max_size=40) | WORDS)
def test_no_claim_is_divided_otherwise_where_no_second_sentence_is_looked_for(claim: str) -> None:
    quick = split(claim)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subclaims, "_ONE_SENTENCE", re.compile(r"(?!)"))
        assert split(claim) == quick
