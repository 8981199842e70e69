from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.span import Span
from spanproof.core.verdicts.block_json import block_to_json
from spanproof.core.verdicts.status import Outcome, SupportStatus
from spanproof.ingest import extract
from spanproof.verifier.entailment import load_model
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.policies import load_policy
from spanproof.verifier.support.context import (
    MAX_CONTEXT_CHARACTERS,
    Context,
    complete_with,
    find_contexts,
)
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, make_extraction, make_library
from tests.verifier.pair_models import AGAINST, NO, OPEN, YES, PairModel

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction
    from spanproof.core.ports import EntailmentModel
    from spanproof.core.verdicts.verification_block import VerificationBlock

RATES = """<html><body><h1>Fees</h1><h2>Late payment</h2>
<table><tr><th>Region</th><th>2020</th><th>2021</th></tr>
<tr><td>Germany</td><td>12 %</td><td>15 %</td></tr>
<tr><td>France</td><td>9 %</td><td>11 %</td></tr></table>
<p>The rent is set by the landlord. It is payable in advance.</p>
<h2>Deposit</h2><p>Nothing is due.</p></body></html>"""


def read_html(html: str = RATES) -> Extraction:
    return extract(html.encode(), filename="fees.html")


def find(extraction: Extraction, words: str) -> Span:
    start = extraction.text.text.index(words)
    return Span(start, start + len(words))


def headers(extraction: Extraction, span: Span) -> Context | None:
    found = find_contexts(extraction, span, "It is so and it is long.", None, citation=0)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("words", "premise", "alone"),
    [
        (
            "15 %",
            "Fees. Late payment. Region: Germany. 2021: 15 %",
            "Fees. Late payment. Region: Germany. 2021: ",
        ),
        (
            "Germany\t12 %\t15 %",
            "Fees. Late payment. Region: Germany. 2020: 12 %; 2021: 15 %",
            "Fees. Late payment. Region: . 2020: ; 2021: ",
        ),
        (
            "15 %\nFrance\t9",
            "Fees. Late payment. Region: Germany. 2021: 15 %. Region: France. 2020: 9",
            "Fees. Late payment. Region: Germany. 2021: . Region: . 2020: ",
        ),
        ("2021", "Fees. Late payment. Region. 2021", "Fees. Late payment. Region. "),
        (
            "It is payable in advance.",
            "Fees. Late payment. The rent is set by the landlord. It is payable in advance.",
            "Fees. Late payment. The rent is set by the landlord. ",
        ),
        ("Nothing is due.", "Fees. Deposit. Nothing is due.", "Fees. Deposit. "),
    ],
)
def test_a_span_is_read_under_its_headings_and_headers(
    words: str, premise: str, alone: str
) -> None:
    extraction = read_html()
    context = headers(extraction, find(extraction, words))
    assert context is not None
    assert context.premise.text == premise
    assert context.alone is not None
    assert context.alone.text == alone
    for piece in context.premise.pieces:
        place = piece.to_canonical(piece.span)
        assert place is not None
        said = premise[piece.span.start : piece.span.end]
        assert extraction.text.slice(place).split() == said.split()
        inside = find(extraction, words).contains(place)
        assert (piece.citation == 0) is inside


def test_the_first_words_of_a_document_have_no_context() -> None:
    extraction = make_extraction("The rent is due. It is payable in advance.")
    assert headers(extraction, Span(0, 16)) is None


def test_a_text_without_blocks_gives_the_sentence_before() -> None:
    text = "Bees are kept.\n\nThe rent is set by the landlord. It is payable in advance, he says."
    extraction = make_extraction(text)
    whole = headers(extraction, find(extraction, "It is payable in advance"))
    assert whole is not None
    assert whole.premise.text == "The rent is set by the landlord. It is payable in advance"
    inner = headers(extraction, find(extraction, "payable in advance"))
    assert inner is not None
    assert inner.premise.text == "The rent is set by the landlord. It is payable in advance"


def test_context_is_short_or_not_at_all() -> None:
    long = "word " * MAX_CONTEXT_CHARACTERS
    extraction = make_extraction(f"{long}.\nIt is payable in advance.")
    assert headers(extraction, find(extraction, "It is payable")) is None


@pytest.mark.parametrize(
    ("claim", "is_completed"),
    [
        ("Yes, four days.", True),
        ("Yes.", True),
        ("No, it may not be assigned to anybody without consent.", True),
        ("Four business days.", True),
        ("It takes four business days from the day of the request.", True),
        ("Refunds take four business days from the day of the request.", False),
        ("The fee is due.", False),
    ],
)
def test_a_fragment_is_completed_by_the_question(claim: str, *, is_completed: bool) -> None:
    asked = complete_with("How long does a refund  take", claim)
    assert asked == ("How long does a refund take?" if is_completed else None)
    assert complete_with(None, claim) is None
    assert complete_with("  ", claim) is None


def check(
    prose: str,
    words: str,
    model: EntailmentModel,
    extraction: Extraction,
    *,
    policy: str = "balanced",
    **more: Any,
) -> VerificationBlock:
    span = find(extraction, words)
    given = {"text": words, "char_start": span.start, "char_end": span.end}
    citation = {"anchor": 1, "doc_hash": str(extraction.document.doc_hash), "span": given}
    raw = {"answer": prose, "citations": [citation]} | more
    return verify(
        parse_answer(json.dumps(raw).encode()).answer,
        make_library(extraction),
        model,
        load_policy(policy),
        verified_at=MOMENT,
    )


CLAIM = "In 2021 the late payment fee in Germany was 15 % [1]."
READ = "Fees. Late payment. Region: Germany. 2021: 15 %"


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [("balanced", Outcome.PASS), ("strict", Outcome.REVIEW), ("review", Outcome.REVIEW)],
)
def test_a_cell_is_supported_with_its_headers_and_that_is_said(
    policy: str, outcome: Outcome
) -> None:
    model = PairModel(lambda premise, _: YES if {"2021", "15"} <= words(premise) else NO)
    extraction = read_html()
    block = check(CLAIM, "15 %", model, extraction, policy=policy)
    (verdict,) = block.verdicts
    assert verdict.support.status is SupportStatus.ENTAILED
    assert verdict.support.context == "headers"
    assert "SUPPORT_IN_CONTEXT" in verdict.codes
    assert verdict.outcome is outcome
    assert "headers" in verdict.notes
    assert verdict.support.evidence == find(extraction, "15 %")
    assert model.asked[0][0] == "15 %"
    (found,) = block_to_json(block)["verdicts"]
    assert found["support"]["context"] == "headers"
    assert found["support"]["read"] == {
        "premise": READ,
        "hypothesis": "In 2021 the late payment fee in Germany was 15 %.",
    }


def words(text: str) -> set[str]:
    return set(text.replace(".", " ").replace(":", " ").split())


def test_context_that_entails_by_itself_supports_nothing() -> None:
    model = PairModel(lambda premise, _: YES if "Germany" in premise else NO)
    (verdict,) = check(CLAIM, "15 %", model, read_html()).verdicts
    assert (verdict.support.status, verdict.support.context) == (SupportStatus.NEUTRAL, "bare")
    assert "SUPPORT_IN_CONTEXT" not in verdict.codes


@pytest.mark.parametrize("bare", [AGAINST, YES])
def test_context_is_not_read_where_the_span_has_spoken(bare: tuple[float, float, float]) -> None:
    model = PairModel(lambda premise, _: bare if premise == "15 %" else YES)
    (verdict,) = check(CLAIM, "15 %", model, read_html()).verdicts
    assert verdict.support.context == "bare"
    assert verdict.support.status is not SupportStatus.NEUTRAL
    assert READ not in [premise for premise, _ in model.asked]


def test_a_veto_found_bare_is_not_overturned_by_context() -> None:
    model = PairModel(lambda premise, _: YES if "2021" in premise else NO)
    prose = "In 2021 the late payment fee in Germany was 16 % [1]."
    (verdict,) = check(prose, "Germany\t12 %\t15 %", model, read_html()).verdicts
    assert verdict.support.status is not SupportStatus.ENTAILED


def test_a_context_in_which_the_parts_disagree_changes_nothing() -> None:
    def say(premise: str, claim: str) -> tuple[float, float, float]:
        if "headers" not in premise and "advance" not in claim:
            return NO
        return YES if "landlord" in premise and premise.endswith("advance.") else NO

    prose = "Rent is payable in advance and is paid in gold [1]."
    words_ = "It is payable in advance."
    (verdict,) = check(prose, words_, PairModel(say), read_html()).verdicts
    assert verdict.support.status is SupportStatus.NEUTRAL
    assert verdict.support.context == "bare"


def test_a_borderline_span_is_read_again_in_context() -> None:
    def say(premise: str, _claim: str) -> tuple[float, float, float]:
        if premise == "It is payable in advance.":
            return OPEN
        return YES if premise.endswith("advance.") else NO

    prose = "The rent is payable in advance [1]."
    (verdict,) = check(prose, "It is payable in advance.", PairModel(say), read_html()).verdicts
    assert (verdict.support.status, verdict.support.context) == (SupportStatus.ENTAILED, "headers")


def test_an_answer_to_a_question_is_read_with_it() -> None:
    extraction = make_extraction("Refunds are paid within four business days of the request.")
    whole = extraction.text.text
    question = "How long does a refund take?"
    model = PairModel(lambda _, claim: YES if claim.startswith(question) else NO)
    (verdict,) = check(
        "Four business days [1].", whole, model, extraction, question=question
    ).verdicts
    assert verdict.support.context == "question"
    assert verdict.support.read is not None
    assert verdict.support.read.hypothesis == f"{question} Four business days."
    assert verdict.support.read.premise == whole
    assert "SUPPORT_IN_CONTEXT" in verdict.codes
    assert "question" in verdict.notes
    # Without the question the words stand there, and that is all that the claim says.
    (unasked,) = check("Four business days [1].", whole, model, extraction).verdicts
    assert (unasked.support.reason, unasked.support.context) == ("verbatim", "bare")


def test_an_answer_from_a_table_is_read_with_both() -> None:
    question = "What was the fee in Germany in 2021?"
    model = PairModel(
        lambda premise, claim: YES if premise == READ and claim.startswith(question) else NO
    )
    (verdict,) = check(
        "Fifteen percent [1].", "15 %", model, read_html(), question=question
    ).verdicts
    assert verdict.support.context == "question"
    assert verdict.support.read is not None
    assert verdict.support.read.premise == READ


WORKBOOK = "xlsx/docling/xlsx_05_table_with_title.xlsx"


def test_a_cell_of_a_real_workbook_is_read_with_title_row_and_column(test_data: Path) -> None:
    path = test_data / "documents" / WORKBOOK
    extraction = extract(path.read_bytes(), filename=path.name)
    context = headers(extraction, find(extraction, "150"))
    assert context is not None
    assert context.premise.text == (
        "Number of freshwater ducks per year. Year: 2021. Freshwater Ducks: 150"
    )
    (cited,) = [piece for piece in context.premise.pieces if piece.citation == 0]
    assert cited.to_canonical(cited.span) == find(extraction, "150")


@pytest.mark.parametrize(
    ("name", "cell", "premise"),
    [
        (
            "xlsx/unstructured/stanley-cups.xlsx",
            "13",
            "Stanley Cups. Team: Maple Leafs. Stanley Cups: 13",
        ),
        (
            "docx/unstructured/docx-tables.docx",
            "A link example",
            "Header Col 1: Lorem ipsum. Header Col 2: A link example",
        ),
        ("csv/docling/csv-comma.csv", "Chile", "Index: 1. Country: Chile"),
    ],
)
def test_cells_of_real_documents_find_their_headers(
    test_data: Path, name: str, cell: str, premise: str
) -> None:
    path = test_data / "documents" / name
    extraction = extract(path.read_bytes(), filename=path.name)
    context = headers(extraction, find(extraction, cell))
    assert context is not None
    assert context.premise.text == premise


@pytest.mark.model
def test_the_embedded_model_supports_a_cell_only_with_its_headers(test_data: Path) -> None:
    path = test_data / "documents" / WORKBOOK
    extraction = extract(path.read_bytes(), filename=path.name)
    prose = "There were 150 freshwater ducks in 2021 [1]."
    model = load_model()
    (right,) = check(prose, "150", model, extraction).verdicts
    assert (right.support.status, right.support.reason) == (SupportStatus.ENTAILED, "restated")
    assert right.outcome is Outcome.PASS
    assert right.support.evidence == find(extraction, "150")
    (wrong,) = check(prose, "170", model, extraction).verdicts
    assert wrong.support.status is not SupportStatus.ENTAILED
    assert wrong.outcome is Outcome.FAIL
