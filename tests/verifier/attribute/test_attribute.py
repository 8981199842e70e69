"""Sentences of an answer → spans of sources: offsets on both sides, and nothing by words alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Answer
from spanproof.core.span import Span
from spanproof.verifier.attribute.attribute import attribute
from spanproof.verifier.attribute.candidates import MAX_PIECE_CHARACTERS, SpanIndex
from spanproof.verifier.attribute.sentences import read_claims
from spanproof.verifier.attribute.sources import Region
from spanproof.verifier.formats.grammars import find_anchors
from spanproof.verifier.policies import load_policy
from tests.builders import make_extraction
from tests.verifier.pair_models import NO, YES, PairModel

if TYPE_CHECKING:
    from spanproof.verifier.attribute.references import AttributionReport

SOURCE = (
    "The history of the café is long. Defective goods are replaced within four business days."
    " The Zürich café 🙂 served 1200 guests last summer. It closed in 2020."
)
GOODS = "Defective goods are replaced within four business days."
GUESTS = "The Zürich café 🙂 served 1200 guests last summer."


def says_so(premise: str, hypothesis: str) -> tuple[float, float, float]:
    """Entailed where the premise holds the very sentence."""
    return YES if hypothesis in premise else NO


def region_of(text: str, *ids: str, scope: Any = "full") -> Region:
    extraction = make_extraction(text)
    return Region(
        extraction=extraction, span=Span(0, len(text)), source_ids=ids or ("s1",), scope=scope
    )


def run(prose: str, *regions: Region, **options: Any) -> AttributionReport:
    answer = Answer(prose=prose, anchors=find_anchors(prose), citations=())
    return attribute(answer, regions, PairModel(says_so), load_policy("balanced"), **options)


def test_a_sentence_is_attributed_to_the_smallest_span_that_says_it() -> None:
    report = run(f"{GOODS} The moon is made of cheese.", region_of(SOURCE))
    (reference,) = report.references
    (span,) = reference.spans
    assert span.text == GOODS
    assert SOURCE[span.span.start : span.span.end] == GOODS
    (left,) = report.unattributed
    assert (left.claim.text, left.reason) == ("The moon is made of cheese.", "no_candidate")


def test_shared_words_alone_attribute_nothing() -> None:
    report = run("Defective goods are never replaced within four business days.", region_of(SOURCE))
    assert report.references == ()
    (left,) = report.unattributed
    assert left.reason in {"not_entailed", "contradicted"}
    assert left.nearest is not None
    assert left.nearest.text == GOODS


def test_a_repeated_sentence_has_its_own_position() -> None:
    prose = f"{GOODS} It closed in 2020. {GOODS}"
    places = [reference.claim.span for reference in run(prose, region_of(SOURCE)).references]
    assert [prose[s.start : s.end] for s in places] == [GOODS, "It closed in 2020.", GOODS]
    assert len(set(places)) == 3


def test_every_source_that_says_it_is_named_and_a_snippet_says_so() -> None:
    report = run(
        GOODS,
        region_of(f"Terms. {GOODS}", "s1", scope="snippet"),
        region_of(SOURCE, "s2"),
        region_of("Something else entirely.", "s3"),
    )
    (reference,) = report.references
    assert set(reference.source_ids) == {"s1", "s2"}
    scopes = {span.source_ids: span.scope for span in reference.spans}
    assert scopes == {("s1",): "snippet", ("s2",): "full"}


def test_regions_of_one_text_are_read_once_and_both_sources_named() -> None:
    extraction = make_extraction(SOURCE)
    whole = Region(extraction=extraction, span=Span(0, len(SOURCE)), source_ids=("s1",))
    start = SOURCE.index(GOODS)
    chunk = Region(extraction=extraction, span=Span(start, start + len(GOODS)), source_ids=("s2",))
    (reference,) = run(GOODS, whole, chunk).references
    assert reference.source_ids == ("s1", "s2")
    assert len(reference.spans) == 1


@pytest.mark.parametrize(
    ("prose", "posthoc", "skipped"),
    [
        (GOODS, "off", "posthoc_off"),
        (f"{GOODS[:-1]} [1].", "auto", "has_citations"),
        (GOODS, "auto", None),
        (f"{GOODS[:-1]} [1].", "always", None),
        ("```python\nprint('Defective goods.')\n```", "always", "code_only"),
        ("Here is the code:\n\n```\nx = 1\n```", "always", "code_only"),
        ("Is it so?", "always", "no_prose"),
        ("", "always", "no_prose"),
    ],
)
def test_what_is_skipped_says_why(prose: str, posthoc: Any, skipped: str | None) -> None:
    report = run(prose, region_of(SOURCE), posthoc=posthoc)
    assert report.skipped == skipped
    assert bool(report.references) is (skipped is None)


def test_without_sources_it_is_skipped() -> None:
    assert run(GOODS).skipped == "no_sources"


def test_code_in_an_answer_is_no_claim() -> None:
    prose = f"{GOODS}\n\n```\n{GUESTS}\n```\n\n{GUESTS}"
    report = run(prose, region_of(SOURCE))
    assert [reference.claim.span.start for reference in report.references] == [
        0,
        prose.rindex(GUESTS),
    ]
    assert [reason for _, reason in report.excluded] == ["code"]


def test_offsets_are_given_in_the_unit_that_is_asked_for() -> None:
    prose = f"{GUESTS} {GOODS}"
    report = run(prose, region_of(SOURCE))
    row = report.to_json()["references"][1]
    assert prose[row["start"] : row["end"]] == GOODS == row["text"]
    compact = report.to_compact_json("utf16")["references"][1]
    utf16 = prose.encode("utf-16-le")
    assert utf16[2 * compact["startIndex"] : 2 * compact["endIndex"]].decode("utf-16-le") == GOODS
    assert compact["startIndex"] == row["start"] + 1  # one character outside the first plane
    assert compact["sourceIds"] == ["s1"]
    # Offsets in the source are code points, whatever the answer's unit.
    told = report.to_json("utf16")["references"][1]
    assert SOURCE[told["char_start"] : told["char_end"]] == GOODS


def test_a_model_that_does_not_run_attributes_nothing() -> None:
    answer = Answer(prose=GOODS, anchors=(), citations=())
    model = PairModel(lambda *_: "model_unavailable")
    report = attribute(answer, [region_of(SOURCE)], model, load_policy("balanced"))
    assert report.references == ()
    assert report.unattributed[0].reason == "model_unavailable"


def test_the_same_input_gives_the_same_report() -> None:
    regions = [region_of(SOURCE, "s1"), region_of(f"{GOODS} {SOURCE}", "s2")]
    assert (
        run(f"{GOODS} {GUESTS}", *regions).to_json() == run(f"{GOODS} {GUESTS}", *regions).to_json()
    )


WORDS = st.sampled_from(
    ["supplier", "goods", "replaced", "days", "paid", "buyer", "Zürich", "1200", "🙂", "of", "the"]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=8).map(lambda words: " ".join(words) + ".")


@given(st.lists(SENTENCES, min_size=1, max_size=8), SENTENCES)
def test_windows_lie_in_their_region_and_share_no_sentence(
    sentences: list[str], claim: str
) -> None:
    text = " ".join(sentences)
    start = len(sentences[0]) + 1 if len(sentences) > 1 else 0
    region = Region(
        extraction=make_extraction(text), span=Span(start, len(text)), source_ids=("s1",)
    )
    windows = SpanIndex([region]).find(claim)
    spans = sorted(window.span for window in windows)
    assert all(region.span.contains(span) for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert [w.score for w in windows] == sorted((w.score for w in windows), reverse=True)


@given(st.lists(SENTENCES, max_size=6), st.sampled_from([" ", "\n", "\n\n", "\r\n- "]))
def test_claims_are_slices_of_the_prose(sentences: list[str], joint: str) -> None:
    prose = joint.join(sentences)
    read = read_claims(prose)
    spans = sorted([claim.span for claim in read.claims] + [span for span, _ in read.excluded])
    assert all(prose[claim.span.start : claim.span.end] == claim.text for claim in read.claims)
    assert all(one.end <= other.start for one, other in pairwise(spans))


def test_a_stretch_without_a_stop_is_cut() -> None:
    text = "goods days " * 500
    index = SpanIndex([region_of(text)])
    windows = index.find("goods days")
    assert windows
    assert all(len(window.span) <= 2 * MAX_PIECE_CHARACTERS + 100 for window in windows)


def test_what_only_the_model_says_is_proposed_and_not_attributed() -> None:
    source = (
        "The council approved the bridge on Monday. Work starts in May and will take two years."
    )
    claim = "The council approved work in May."
    model = PairModel(lambda _, __: YES)
    model.identity = replace(model.identity, thresholds=())
    answer = Answer(prose=claim, anchors=(), citations=())
    report = attribute(answer, [region_of(source)], model, load_policy("balanced"))
    assert report.references == ()
    (left,) = report.unattributed
    assert left.reason == "no_certificate"
    assert left.nearest is not None
    assert left.nearest.support.reason == "no_certificate"
