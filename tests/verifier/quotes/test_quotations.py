from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import ExistenceStatus, Outcome
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.quotes.quotations import MAX_QUOTATIONS, find_quotations
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, ScriptedModel, make_extraction, make_library

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.core.verdicts.verification_block import VerificationBlock

LEASE = make_extraction(
    "Refunds are paid within four business days of the request.\n"
    "The landlord’s own agent must repair the docu-\nmented damage at 3.5 per cent interest.\n"
    "Refunds are paid within four business days of the request.\n"
)
ROOF = make_extraction("The tenant repairs the roof at its own cost every spring.\n")
FIRST = "Refunds are paid within four business days of the request."


def check(
    prose: str, *documents: Extraction, policy: str = "balanced", quote: str | None = None
) -> VerificationBlock:
    citations = [
        {
            "anchor": number,
            "doc_hash": str(document.document.doc_hash),
            "span": {"text": line, "char_start": 0, "char_end": len(line)},
        }
        for number, document in enumerate(documents, start=1)
        if (line := quote or document.text.text.splitlines()[0])
    ]
    parsed = parse_answer(json.dumps({"answer": prose, "citations": citations}).encode())
    library = make_library(LEASE, ROOF)
    return verify(parsed.answer, library, ScriptedModel(), load_policy(policy), verified_at=MOMENT)


def statuses(verdict: Verdict) -> list[ExistenceStatus]:
    return [quotation.status for quotation in verdict.quotations]


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("It says “paid within four business days” plainly", ExistenceStatus.EXACT),
        ('It says "paid within four business days" plainly', ExistenceStatus.EXACT),
        ("It says „paid within four business days“ plainly", ExistenceStatus.EXACT),
        ("It says « paid within four business days » plainly", ExistenceStatus.EXACT),
        ("It says 「paid within four business days」 plainly", ExistenceStatus.EXACT),
        # A stop of the answer's own before the mark.
        ("It says “paid within four business days.”", ExistenceStatus.EXACT),
        ("It says “paid within four business days,” no less", ExistenceStatus.EXACT),
        # Emphasis is the answer's own too.
        ("It says “paid within **four** business days” plainly", ExistenceStatus.EXACT),
        # Trap 4: an apostrophe inside, and a word that a line end broke.
        ("The “landlord’s own agent” repairs it", ExistenceStatus.EXACT),
        ("The “landlord's own agent” repairs it", ExistenceStatus.FOLD_EQUAL),
        ("He repairs “the documented damage” himself", ExistenceStatus.FOLD_EQUAL),
        # Another word, another number, a piece of a number.
        ("It says “paid within five business days” plainly", ExistenceStatus.ALTERED),
        ("It says “5 per cent interest” plainly", ExistenceStatus.ALTERED),
        ("It says “the purple elephant dances” plainly", ExistenceStatus.ABSENT),
        # Trap 4: half of it in another document, which this claim does not cite.
        ("It says “repairs the roof at its own cost” plainly", ExistenceStatus.ABSENT),
    ],
)
def test_a_quotation_stands_in_the_cited_document_or_not(
    claim: str, status: ExistenceStatus
) -> None:
    block = check(f"{claim} [1].", LEASE)
    (verdict,) = block.verdicts
    assert statuses(verdict) == [status]
    (quotation,) = verdict.quotations
    prose = block.answer.prose
    assert quotation.text == prose[quotation.span.start : quotation.span.end]
    held = status in {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}
    assert block.result is (Outcome.PASS if held else Outcome.REVIEW)
    assert any(code.startswith("QUOTATION_") for code in verdict.codes) is not held


@pytest.mark.parametrize(
    "claim",
    [
        "The company's policy doesn't change what's owed",
        "The company’s policy doesn’t change what’s owed",
        "It is ‘paid when the weather is fine’ indeed",
        "They call it a “refund” here",
        'It has a 5" pipe and a 6" pipe that are quite long',
        'Run `print("paid when the weather is fine")` now',
    ],
)
def test_apostrophes_single_words_inches_and_code_quote_nothing(claim: str) -> None:
    block = check(f"{claim} [1].", LEASE)
    assert block.verdicts[0].quotations == ()
    assert block.result is Outcome.PASS


def test_the_place_inside_the_cited_span_is_the_one_reported() -> None:
    second = LEASE.text.text.rindex(FIRST)
    span = {"text": FIRST, "char_start": second, "char_end": second + len(FIRST)}
    citation = {"anchor": 1, "doc_hash": str(LEASE.document.doc_hash), "span": span}
    prose = "It says “four business days of the request” [1]."
    parsed = parse_answer(json.dumps({"answer": prose, "citations": [citation]}).encode())
    block = verify(
        parsed.answer, make_library(LEASE), ScriptedModel(), load_policy("balanced"),
        verified_at=MOMENT,
    )  # fmt: skip
    (quotation,) = block.verdicts[0].quotations
    assert quotation.status is ExistenceStatus.EXACT
    assert quotation.found is not None
    assert second < quotation.found.start < second + len(FIRST)


def test_words_left_out_cut_a_quotation_into_pieces() -> None:
    block = check("It says “Refunds are paid … days of the request” [1].", LEASE)
    assert [q.text for q in block.verdicts[0].quotations] == [
        "Refunds are paid",
        "days of the request",
    ]
    assert block.result is Outcome.PASS
    block = check("It says “Refunds are paid [...] in purple” [1].", LEASE)
    assert statuses(block.verdicts[0])[0] is ExistenceStatus.EXACT
    assert block.result is Outcome.REVIEW


def test_a_quotation_that_straddles_two_sources_stands_in_neither() -> None:
    prose = "It says “days of the request. The tenant repairs the roof” [1][2]."
    block = check(prose, LEASE, ROOF)
    for verdict in block.verdicts:
        assert statuses(verdict)[0] not in {ExistenceStatus.EXACT, ExistenceStatus.FOLD_EQUAL}
        assert {"QUOTATION_ABSENT", "QUOTATION_ALTERED"} & set(verdict.codes)
    assert block.result is not Outcome.PASS


def test_one_of_several_citations_is_enough_and_the_others_are_not_blamed() -> None:
    block = check("It says “repairs the roof at its own cost” [1][2].", LEASE, ROOF)
    first, second = block.verdicts
    assert statuses(first) == [ExistenceStatus.MISATTRIBUTED]
    assert statuses(second) == [ExistenceStatus.EXACT]
    assert block.result is Outcome.PASS


def test_an_anchor_inside_the_marks_is_no_word_of_the_quotation() -> None:
    block = check("It says “paid within four business days [1].”", LEASE)
    assert statuses(block.verdicts[0]) == [ExistenceStatus.EXACT]


@pytest.mark.parametrize("policy", ["balanced", "strict", "review"])
def test_no_policy_lets_a_false_quotation_pass(policy: str) -> None:
    block = check("It says “the purple elephant dances” [1].", LEASE, policy=policy)
    assert block.result is (Outcome.FAIL if policy == "strict" else Outcome.REVIEW)
    assert "quotes words" in block.verdicts[0].notes


def test_what_is_beyond_the_limit_was_not_checked_and_says_so() -> None:
    many = " and ".join(["“paid within four business days”"] * (MAX_QUOTATIONS + 1))
    block = check(f"It says {many} [1].", LEASE)
    found = statuses(block.verdicts[0])
    assert found[:-1] == [ExistenceStatus.EXACT] * MAX_QUOTATIONS
    assert found[-1] is ExistenceStatus.NOT_RUN
    assert "QUOTATION_NOT_RUN" in block.verdicts[0].codes
    assert block.result is Outcome.REVIEW


def test_words_between_the_marks_that_are_two_sentences_are_looked_for_whole() -> None:
    block = check("One “Refunds are paid daily. Two words” here [1].", LEASE)
    assert "QUOTATION_ALTERED" in block.verdicts[0].codes or (
        "QUOTATION_ABSENT" in block.verdicts[0].codes
    )


def test_quotations_stand_in_the_block() -> None:
    block = check("It says “paid within four business days” [1].", LEASE)
    (verdict,) = block_to_json(block)["verdicts"]
    start = FIRST.index("paid")
    assert verdict["quotations"] == [
        {
            "text": "paid within four business days",
            "start": 9,
            "end": 39,
            "status": "EXACT",
            "char_start": start,
            "char_end": start + 30,
        }
    ]


def test_marks_of_a_list_do_not_reach_across_paragraphs() -> None:
    raw = json.dumps({"answer": "- An “open mark\n- And a closed” one", "citations": []})
    assert find_quotations(parse_answer(raw.encode()).answer) == ()
