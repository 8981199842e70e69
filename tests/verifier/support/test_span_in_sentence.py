from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.span import Span
from spanproof.core.verdicts.status import Outcome, SupportStatus
from spanproof.ingest import extract
from spanproof.verifier.policies import NAMES
from spanproof.verifier.support.scope import find_scope_cut
from spanproof.verifier.support.surroundings import read_surroundings
from tests.builders import ScriptedModel, make_extraction, make_library
from tests.strategies import any_texts
from tests.verifier.checking import check, cite

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction
    from spanproof.core.verdicts.verdict import Veto

#: Lines of a text with the span in double brackets => a claim. What is left out turns the span.
CUT = "cut.txt"
#: The claim keeps what is left out, or it turns nothing.
NOT_CUT = "not_cut.txt"


def read(name: str) -> list[tuple[str, str]]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [
        (marked.replace("\\n", "\n"), claim)
        for marked, claim in (line.split(" => ") for line in lines)
    ]


def find_cut(extraction: Extraction, span: Span, claim: str) -> tuple[Veto, ...]:
    return find_scope_cut(extraction, span, read_surroundings(extraction, span), claim)


def judge_marked(marked: str, claim: str) -> tuple[Extraction, tuple[Veto, ...]]:
    before, rest = marked.split("[[")
    inside, after = rest.split("]]")
    extraction = make_extraction(before + inside + after)
    span = Span(len(before), len(before) + len(inside))
    return extraction, find_cut(extraction, span, claim)


@pytest.mark.parametrize(("marked", "claim"), read(CUT))
def test_what_is_left_out_and_turns_the_span_is_found(marked: str, claim: str) -> None:
    extraction, found = judge_marked(marked, claim)
    assert found
    for veto in found:
        assert claim[veto.claim_span.start : veto.claim_span.end] == veto.claim
        assert veto.source_span is not None
        assert extraction.text.holds(veto.source_span)


@pytest.mark.parametrize(("marked", "claim"), read(NOT_CUT))
def test_what_turns_nothing_is_not(marked: str, claim: str) -> None:
    assert judge_marked(marked, claim)[1] == ()


def find_in(content: str, filename: str, words: str, claim: str) -> tuple[Veto, ...]:
    extraction = extract(content.encode(), filename=filename)
    start = extraction.text.text.index(words)
    return find_cut(extraction, Span(start, start + len(words)), claim)


_PAGE = """<html><body><h1>Rules of the harbour</h1><p>The following are forbidden:</p>
<ul><li>Swimming at night</li><li>Fishing from the pier</li></ul>
<h2>Repealed rules</h2><p>Boats pay 5 euros a day.</p><h2>Fees</h2><p>Boats pay 9 euros a day.</p>
<table><tr><th>Work</th><th>Proposed</th></tr><tr><td>Dredging</td><td>400 euros</td></tr></table>
</body></html>"""


@pytest.mark.parametrize(
    ("words", "claim", "kinds"),
    [
        ("Fishing from the pier", "Fishing from the pier is common.", ["unconfirmed_negation"]),
        ("Fishing from the pier", "Fishing from the pier is forbidden.", []),
        ("Boats pay 5 euros a day.", "Boats pay 5 euros a day.", ["unconfirmed_negation"]),
        ("Boats pay 9 euros a day.", "Boats pay 9 euros a day.", []),
        ("400 euros", "Dredging cost 400 euros.", ["unconfirmed_modality"]),
        ("400 euros", "It is proposed to spend 400 euros on dredging.", []),
    ],
)
def test_lists_headings_and_headers_of_tables_govern(
    words: str, claim: str, kinds: list[str]
) -> None:
    assert sorted({veto.kind for veto in find_in(_PAGE, "page.html", words, claim)}) == kinds


_NOTICE = make_extraction("Staff are not entitled to carry over leave. The office opens at nine.\n")
_ENTITLED = cite("entitled to carry over leave", document=_NOTICE)


@pytest.mark.parametrize("policy", NAMES)
def test_a_cut_scope_never_passes(policy: str) -> None:
    block = check(
        "Staff are entitled to carry over leave [1].",
        _ENTITLED,
        library=make_library(_NOTICE),
        policy=policy,
    )
    (verdict,) = block.verdicts
    assert verdict.outcome is Outcome.REVIEW
    assert verdict.support.status is SupportStatus.BORDERLINE
    assert verdict.support.reason == "scope_cut"
    assert "SPAN_SCOPE_CUT" in verdict.codes
    assert "UNCONFIRMED_NEGATION" in verdict.codes
    assert verdict.notes == "The span leaves out 'not', which changes what its sentence says."


@pytest.mark.parametrize(
    ("marked", "claim"),
    [
        (
            "[[Children under six travel free]] when accompanied by an adult.",
            "Children under six travel free.",
        ),
        ("[[Tickets are sold]] only in packs of ten.", "Tickets are sold."),
        ("[[The plan costs 12 euros a month]] per user.", "The plan costs 12 euros a month."),
        (
            "[[The policy pays for storm damage]] from wind force 8 upwards.",
            "The policy pays for storm damage.",
        ),
        (
            "[[The loan bears interest at 4 percent]] above the base rate.",
            "The loan bears interest at 4 percent.",
        ),
        (
            "[[The goods are free of liens]], to the best of the seller's knowledge.",
            "The goods are free of liens.",
        ),
        (
            "Common mistakes at the border\n\n- [[The form may be sent by fax.]]\n",
            "The form may be sent by fax.",
        ),
    ],
)
@pytest.mark.parametrize("policy", NAMES)
def test_words_that_their_sentence_restricts_never_pass(
    marked: str, claim: str, policy: str
) -> None:
    before, rest = marked.split("[[")
    inside, after = rest.split("]]")
    extraction = make_extraction(before + inside + after)
    block = check(
        claim.replace(".", " [1]."),
        cite(inside, document=extraction),
        library=make_library(extraction),
        # Nothing but the words lets it pass.
        model=ScriptedModel({}),
        policy=policy,
    )
    assert block.verdicts[0].outcome is Outcome.REVIEW
    assert "SPAN_SCOPE_CUT" in block.verdicts[0].codes


def test_the_same_span_passes_for_a_claim_that_keeps_it() -> None:
    block = check(
        "Staff are not entitled to carry over leave [1].", _ENTITLED, library=make_library(_NOTICE)
    )
    assert "SPAN_SCOPE_CUT" not in block.verdicts[0].codes


def test_a_whole_sentence_is_not_cut() -> None:
    opens = cite("The office opens at nine.", document=_NOTICE)
    block = check("The office opens at nine [1].", opens, library=make_library(_NOTICE))
    assert block.verdicts[0].outcome is Outcome.PASS


def test_the_sentence_can_only_lower() -> None:
    extraction = make_extraction("In 2019, and in 2020, sales rose by 4 per cent to 13 million.\n")
    whole = "sales rose by 4 per cent to 13 million"
    block = check(
        "Sales rose by 4 per cent to 13 million [1].",
        cite(whole, document=extraction),
        library=make_library(extraction),
    )
    assert block.verdicts[0].outcome is Outcome.PASS


@given(text=any_texts, claim=any_texts, data=st.data())
def test_any_span_of_any_text_may_be_asked(text: str, claim: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    extraction = make_extraction(text)
    found = find_cut(extraction, Span(start, end), claim)
    assert all(v.source_span is None or extraction.text.holds(v.source_span) for v in found)


def test_the_size_of_the_document_does_not_matter() -> None:
    text = "It is not said that the fee is paid, unless it may be. \n- a\n" * 40_000
    extraction = make_extraction(text)
    started = time.process_time()
    for start in range(0, len(text), len(text) // 50):
        find_cut(extraction, Span(start, start + 200), "The fee is paid.")
    assert time.process_time() - started < 10
