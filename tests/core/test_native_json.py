"""An ``Answer`` is sent as the payload that gives it again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Anchor, Answer, ClaimedLocator, Quote, Retrieval
from spanproof.core.errors import InputError
from spanproof.core.native_json import answer_to_native
from spanproof.core.span import Span
from spanproof.verifier.formats.native import parse_answer
from spanproof.verifier.formats.registry import parse_payload

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=12)
NUMBERS = st.integers(0, 50)
DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:{}".format)
SCORES = st.floats(-10, 10)
OFFSETS = st.tuples(NUMBERS, NUMBERS).map(sorted)


def some(fields: dict[str, st.SearchStrategy[Any]], **always: Any) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(always, optional=fields)


def with_offsets(fields: dict[str, Any], offsets: list[int] | None) -> dict[str, Any]:
    if offsets is None:
        return fields
    return fields | {"char_start": offsets[0], "char_end": offsets[1]}


SPANS = st.builds(
    with_offsets,
    some({"unit": st.sampled_from(["codepoint", "utf16"])}, text=WORDS),
    st.none() | OFFSETS,
)
BOXES = st.tuples(OFFSETS, OFFSETS).map(lambda two: [two[0][0], two[1][0], two[0][1], two[1][1]])
CITATIONS = some(
    {
        "doc_hash": DIGESTS,
        "extraction_id": DIGESTS,
        "extraction_pipeline": WORDS,
        "pdf_locator": some({"bbox": BOXES}, page=st.integers(1, 9)),
        "cell": some(
            {"table": st.integers(1, 9), "sheet": WORDS},
            row=st.integers(1, 9),
            column=st.integers(1, 9),
        ),
        "chunk_id": WORDS,
        "doc_title": WORDS,
        "doc_url": WORDS,
        "retrieval_score": SCORES,
        "retrieval_method": WORDS,
        "embedding_model": WORDS,
        "index_version": WORDS,
        "source_tier": WORDS,
    },
    anchor=NUMBERS,
    span=SPANS,
    doc_id=WORDS,
)
CHUNKS = st.builds(
    with_offsets,
    some(
        {
            "doc_id": WORDS,
            "doc_hash": DIGESTS,
            "text": WORDS,
            "score": SCORES,
            "rank": NUMBERS,
            "source_tier": WORDS,
            "page": st.integers(1, 9),
        },
        chunk_id=WORDS,
    ),
    st.none() | OFFSETS,
)
PAYLOADS = some(
    {
        "answer_id": WORDS,
        "answer_kind": st.sampled_from(["answer", "abstention", "refusal"]),
        "question": WORDS,
        "session_id": WORDS,
        "trace_id": WORDS,
        "policy": WORDS,
        "generated_at": st.datetimes().map("{:%Y-%m-%dT%H:%M:%S}+02:00".format),
        "generator": some({"model": WORDS, "prompt_id": WORDS, "prompt_sha256": WORDS}),
        "labels": st.dictionaries(WORDS, WORDS, max_size=2),
        "documents": st.lists(WORDS, max_size=2),
        "retrieved": st.lists(CHUNKS, max_size=2),
    },
    answer=st.lists(WORDS | NUMBERS.map("[{}]".format), max_size=6).map(" ".join),
    citations=st.lists(CITATIONS, max_size=3),
)


@given(PAYLOADS)
def test_the_payload_of_an_answer_gives_the_answer_again(payload: dict[str, Any]) -> None:
    try:
        answer = parse_answer(json.dumps(payload).encode()).answer
    except InputError:
        return  # Years before the first, names that look like digests.
    written = answer_to_native(answer)
    assert parse_answer(json.dumps(written).encode()).answer == answer


QUOTED = {"anchor": 1, "doc_id": "lease", "span": {"text": "It ends."}}
ANSWER = parse_answer(json.dumps({"answer": "It ends [1].", "citations": [QUOTED]}).encode()).answer
(CITATION,) = ANSWER.citations


def cite(**changes: Any) -> Answer:
    return replace(ANSWER, citations=(replace(CITATION, **changes),))


@pytest.mark.parametrize(
    "make",
    [
        lambda: replace(ANSWER, unclaimed=(Span(0, 2),)),
        lambda: replace(ANSWER, anchors=(Anchor(number=1, span=Span(0, 2)),)),
        lambda: cite(quote=None),
        lambda: cite(quote=Quote(text="It ends.", unit=None)),
        lambda: cite(segment=Span(0, 0)),
        lambda: cite(repaired=True),
        lambda: cite(names=("a", "b")),
        lambda: cite(locator=ClaimedLocator(page=1, bbox=None, last_page=2)),
        lambda: replace(ANSWER, retrieved=(Retrieval(chunk_id="c", names=("a",)),)),
    ],
)
def test_what_the_format_cannot_say_is_refused(make: Callable[[], Answer]) -> None:
    with pytest.raises(InputError, match="that the native format can say"):
        answer_to_native(make())


def test_an_answer_of_a_provider_is_sent_under_its_own_format() -> None:
    cited = {"type": "char_location", "cited_text": "It ends.", "document_index": 0,
             "document_title": "lease", "start_char_index": 0, "end_char_index": 8}  # fmt: skip
    payload = {"content": [{"type": "text", "text": "It ends.", "citations": [cited]}]}
    answer = parse_payload(json.dumps({"response": payload}).encode(), "anthropic").answer
    with pytest.raises(InputError, match="the provider's payload") as caught:
        answer_to_native(answer)
    assert caught.value.hint
