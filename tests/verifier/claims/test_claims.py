from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.verifier.claims.claims import find_claims, split_sentences
from spanproof.verifier.formats.grammars.tokenizer import find_anchors


def sentences(prose: str) -> list[str]:
    spans = [s.span for s in split_sentences(prose, find_anchors(prose))]
    return [prose[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        (
            "Rates rose to 3.5 percent [1]. They fell.",
            ["Rates rose to 3.5 percent [1].", "They fell."],
        ),
        ("Due in four days.[1] Next it rains [2]", ["Due in four days.[1]", "Next it rains [2]"]),
        ("No final stop [1]", ["No final stop [1]"]),
        ("One sentence. ", ["One sentence."]),
        ("See Dr. Smith, e.g. on p. 3. He left.", ["See Dr. Smith, e.g. on p. 3.", "He left."]),
        ("He said “no.” [2] Then he left...", ["He said “no.” [2]", "Then he left..."]),
        ("It took approx. 3 hours [1]. Yes.", ["It took approx. 3 hours [1].", "Yes."]),
        ("- One [1]\n- Two [2]", ["- One [1]", "- Two [2]"]),
        ("A claim. [1]\n[2] Another claim.", ["A claim. [1]", "[2] Another claim."]),
        ("It holds [1] .", ["It holds [1] ."]),
        ("", []),
        ("[1]", []),
    ],
)
def test_sentences_keep_their_anchors_and_their_stop(prose: str, expected: list[str]) -> None:
    assert sentences(prose) == expected


def test_claim_text_is_the_slice_and_the_hypothesis_has_no_anchor() -> None:
    prose = "First. **Payment** is due in 3.5 days [1][2]. Last."
    claims, sentences = find_claims(prose, find_anchors(prose))
    assert [anchor.number for anchor, _ in claims] == [1, 2]
    for _, claim in claims:
        assert claim.text == prose[claim.span.start : claim.span.end]
        assert claim.hypothesis == "Payment is due in 3.5 days."
    uncited = [s.span for s in sentences if not s.anchors]
    assert [prose[span.start : span.end] for span in uncited] == ["First.", "Last."]
    assert len(sentences) == 3


def test_a_list_marker_is_no_part_of_the_hypothesis() -> None:
    prose = "1. Goods pass at delivery [1]"
    ((_, claim),), _ = find_claims(prose, find_anchors(prose))
    assert claim.hypothesis == "Goods pass at delivery"


@given(st.text(alphabet="aB. \n[1]2,é𝑉?!-", max_size=80))
def test_spans_are_ordered_disjoint_slices_and_every_anchor_has_at_most_one(prose: str) -> None:
    anchors = find_anchors(prose)
    found = split_sentences(prose, anchors)
    ends = [0, *(s.span.end for s in found)]
    assert all(end <= s.span.start for end, s in zip(ends, found, strict=False))
    assert all(s.span.end <= len(prose) for s in found)
    marks = [id(anchor) for s in found for anchor in s.anchors]
    assert len(marks) == len(set(marks))
    if found:
        assert len(marks) == len(anchors)


@pytest.mark.parametrize(
    "first",
    [
        "The patients took vitamin D",
        "It protects against hepatitis B",
        "The code is written in C",
        "The bonds are of Class A",
        "The firm is Acme Inc",
        "The office is in Washington D.C",
        "The meeting began at 9 a.m",
        "They sell fruit, nuts, etc",
        "The plan is called Plan B",
        "The grade was an A",
    ],
)
@pytest.mark.parametrize("form", ["{} [2]. {} [1].", "{}. [2] {}. [1]", "{}.[2] {}.[1]"])
def test_a_stop_that_meets_an_anchor_ends_a_sentence(first: str, form: str) -> None:
    prose = form.format(first, "Pain scores fell")
    found = split_sentences(prose, find_anchors(prose))
    assert [[anchor.number for anchor in sentence.anchors] for sentence in found] == [[2], [1]]


@pytest.mark.parametrize(
    "prose",
    [
        "Smith et al. [1] show that it works.",
        "The rule (cf. [1] Smith) applies.",
        "As in Fig. [1] the curve falls.",
        "It costs approx. [1] 40 euros.",
    ],
)
def test_an_anchor_behind_an_abbreviation_ends_nothing(prose: str) -> None:
    assert len(split_sentences(prose, find_anchors(prose))) == 1
