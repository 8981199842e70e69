"""Claims by words of several cells or rows, which only the blanks of a table join."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus, Outcome, SupportStatus
from spanproof.ingest.extraction import extract
from spanproof.verifier.support.agreed import find_written_out, joins_cells, says_parts
from spanproof.verifier.support.context import find_contexts
from spanproof.verifier.support.premise import CELL_END, Premise, Slice
from tests.builders import ScriptedModel, make_library
from tests.core.documents.white_space.test_crossings import draw_grid, draw_rows
from tests.engines import ENGINES, needs_mupdf
from tests.verifier.checking import check, cite

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.verdict import Verdict
    from spanproof.ingest.limits import EngineName

_ROWS = (
    ("Product", "Category", "Checked by"),
    ("Pens", "Office goods", "Verified today"),
    ("Lamps", "Light fittings\nfor offices", "Open"),
    ("Desks", "Office goods", "Open"),
)
_HTML = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in _ROWS)
_COLUMNS = (60, 130, 220)


def read_web() -> Extraction:
    return extract(f"<table>{_HTML}</table>".encode(), filename="stock.html")


def read_page() -> Extraction:
    return extract(draw_grid(_ROWS, (*_COLUMNS, 310), step=28))


def judge(
    extraction: Extraction, claim: str, first: str, last: str, model: ScriptedModel | None = None
) -> Verdict:
    """The verdict on a claim that cites the text from one word to another, as it stands there.

    The model, if none is given, calls all entailed, and has a certificate for it.
    """
    text = extraction.text.text
    start = text.index(first)
    quote = text[start : text.index(last, start) + len(last)]
    citation = cite(quote, document=extraction)
    library = make_library(extraction)
    (verdict,) = check(f"{claim} [1].", citation, library=library, model=model).verdicts
    assert verdict.existence.status is ExistenceStatus.EXACT
    return verdict


@needs_mupdf
@pytest.mark.parametrize("read", [read_web, read_page])
@pytest.mark.parametrize(
    ("claim", "first", "last"),
    [
        pytest.param(
            "Verified today Lamps Light fittings for offices", "Verified", "offices", id="rows"
        ),
        pytest.param("Pens Office goods Verified today", "Pens", "today", id="cells of a row"),
        pytest.param("Office goods Verified today", "Office", "today", id="two cells"),
    ],
)
def test_a_claim_of_words_that_blanks_of_a_table_join_goes_to_a_person(
    read: Callable[[], Extraction], claim: str, first: str, last: str
) -> None:
    verdict = judge(read(), claim, first, last)
    assert verdict.support.status is SupportStatus.BORDERLINE
    assert verdict.support.reason == "cells_joined"
    assert verdict.outcome is Outcome.REVIEW


@pytest.mark.parametrize("read", [read_web, pytest.param(read_page, marks=needs_mupdf)])
def test_joined_words_are_no_reason_against_what_the_model_says_of_a_table(
    read: Callable[[], Extraction],
) -> None:
    unsure = ScriptedModel({})
    verdict = judge(read(), "Office goods Verified today", "Office", "today", unsure)
    assert verdict.support.status is SupportStatus.NEUTRAL
    verdict = judge(read(), "Pens are goods for the office", "Pens", "today")
    assert (verdict.support.status, verdict.support.reason) == (SupportStatus.ENTAILED, None)


def test_no_other_form_of_a_sentence_is_read_over_cells() -> None:
    text = "Ann sold\tthe pens of the house."
    claim = "The pens of the house were sold by Ann."
    words = Premise.join([Slice(text=text, start=0)])
    cells = Premise.join([Slice(text=text, start=0, parting=(Span(8, 9),))])
    assert find_written_out(claim, words) == "verbatim"
    assert find_written_out(claim, cells) is None


@needs_mupdf
def test_a_claim_of_the_words_of_one_cell_passes_also_over_its_lines() -> None:
    verdict = judge(read_page(), "Light fittings for offices", "Lamps", "Open")
    assert verdict.support.reason == "verbatim"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_page_without_tables_joins_no_rows(engine: EngineName) -> None:
    rows = (("Wine", "Spain", "Verified"), ("Olives", "Greece", "Open"))
    extraction = extract(draw_rows(rows, (60, 200, 340)), engine=engine)
    verdict = judge(extraction, "Verified Olives Greece", "Verified", "Greece")
    assert verdict.support.reason == "cells_joined"


def test_parts_of_a_claim_are_not_said_over_cells() -> None:
    extraction = read_web()
    premise = Premise.of_span(extraction, Span(0, len(extraction.text.text)))
    assert says_parts(["Light fittings for offices", "Office goods for all"], premise) is False
    assert says_parts(["Office goods Verified today"], premise) is False
    assert says_parts(["Light fittings for offices"], premise)


def test_cells_that_are_laid_out_in_words_are_apart_too() -> None:
    one, other = Slice(text="Office goods", start=0), Slice(text="Verified today", start=13)
    premise = Premise.join([one, CELL_END, other])
    assert premise.text == "Office goods; Verified today"
    assert joins_cells("Office goods Verified today", premise)


@needs_mupdf
def test_no_context_lifts_a_claim_of_joined_words() -> None:
    extraction = read_page()
    text = extraction.text.text
    start = text.index("Office goods")
    span = Span(start, text.index("Verified today") + len("Verified today"))
    claim = "Office goods Verified today."
    (context,) = find_contexts(extraction, span, claim, None, citation=0)
    bare = Premise.of_span(extraction, span)
    model = ScriptedModel({each.text: (0.97, 0.02, 0.01) for each in (bare, context.premise)})
    citation = cite(extraction.text.slice(span), document=extraction)
    block = check(f"{claim} [1]", citation, library=make_library(extraction), model=model)
    assert block.verdicts[0].support.reason == "cells_joined"
