from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.span import Span
from spanproof.verifier.attribute.sentences import read_claims
from spanproof.verifier.claims.claims import MarkedSentence, split_sentences
from spanproof.verifier.claims.pairing import pair_claims
from spanproof.verifier.claims.subclaims import split_claim
from spanproof.verifier.formats.registry import parse_payload
from spanproof.verifier.quotes.quotations import find_quotations

if TYPE_CHECKING:
    from spanproof.core.citation import Answer
    from spanproof.verifier.formats.parsed import ParsedAnswer

URL = "https://h.example/a"
RETRIEVED: list[dict[str, Any]] = [
    {"chunk_id": "s1", "doc_id": "h", "text": "four days", "title": "Handbook", "url": URL},
    {"chunk_id": "s2", "doc_id": "k", "text": "five days"},
    {"chunk_id": "s3", "doc_id": "m", "text": "six days"},
]
DOCUMENTS = [{"doc_id": "k", "title": "Contract", "uri": "https://k.example/"}]
ENTRY = {"id": "s1", "title": "Handbook", "url": URL}
LINES = (
    "Four days pass.",
    "- Six days, e.g. in May",
    "| a | b |",
    "Is it so? It is",
    "",
    "“Ja”, sagte sie.",
    "# Heading",
    "価格は五％です。",
)


def read(prose: str) -> ParsedAnswer:
    envelope = {"response": prose, "retrieved": RETRIEVED, "documents": DOCUMENTS}
    return parse_payload(json.dumps(envelope).encode(), "ref")


def block(*entries: object) -> str:
    return f"\nSOURCES_START\n{json.dumps(entries)}\nSOURCES_END"


def codes(parsed: ParsedAnswer) -> list[str]:
    return [remark.code for remark in parsed.imported.remarks]


def test_emission_tokens_cite_what_was_retrieved_and_the_block_is_no_prose() -> None:
    parsed = read("Four days [[REF:s1]]." + block(ENTRY))
    (citation,) = parsed.answer.citations
    assert (citation.chunk_id, citation.doc_id, citation.origin) == ("s1", "h", "ref")
    assert parsed.answer.prose == "Four days [[REF:s1]].\n"
    assert codes(parsed) == []


def test_urls_are_read_before_anything_is_cleaned() -> None:
    parsed = read(f"Four days [1]({URL}). Five [[2]](https://k.example/).")
    assert [citation.chunk_id for citation in parsed.answer.citations] == ["s1", "s2"]


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("x [[REF:s9]]." + block(ENTRY), ["SOURCE_FABRICATED"]),
        ("x [1](https://evil.example).", ["SOURCE_FABRICATED"]),
        ("x [[REF:s1]]." + block(ENTRY | {"title": "Other"}), ["SOURCE_FABRICATED"]),
        ("x [[REF:s1]]." + block(ENTRY | {"url": URL + "b"}), ["SOURCE_FABRICATED"]),
        ("x [[REF:s2]]." + block({"id": "s2", "title": "Deed"}), ["SOURCE_FABRICATED"]),
    ],
)
def test_a_fabricated_source_is_no_citation(prose: str, expected: list[str]) -> None:
    parsed = read(prose)
    assert parsed.answer.citations == ()
    assert len(parsed.answer.anchors) == 1
    assert codes(parsed) == expected


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("x [[REF:s1]]. SOURCES_START " + json.dumps([ENTRY]), ["SOURCES_UNCLOSED"]),
        ("x [[REF:s1]]. SOURCES_END", ["SOURCES_END_ALONE"]),
        ("x [[REF:s1]]." + block(ENTRY) + block(ENTRY), ["SOURCES_TWICE"]),
        ("x [[REF:s1]]." + block(ENTRY) + " after", ["SOURCES_TEXT_AFTER"]),
        (
            "x [[REF:s1]]. SOURCES_START [{ SOURCES_END",
            ["SOURCES_MALFORMED", "CITATION_UNMAPPED"],
        ),
        ("x [[REF:s1]]." + block({"title": "x"}), ["SOURCES_MALFORMED", "CITATION_UNMAPPED"]),
        ("x [[REF:s3]]." + block({"id": "s3", "title": "T"}), ["SOURCE_NOT_COMPARED"]),
        ("x [[REF:s1]]." + block(ENTRY, {"id": "s9"}), ["CITATION_UNMAPPED", "SOURCE_FABRICATED"]),
    ],
)
def test_each_fault_of_the_block_has_its_status(prose: str, expected: list[str]) -> None:
    parsed = read(prose)
    assert len(parsed.answer.citations) == 1
    assert codes(parsed) == expected
    assert "SOURCES" not in parsed.answer.prose


def test_duplicate_tokens_are_one_citation_with_two_anchors() -> None:
    parsed = read("Four [[REF:s1]]. Days [[REF:s1]].")
    assert [anchor.number for anchor in parsed.answer.anchors] == [1, 1]
    assert len(parsed.answer.citations) == 1


def read_behind_anthropic(prose: str, cited: str) -> ParsedAnswer:
    location = {
        "type": "char_location",
        "cited_text": "four days",
        "document_index": 0,
        "document_title": None,
        "start_char_index": 0,
        "end_char_index": 9,
    }
    before, _, after = prose.partition(cited)
    content: list[dict[str, Any]] = [
        {"type": "text", "text": before},
        {"type": "text", "text": cited, "citations": [location]},
        {"type": "text", "text": after},
    ]
    envelope = {
        "response": {"role": "assistant", "content": [part for part in content if part["text"]]},
        "retrieved": RETRIEVED,
        "documents": [{"doc_id": "h", "index": 0}],
    }
    return parse_payload(json.dumps(envelope).encode(), "anthropic,ref")


@pytest.mark.parametrize("after", ["", "\nFive days pass."])
def test_behind_a_provider_the_block_stays_and_claims_nothing(after: str) -> None:
    prose = "Six days pass [[REF:s3]]." + block({"id": "s3"}) + after + "\nFour days pass."
    parsed = read_behind_anthropic(prose, "Four days pass.")
    answer = parsed.answer
    # No offset is shifted: the provider's segment stands behind the block.
    assert answer.prose == prose
    segment = answer.citations[0].segment
    assert segment is not None
    assert prose[segment.start : segment.end] == "Four days pass."
    assert [prose[s.start : s.end] for s in answer.unclaimed] == [block({"id": "s3"})[1:]]
    pairing = pair_claims(answer)
    assert [claim.text for claim, _ in pairing.pairs] == [
        "Six days pass [[REF:s3]].",
        "Four days pass.",
    ]
    uncited = [prose[one.span.start : one.span.end] for one in pairing.uncited]
    assert uncited == [after.strip()] * bool(after)
    assert pairing.sentences == 2 + bool(after)
    assert codes(parsed) == ["SOURCES_TEXT_AFTER"]


def test_a_segment_that_holds_the_block_is_judged_without_it() -> None:
    prose = "Four days pass." + block({"id": "s1", "title": "Handbook"})
    pairing = pair_claims(read_behind_anthropic(prose, prose).answer)
    ((claim, _),) = pairing.pairs
    assert (claim.text, claim.hypothesis) == (prose, "Four days pass.")
    assert pairing.uncited == ()


def test_a_citation_of_the_block_alone_supports_nothing() -> None:
    cited = block({"id": "s1"})
    parsed = read_behind_anthropic("Four days pass." + cited, cited)
    pairing = pair_claims(parsed.answer)
    assert pairing.pairs == ()
    assert pairing.unused == (1,)
    assert len(pairing.uncited) == 1


def test_quotations_and_parts_are_not_looked_for_in_the_block() -> None:
    title = "They said “four days and five nights are one week” and left"
    prose = "Four days pass. " + block({"id": "s1", "title": title}).strip() + " Six days pass."
    answer = read_behind_anthropic(prose, prose).answer
    assert find_quotations(answer) == ()
    read_claims_of = read_claims(prose, answer.anchors, answer.unclaimed)
    assert [claim.text for claim in read_claims_of.claims] == ["Four days pass.", "Six days pass."]
    assert (answer.unclaimed[0], "sources") in read_claims_of.excluded
    parts = split_claim(prose, Span(0, len(prose)), answer.anchors, answer.unclaimed)
    assert all("SOURCES" not in part.hypothesis for part in parts)


@given(lines=st.lists(st.sampled_from(LINES), min_size=1, max_size=6), place=st.integers(0, 6))
def test_a_block_behind_a_provider_reads_as_where_it_is_dropped(
    lines: list[str], place: int
) -> None:
    parts = [*lines[:place], block({"id": "s1"})[1:], *lines[place:]]
    answer = read_behind_anthropic("\n".join(parts), "\n".join(parts)).answer
    without = "\n".join([*lines[:place], "", *lines[place:]])
    kept = [answer.prose[s.span.start : s.span.end] for s in _sentences(answer)]
    dropped = [without[s.span.start : s.span.end] for s in split_sentences(without)]
    assert kept == dropped


def _sentences(answer: Answer) -> tuple[MarkedSentence, ...]:
    return split_sentences(answer.prose, answer.anchors, answer.unclaimed)
