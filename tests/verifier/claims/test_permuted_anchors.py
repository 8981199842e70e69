"""Swapped citations: no order of the anchors of independent sentences passes but the right one."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanproof.core.verdicts.status import Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, make_extraction, make_library
from tests.verifier.pair_models import NO, YES, PairModel

#: Sentences that end where an initial, an abbreviation or a number might go on.
SENTENCES = (
    "The patients took vitamin D",
    "The vaccine protects against hepatitis B",
    "The code is written in C",
    "The bonds are of Class A",
    "The seller is Acme Inc",
    "The office is in Washington D.C",
    "The meeting begins at 9 a.m",
    "They sell fruit, nuts, etc",
    "Pain scores fell",
    "The company chose Plan B",
    "The rule is set out in para. 4",
    "The witness was John F",
    "They use Python 3",
    "The author is known as Dr",
    "pH values were stable",
    "“It works,” he said",
    "The rent is due (see the lease)",
)
FORMS = ("{text} [{n}].", "{text}. [{n}]", "{text}.[{n}]", "{text} [{n}] .", "{text} [{n}]!")
DOCUMENT = make_extraction("\n\n".join(f"{sentence}." for sentence in SENTENCES))


def _keeps(premise: str, claim: str) -> tuple[float, float, float]:
    """A span supports the sentence that it is, and what is joined of sentences that it holds."""
    spans = [line.strip(" .!") for line in premise.split("\n") if line.strip()]
    said = claim.replace(".", "").replace("!", "")
    for span in spans:
        said = said.replace(span.replace(".", ""), "")
    return NO if any(letter.isalnum() for letter in said) else YES


def judge(texts: list[str], forms: list[str], order: tuple[int, ...]) -> Outcome:
    prose = " ".join(
        form.format(text=text, n=number + 1)
        for text, form, number in zip(texts, forms, order, strict=True)
    )
    citations = [
        {
            "anchor": number,
            "doc_hash": str(DOCUMENT.document.doc_hash),
            "span": {"text": f"{text}."},
        }
        for number, text in enumerate(texts, 1)
    ]
    parsed = parse_answer(json.dumps({"answer": prose, "citations": citations}).encode())
    return verify(
        parsed.answer,
        make_library(DOCUMENT),
        PairModel(_keeps),
        load_policy("balanced"),
        verified_at=MOMENT,
        imported=parsed.imported,
    ).result


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(SENTENCES), min_size=2, max_size=3, unique=True),
    st.lists(st.sampled_from(FORMS), min_size=3, max_size=3),
)
def test_no_permutation_of_the_anchors_passes(texts: list[str], forms: list[str]) -> None:
    forms = forms[: len(texts)]
    for order in permutations(range(len(texts))):
        if order != tuple(range(len(texts))):
            assert judge(texts, forms, order) is not Outcome.PASS


@pytest.mark.parametrize("form", FORMS)
def test_the_right_order_passes(form: str) -> None:
    texts = ["The patients took vitamin D", "Pain scores fell", "They use Python 3"]
    assert judge(texts, [form] * 3, (0, 1, 2)) is Outcome.PASS
