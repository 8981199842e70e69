from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanproof.api.console.answer.findings import (
    ANSWER_CODES,
    SKIPPED_REPAIRS,
    WORTH_REASONS,
    attach_repaired,
    describe_repair,
    list_over_cited,
    list_uncited,
)
from spanproof.api.console.triage.rows import make_row
from spanproof.core.citation import Citation, Quote
from spanproof.core.span import Span
from spanproof.core.verdicts.block_json import repair_to_json
from spanproof.core.verdicts.status import Outcome
from spanproof.core.verdicts.verification_block import RepairReport
from spanproof.verifier.claims.checkworthy import judge_check_worthiness
from tests.api.console.samples import (
    LINKS,
    cite,
    make_block,
    make_page,
    make_verdict,
    make_view,
    read_answer,
    render_answer,
)
from tests.builders import MOMENT

if TYPE_CHECKING:
    from spanproof.core.citation import Answer

PAGE = make_page("Refunds are paid within four business days. Returns are free.")
PROSE = "Refunds are paid within four business days. Returns are free [1]."
REPORT = RepairReport(
    sentences=True,
    max_repairs=5,
    considered=2,
    rejected_not_entailed=1,
    citations=(
        Citation(
            anchor=2,
            quote=Quote(text="Refunds are paid within four business days.", start=0, end=43),
            doc_hash=PAGE.document.doc_hash,
            doc_title="Refund terms",
            segment=Span(0, 43),
            origin="repair",
            repaired=True,
        ),
    ),
)


def repair(outcome: Outcome = Outcome.PASS) -> tuple[Answer, dict[str, Any]]:
    """An answer of two sentences, the first of which was given a citation."""
    answer = read_answer(PROSE, cite(PAGE, "Returns are free."))
    report = repair_to_json(REPORT)
    repaired = attach_repaired(answer, {"repair": report})
    verdicts = (
        make_verdict(answer, PAGE, "Returns are free [1]."),
        make_verdict(repaired, PAGE, PROSE[:43], citation=1, outcome=outcome),
    )
    return answer, make_block(*verdicts, repair=report)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Is it so?", "question"),
        ("Sources:", "label"),
        ("Hello there!", "greeting"),
        ("Let me know how it goes.", "offer"),
        ("The documents do not say so.", "abstention"),
        ("Well then.", "fragment"),
        ("**Payment**", "heading"),
        ("It starts in March.", "date"),
        ("It takes 4 weeks.", "number"),
        ("The supplier must pay.", "duty"),
        ("Bread is cheaper than cake.", "comparison"),
        ("Refunds come from Geneva.", "name"),
        ("Bread is eaten with cheese.", "statement"),
    ],
)
def test_every_hint_of_the_verifier_has_its_words(sentence: str, reason: str) -> None:
    worth = judge_check_worthiness(sentence)
    hint = {"check_worthy": worth.check_worthy, "reason": worth.reason}
    block = {"uncited_sentences": [{"start": 0, "end": len(sentence)} | hint]}

    (view,) = list_uncited(sentence, block)

    assert worth.reason == reason
    assert view.why == WORTH_REASONS[reason]
    assert view.is_worth_a_check is worth.check_worthy


def test_uncited_sentences_say_whether_they_are_worth_a_check() -> None:
    answer = read_answer("It takes 4 weeks. Hello there!")
    spans = [
        {"start": 0, "end": 17, "check_worthy": True, "reason": "number"},
        {"start": 18, "end": 30, "check_worthy": False, "reason": "greeting"},
    ]

    html = render_answer(answer, make_block(uncited_sentences=spans))

    assert (
        "It takes 4 weeks.</bdi></q> <strong>hint: worth a check</strong>: it gives a number."
        in html
    )
    assert (
        "Hello there!</bdi></q> <strong>hint: no check needed</strong>: it is a greeting." in html
    )


def test_a_reason_that_is_not_known_is_shown_as_it_is() -> None:
    sentence = {"start": 0, "end": 2, "check_worthy": True, "reason": "<new>"}

    html = render_answer(read_answer("Ab."), make_block(uncited_sentences=[sentence]))

    assert "worth a check</strong>: &lt;new&gt;." in html


def test_over_cited_claims_name_their_anchors_and_the_idle_ones() -> None:
    quotes = [cite(PAGE, "Returns are free.", anchor=n) for n in (1, 2)]
    answer = read_answer("Returns are free [1][2].", *quotes)
    claims = [{"start": 0, "end": 24, "anchors": [1, 2], "idle": [2]}]
    block = make_block(make_verdict(answer, PAGE, answer.prose), over_cited=claims)

    html = render_answer(answer, block, PAGE)

    assert "Returns are free [1][2].</bdi></q> cites [1], [2]; [2] adds nothing." in html
    assert list_over_cited(answer.prose, block)[0].idle == (2,)


def test_the_codes_of_the_answer_itself_are_said() -> None:
    answer = read_answer("It takes 4 weeks.", answer_kind="refusal")
    code = "KIND_CONTRADICTED"

    html = render_answer(answer, make_block(result="review", codes=[code, "NEW_CODE"]))

    assert f"<code>{code}</code> {ANSWER_CODES[code]}" in html
    assert "<code>NEW_CODE</code> This console does not know the code." in html


def test_a_repaired_citation_has_a_card_and_a_link_at_its_sentence() -> None:
    answer, block = repair(Outcome.REVIEW)

    view = make_view(answer, block, PAGE)
    html = render_answer(answer, block, PAGE)

    assert [card.card_id for card in view.cards] == ["citation-1", "citation-2"]
    assert view.cards[1].outcome == "review"
    assert view.cards[1].title == "Refund terms"
    assert not view.cards[0].citation.repaired
    links = [(piece.text, piece.link) for piece in view.prose if piece.link]
    assert [(text, link.text, link.is_repaired) for text, link in links] == [
        ("", "[2]", True),
        ("[1]", "[1]", False),
    ]
    assert "".join(piece.text for piece in view.prose) == PROSE
    assert html.count('<span class="badge none">repaired</span>') == 3
    assert "Repaired citations never count for the answer." in html
    assert "It never counts for the answer." in html
    assert "Sentences that no span entails: 1." in html
    assert view.answer is answer


def test_the_list_names_the_document_of_a_repaired_citation() -> None:
    _, block = repair()
    bare = read_answer(PROSE[:43])

    row = make_row("v", MOMENT, bare, block | {"verdicts": []}, LINKS)

    assert [document.title for document in row.documents] == ["Refund terms"]


@pytest.mark.parametrize("reason", SKIPPED_REPAIRS)
def test_a_repair_that_looked_for_nothing_says_why(reason: str) -> None:
    report = repair_to_json(RepairReport(sentences=False, max_repairs=5, skipped=reason))

    html = render_answer(read_answer("Ab."), make_block(repair=report))

    assert f"Repair was requested but did not run: {SKIPPED_REPAIRS[reason]}." in html


def test_a_repair_that_attached_nothing_says_so() -> None:
    report = repair_to_json(RepairReport(sentences=False, max_repairs=5, considered=1))

    html = render_answer(read_answer("Ab."), make_block(repair=report))

    assert "Repair was requested but attached nothing." in html
    assert describe_repair(make_block(repair=None)) is None


def test_a_block_of_an_earlier_procedure_has_none_of_this_and_is_shown() -> None:
    answer = read_answer(PROSE, cite(PAGE, "Returns are free."))
    verdict = make_verdict(answer, PAGE, "Returns are free [1].")
    for name in ("quotations", "origin", "repaired"):
        del verdict[name]
    del verdict["identity"]["newest"]
    block = make_block(verdict, uncited_sentences=[{"start": 0, "end": 43}])
    for name in ("codes", "over_cited"):
        del block[name]

    html = render_answer(answer, block, PAGE)

    assert "<q><bdi>Refunds are paid within four business days.</bdi></q></li>" in html
    for word in ("over-cited", "repaired", "worth a check", "of the answer"):
        assert word not in html
