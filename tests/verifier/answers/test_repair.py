"""Repair attaches only what entails, marks it, and raises nothing by it; feedback tells faults."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanproof.core.citation import Answer, Citation, Quote, Retrieval
from spanproof.core.digest import Digest
from spanproof.verifier.answers.feedback import feedback
from spanproof.verifier.answers.repair import repair
from spanproof.verifier.formats.grammars import find_anchors
from spanproof.verifier.policies import load_policy
from spanproof.verifier.verify import verify
from tests.builders import MOMENT, make_extraction, make_library
from tests.verifier.attribute.test_attribute import GOODS, GUESTS, SOURCE, says_so
from tests.verifier.pair_models import YES, PairModel

if TYPE_CHECKING:
    from spanproof.core.verdicts.verification_block import VerificationBlock
    from spanproof.verifier.answers.repair import Repair

EXTRACTION = make_extraction(SOURCE)
LIBRARY = make_library(EXTRACTION)
CHUNK = Retrieval(chunk_id="k1", doc_hash=EXTRACTION.document.doc_hash, text=SOURCE)
POLICY = load_policy("balanced")


def make_answer(prose: str, *citations: Citation, **fields: Any) -> Answer:
    return Answer(
        prose=prose,
        anchors=find_anchors(prose),
        citations=citations,
        **({"retrieved": (CHUNK,)} | fields),
    )


def mend(answer: Answer, **options: Any) -> Repair:
    return repair(answer, LIBRARY, PairModel(says_so), POLICY, **options)


def judge(answer: Answer, model: PairModel | None = None) -> VerificationBlock:
    return verify(answer, LIBRARY, model or PairModel(says_so), POLICY, verified_at=MOMENT)


def test_a_sentence_gets_the_span_that_entails_it_and_the_prose_stays() -> None:
    answer = make_answer(f"{GOODS} The moon is made of cheese.")
    done = mend(answer)
    assert Digest.of(done.answer.prose.encode()) == Digest.of(answer.prose.encode())
    (citation,) = done.answer.citations
    assert citation.repaired
    assert citation.quote is not None
    assert citation.quote.text == GOODS
    assert SOURCE[citation.quote.start : citation.quote.end] == GOODS
    assert citation.segment is not None
    assert answer.prose[citation.segment.start : citation.segment.end] == GOODS
    assert citation.chunk_id == "k1"
    (verdict,) = judge(done.answer).verdicts
    assert verdict.repaired
    assert verdict.outcome.value == "pass"


def test_what_does_not_entail_is_counted_and_not_attached() -> None:
    done = mend(make_answer("Defective goods are never replaced within four business days."))
    assert done.answer.citations == ()
    assert (done.report.attached, done.report.rejected_not_entailed) == (0, 1)


def test_repaired_citations_raise_neither_level_nor_density_nor_result() -> None:
    done = mend(make_answer(f"{GOODS} {GUESTS} It closed in 2020."))
    block = judge(done.answer)
    assert len(block.verdicts) == 3
    assert {verdict.outcome.value for verdict in block.verdicts} == {"pass"}
    assert (block.citation_level, block.citation_density) == ("RED", 0.0)
    assert (block.declared_count, block.declared_density) == (0, 0.0)
    assert block.result.value == "review"
    assert (block.recommended_action, block.abstention_reason) == (
        "review",
        "only_repaired_citations",
    )


def test_own_citations_count_beside_repaired_ones() -> None:
    quote = Quote(text=GOODS)
    own = Citation(anchor=1, quote=quote, doc_hash=EXTRACTION.document.doc_hash)
    answer = make_answer(f"{GOODS[:-1]} [1]. {GUESTS}", own)
    assert mend(answer).report.skipped == "has_citations"
    done = mend(answer, sentences=True)
    assert [citation.repaired for citation in done.answer.citations] == [False, True]
    before, after = judge(answer), judge(done.answer)
    assert after.citation_level == before.citation_level
    assert after.citation_density == before.citation_density
    assert after.declared_count == before.declared_count == 1


def test_no_more_than_the_most_is_attached() -> None:
    done = mend(make_answer(f"{GOODS} {GUESTS} It closed in 2020."), max_repairs=1)
    assert (done.report.attached, done.report.unconsidered) == (1, 2)


def test_an_orphan_anchor_stays_an_orphan() -> None:
    done = mend(make_answer(f"{GOODS} The moon is made of cheese [1]."))
    (citation,) = done.answer.citations
    assert citation.anchor == 2
    assert judge(done.answer).result.value == "fail"


def test_without_evidence_nothing_is_attached() -> None:
    assert mend(make_answer(GOODS, retrieved=())).report.skipped == "no_sources"
    stranger = Retrieval(chunk_id="k", doc_hash=Digest.of(b"other"), text=GOODS)
    assert mend(make_answer(GOODS, retrieved=(stranger,))).report.skipped == "no_sources"


def test_the_retrieved_set_is_all_that_is_read() -> None:
    start = SOURCE.index(GOODS)
    answer = make_answer(f"{GOODS} {GUESTS}", retrieved=(replace(CHUNK, text=GOODS),))
    (citation,) = mend(answer).answer.citations
    assert citation.quote is not None
    assert citation.quote.start == start


def test_the_same_answer_is_repaired_the_same_way() -> None:
    answer = make_answer(f"{GOODS} {GUESTS} It closed in 2020.")
    assert mend(answer) == mend(answer)


def test_feedback_names_each_fault_once_in_the_order_of_the_prose() -> None:
    wrong = Citation(
        anchor=1, quote=Quote(text="Nothing like that."), doc_hash=EXTRACTION.document.doc_hash
    )
    idle = Citation(anchor=7, quote=Quote(text=GOODS), doc_hash=EXTRACTION.document.doc_hash)
    prose = f"{GOODS[:-1]} [1]. The rent rose by 40 percent. It closed in 2020 [4]."
    items = feedback(judge(make_answer(prose, wrong, idle)))
    assert [item.kind for item in items] == [
        "failed_citation",
        "uncited_sentence",
        "orphan_anchor",
        "unused_citation",
    ]
    assert items[0].codes[0] == "EXISTENCE_ABSENT"
    assert items[0].action == "quote words that stand in the source"
    assert items[2].text == "[4]"
    assert items[0].to_json()["start"] == 0


def test_a_sound_answer_has_no_feedback() -> None:
    own = Citation(anchor=1, quote=Quote(text=GOODS), doc_hash=EXTRACTION.document.doc_hash)
    model = PairModel(lambda *_: YES)
    answer = make_answer(f"{GOODS[:-1]} [1].", own)
    assert feedback(judge(answer, model)) == ()
